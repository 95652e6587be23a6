from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.checks.technical.base_element import MIN_ASKED, base_element
from pagegrade.model.artifacts import NotGathered, Resources
from tests.builders import make_artifacts, make_resource, outcome


@pytest.mark.parametrize(
    ("html", "state"),
    [
        ("", "sound"),
        ("<base href=/shop/>", "sound"),
        ("<base href=https://www.example.com/><link rel=icon href=a.png>", "sound"),
        ("<base target=_blank><link rel=icon href=a.png>", "sound"),
        ("<link rel=icon href=/a.png><base target=_blank>", "sound"),
        ("<meta charset=utf-8><style>a{}</style><base href=/>", "sound"),
        ("<base href=/a/><base href=/b/>", "several"),
        ("<base target=_top><base href=/b/>", "several"),
        ("<link rel=stylesheet href=a.css><base href=/>", "late"),
        ("<script src=a.js></script><base href=/>", "late"),
        ("<script>1</script><base href=/>", "sound"),
        ("<body><a href=x>x</a><base href=/>", "late"),
        ("<base href=https://other.test/>", "foreign"),
        ("<base href=//other.test/x/>", "foreign"),
        ("<base href='data:text/plain,x'>", "unusable"),
        ("<base href='javascript:1'>", "unusable"),
        ("<base href='http://['>", "unusable"),
        ("<template><base href=https://other.test/></template>", "sound"),
        ("<!-- <base href=https://other.test/> -->", "sound"),
        ("<svg><base href=https://other.test/></svg>", "sound"),
    ],
)
def test_base_elements(html: str, state: str) -> None:
    """One, first, on the same site, and usable."""
    assert outcome(base_element, "<!doctype html>" + html).state == state


def test_every_further_element_is_evidence() -> None:
    """Bounded."""
    found = outcome(base_element, "<!doctype html>" + "<base href=/>" * 500)

    assert (found.total, len(found.evidence)) == (499, 100)


@pytest.mark.parametrize(
    ("failures", "state"),
    [
        (["dns_nxdomain"] * MIN_ASKED, "dead"),
        (["dns_nxdomain"] * (MIN_ASKED - 1), "foreign"),
        (["dns_nxdomain", ""], "foreign"),
    ],
)
def test_base_at_a_host_that_is_gone_takes_everything_with_it(failures: list[str], state: str) -> None:
    """All that was asked for there failed, and enough of it; one file that loads shows that there is a host."""
    base = "https://staging.other.test/"
    items = tuple(
        replace(make_resource(f"{base}{number}.png"), response=None, failure=NotGathered(code="dns", reason=reason))
        if reason
        else make_resource(f"{base}{number}.png")
        for number, reason in enumerate(failures)
    )
    artifacts = make_artifacts(f"<!doctype html><base href={base}>", resources=Resources(items=items))

    assert outcome(base_element, artifacts).state == state
