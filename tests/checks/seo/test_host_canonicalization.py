"""The traps of ``host-canonicalization``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagegrade.checks._check import Verdict
from pagegrade.model.artifacts import NotGathered, WellKnown
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import make_artifacts, make_response, make_well_known, outcome, run

PAGE = "<!doctype html><title>Shop</title><h1>Chairs</h1><p>Made of teak.<p>Made of oak.<p>Made of ash."


def probe(*way: tuple[str, int], body: str = PAGE) -> WellKnown:
    """The answers on the way from the other name, the last one with a body."""
    hops = [make_response(url=url, status=status) for url, status in way[:-1]]
    url, status = way[-1]
    known = make_well_known(body, url=url, hops=hops, status=status)
    return WellKnown(requested_url=way[0][0], hops=known.hops, response=known.response)


WWW = "https://www.example.com/"
OWN = "https://example.com/"


@pytest.mark.parametrize(
    ("way", "state"),
    [
        ([(WWW, 301), (OWN, 200)], "one"),
        ([(WWW, 308), (OWN, 200)], "one"),
        ([(WWW, 301), (OWN, 302), (OWN + "de/", 200)], "one"),
        ([(WWW, 301), (OWN, 404)], "one"),
        ([(WWW, 302), (OWN, 200)], "temporary"),
        ([(WWW, 307), (OWN, 200)], "temporary"),
        ([(WWW, 301), ("http://example.com/", 301), (OWN, 200)], "chain"),
        ([(WWW, 301), (WWW + "en", 301), (OWN, 200)], "chain"),
        ([(WWW, 301), ("https://parked.example/", 200)], "one"),
        ([(WWW, 404)], "one"),
        ([(WWW, 421)], "one"),
        ([(WWW, 200)], "duplicate"),
        ([(WWW, 301), (WWW + "de/", 200)], "both"),
    ],
)
def test_ways_from_the_other_name(way: Sequence[tuple[str, int]], state: str) -> None:
    """The way after the right name is reached does not concern names."""
    assert outcome("host-canonicalization", PAGE, sibling_probe=probe(*way)).state == state


def test_same_pages_differ_in_small_things() -> None:
    """A nonce or a date is no other page; another site is."""
    other = PAGE.replace("oak", "elm")
    parked = "<title>Parked</title><p>Buy this name"

    assert outcome("host-canonicalization", PAGE, sibling_probe=probe((WWW, 200), body=other)).state == "duplicate"
    assert outcome("host-canonicalization", PAGE, sibling_probe=probe((WWW, 200), body=parked)).state == "one"


def test_a_deeper_page_cannot_be_compared() -> None:
    """Both names answer, which is a warning."""
    page = make_artifacts(PAGE, url=OWN + "chairs", sibling_probe=probe((WWW, 200)))

    assert outcome("host-canonicalization", page).state == "both"


def missing(code: str) -> Verdict:
    """The message where the other name gave no answer."""
    return run("host-canonicalization", PAGE, sibling_probe=NotGathered(code=code))


def test_no_answer() -> None:
    """A name that does not exist is fine; what could not be asked is not evaluated."""
    assert outcome("host-canonicalization", PAGE, sibling_probe=NotGathered(code="dns")).state == "one"
    assert isinstance(missing("not_applicable"), NotApplicable)
    assert isinstance(missing("timeout"), NotRun)


@pytest.mark.parametrize("status", [403, 429, 503])
def test_a_firewall_is_no_verdict(status: int) -> None:
    """It is about us, not about visitors."""
    assert isinstance(run("host-canonicalization", PAGE, sibling_probe=probe((WWW, status))), NotRun)
