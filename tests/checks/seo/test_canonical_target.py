"""The traps of ``canonical-target``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.checks._check import Verdict
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import make_artifacts, make_response, make_well_known, run

OWN = "https://example.com/shoes"


def found(*targets: str, robots: str = "User-agent: *\nDisallow: /cart", **more: Any) -> Verdict:
    """The finding of the check for a page with those canonical addresses."""
    links = "".join(f'<link rel="canonical" href="{target}">' for target in targets)
    robots_txt = make_well_known(robots, url="https://example.com/robots.txt")
    page = make_artifacts(f"<!doctype html><title>T</title>{links}", url=OWN, robots_txt=robots_txt, **more)
    return run("canonical-target", page)


def state(verdict: Verdict) -> str:
    """The state of a verdict that evaluated."""
    assert isinstance(verdict, Outcome)
    return verdict.state


def test_the_page_itself_is_reachable() -> None:
    """A fragment and repetition do not matter; that robots.txt bars the page is said by another check."""
    assert state(found(OWN)) == "reachable"
    assert state(found(OWN + "#top", OWN)) == "reachable"
    assert state(found(OWN, robots="User-agent: *\nDisallow: /")) == "reachable"


@pytest.mark.parametrize("targets", [(), (OWN, "https://example.com/other"), ("https://[",), ("mailto:a@example.com",)])
def test_without_one_address_there_is_nothing_to_evaluate(targets: tuple[str, ...]) -> None:
    """None, several and unreadable ones are the business of another check."""
    assert isinstance(found(*targets), NotApplicable)


def test_an_address_that_led_here_by_a_redirect() -> None:
    """The page was asked for under its canonical address, which sends visitors on."""
    hop = make_response(url="https://example.com/old", status=301, headers=[("Location", OWN)])

    assert state(found("https://example.com/old", hops=[hop])) == "redirects"


def test_addresses_that_the_probes_know() -> None:
    """Plain HTTP and the other name were asked for anyway."""
    plain = make_well_known(url=OWN, hops=[make_response(url="http://example.com/", status=301)])
    gone = make_well_known(url="https://www.example.com/", status=404)
    barred = make_well_known(url="https://www.example.com/", status=403)

    assert state(found("http://example.com/", insecure_probe=plain)) == "redirects"
    assert state(found("https://www.example.com/", sibling_probe=gone)) == "broken"
    assert isinstance(found("https://www.example.com/", sibling_probe=barred), NotRun)


def test_robots_of_this_host_alone() -> None:
    """The file of one host says nothing of another, nor of another scheme."""
    assert state(found("https://example.com/cart/1")) == "barred"
    assert isinstance(found("https://www.example.com/cart/1"), NotRun)
    assert isinstance(found("http://example.com/cart/1"), NotRun)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"status": 404}, "broken"),
        ({"status": 410}, "broken"),
        ({"status": 401}, "locked"),
        ({"body": "<title>All</title><p>Shoes"}, "reachable"),
        ({"body": "<meta name=robots content=noindex><p>Shoes"}, "noindex"),
        ({"body": "<meta name=googlebot-news content=noindex><p>Shoes"}, "reachable"),
        ({"headers": [("Content-Type", "text/html"), ("X-Robots-Tag", "none")]}, "noindex"),
    ],
)
def test_what_answers_at_the_canonical_url(answer: dict[str, Any], expected: str) -> None:
    """Whatever keeps that page out of search keeps this one out as well."""
    url = "https://example.com/all-shoes"

    assert state(found(url, canonical_probe=make_well_known(url=url, **answer))) == expected


@pytest.mark.parametrize(
    ("end", "status", "expected"),
    [
        ("https://www.example.com/shoes/", 200, "redirects"),
        ("https://example.com/", 200, "moved"),
        ("https://example.com/gone", 404, "broken"),
    ],
)
def test_where_a_canonical_url_redirects_to(end: str, status: int, expected: str) -> None:
    """Back to this page costs little, and to another page what noindex costs."""
    url = "https://example.com/old"
    hop = make_response(url=url, status=301, headers=[("Location", end)])
    probe = replace(make_well_known(url=end, status=status, hops=[hop]), requested_url=url)

    assert state(found(url, canonical_probe=probe)) == expected


def test_an_error_of_the_server_and_a_refusal_say_nothing_about_the_page() -> None:
    """They may pass."""
    url = "https://example.com/all-shoes"

    assert isinstance(found(url, canonical_probe=make_well_known(url=url, status=503)), NotRun)


def test_a_host_that_does_not_exist() -> None:
    """Only the answer that there is no such name says so: other faults of the look-up may pass."""
    url = "https://dev.example.com/shoes"
    nowhere = NotGathered(code="dns", reason="dns_nxdomain")

    assert state(found(url, canonical_probe=nowhere)) == "unresolved"
    assert isinstance(found(url, canonical_probe=NotGathered(code="dns", reason="dns_timeout")), NotRun)
    assert isinstance(found(url, canonical_probe=NotGathered(code="connect", reason="connect_refused")), NotRun)


def test_what_was_not_fetched_is_not_evaluated() -> None:
    """It may be fine."""
    assert isinstance(found("https://example.com/all-shoes"), NotRun)
