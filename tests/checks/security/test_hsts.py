from __future__ import annotations

import pytest

from pagegrade.checks.security.hsts import hsts
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.outcome import NotApplicable
from tests.builders import make_artifacts, make_response, outcome, run


def page(
    *values: str, url: str = "https://example.com/", html: str = "", name: str = "Strict-Transport-Security"
) -> Artifacts:
    """A page with those HSTS headers."""
    return make_artifacts(html, url=url, headers=(("Content-Type", "text/html"), *((name, value) for value in values)))


@pytest.mark.parametrize(
    "value",
    [
        "max-age=15768000",
        "max-age=31536000; includeSubDomains",
        "MAX-AGE=63072000; INCLUDESUBDOMAINS; Preload",
        'max-age="31536000"',
        "max-age=99999999999999999999999",
        "includeSubDomains; max-age = 31536000 ;",
        "max-age=31536000; unknown=1",
    ],
)
def test_six_months_or_more_pass(value: str) -> None:
    """In every spelling; subdomains and preloading are not asked for."""
    assert outcome(hsts, page(value)).state == "strong"


@pytest.mark.parametrize("value", ["max-age=15767999", "max-age=10886400", "max-age=1"])
def test_less_than_six_months_cost_half(value: str) -> None:
    """One second less is less."""
    assert outcome(hsts, page(value)).state == "short"


def test_value_is_compared_as_a_number() -> None:
    """``9`` is not more than ``15768000``, although it sorts behind it as text."""
    assert outcome(hsts, page("max-age=9")).state == "short"


def test_missing_header_fails() -> None:
    """Nothing binds the browser."""
    assert outcome(hsts, page()).state == "missing"


def test_zero_switches_it_off() -> None:
    """Browsers forget the host."""
    assert outcome(hsts, page("max-age=0; includeSubDomains")).state == "off"


@pytest.mark.parametrize(
    "value",
    ["includeSubDomains", "max-age=", "max-age=-1", "max-age=1y", "", "Strict-Transport-Security: max-age=31536000"],
)
def test_header_without_a_readable_time_fails(value: str) -> None:
    """Browsers ignore it, also when it repeats its own name."""
    assert outcome(hsts, page(value)).state == "unreadable"


def test_first_header_wins() -> None:
    """A second line neither helps nor harms."""
    assert outcome(hsts, page("max-age=31536000", "max-age=0")).state == "strong"
    assert outcome(hsts, page("max-age=0", "max-age=31536000")).state == "off"


def test_name_of_the_header_matches_in_any_case() -> None:
    """Header names have no case."""
    assert outcome(hsts, page("max-age=31536000", name="strict-transport-security")).state == "strong"


def test_repeated_directive_costs_half() -> None:
    """The standard forbids it."""
    assert outcome(hsts, page("max-age=31536000; max-age=0")).state == "duplicates"


@pytest.mark.parametrize("value", ["max-age=31536000; preload", "max-age=31535999; includeSubDomains; preload"])
def test_preload_without_its_conditions_costs_half(value: str) -> None:
    """The list needs subdomains and a year."""
    assert outcome(hsts, page(value)).state == "preload-mismatch"


@pytest.mark.parametrize("values", [(), ("max-age=1",), ("nonsense",)])
def test_preloaded_top_level_domain_passes(values: tuple[str, ...]) -> None:
    """Nothing the host sends or leaves out changes what browsers do there."""
    assert outcome(hsts, page(*values, url="https://example.dev/")).state == "preloaded"


def test_meta_element_fails() -> None:
    """Browsers read the header only."""
    html = '<meta http-equiv="Strict-Transport-Security" content="max-age=31536000">'
    found = outcome(hsts, page(html=html))

    assert found.state == "meta"
    assert found.evidence[0].line == 1


def test_header_over_plain_http_is_ignored() -> None:
    """The check does not apply there."""
    assert isinstance(run(hsts, page("max-age=31536000", url="http://example.com/")), NotApplicable)


def test_header_of_a_redirect_does_not_count() -> None:
    """It may be about another host."""
    hop = make_response(
        url="https://example.com/", status=301, headers=(("Strict-Transport-Security", "max-age=31536000"),)
    )

    assert outcome(hsts, make_artifacts(url="https://www.example.com/", hops=[hop])).state == "missing"


def test_host_that_is_an_address_does_not_apply() -> None:
    """Browsers keep the promise for names only."""
    assert isinstance(run(hsts, page(url="https://192.0.2.1/")), NotApplicable)


def test_own_header_comes_before_the_preloaded_suffix() -> None:
    """A host that does both is strong by itself."""
    assert outcome(hsts, page("max-age=31536000", url="https://example.dev/")).state == "strong"


def test_unreadable_header_comes_before_a_meta_element() -> None:
    """The header is the one to fix."""
    html = '<meta http-equiv="Strict-Transport-Security" content="max-age=31536000">'

    assert outcome(hsts, page("nonsense", html=html)).state == "unreadable"
