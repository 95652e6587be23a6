from __future__ import annotations

import pytest

from pagegrade.checks._check import Check
from pagegrade.checks.performance.css_size import css_size
from pagegrade.checks.performance.js_size import js_size
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import URL, make_resource, make_resources, outcome, run

both = pytest.mark.parametrize(
    ("check", "kind", "element"),
    [(css_size, "stylesheet", "<link rel=stylesheet href='/{}'>"), (js_size, "script", "<script src='/{}'></script>")],
)


@both
def test_files_that_were_not_fetched_make_a_low_number_worthless(check: Check, kind: str, element: str) -> None:
    """Our limits are no merit of the page; a high number stays one."""
    page = element.format("a") + element.format("b")
    large = make_resource(URL + "b", kind=kind, body_bytes=200_000)
    missing = make_resources(not_fetched=((URL + "a", "bytes"),))
    some = make_resources(large, not_fetched=((URL + "a", "bytes"),))

    assert isinstance(run(check, page, resources=missing), NotRun)
    assert isinstance(run(check, page), NotRun)
    assert outcome(check, page, resources=some).state == "heavy"
    assert isinstance(run(check, "<p>x", resources=make_resources()), NotApplicable)


@both
def test_the_files_counted_are_those_listed_and_those_left_out(check: Check, kind: str, element: str) -> None:
    """The heaviest ten are listed; the report can say how many are not."""
    names = [f"{number}" for number in range(12)]
    files = make_resources(*(make_resource(URL + name, kind=kind, body_bytes=20_000) for name in names))
    found = outcome(check, "".join(element.format(name) for name in names), resources=files)

    assert found.message.startswith(f"12 {kind}s transfer 240,000 bytes")
    assert (len(found.evidence), found.total) == (10, 12)
