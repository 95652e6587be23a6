"""Holds that a check lists the offenders of its milder states beside those of the worst one."""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.builders import outcome

CELLS = "".join(f"<tr><td>{row}a<td>{row}b" for row in range(3))
FAULTS: dict[str, dict[str, str]] = {
    "aria-attr-value": {
        "invalid": "<div role=checkbox aria-checked=maybe aria-label=a>x</div>",
        "unresolved": "<p aria-describedby=nowhere>x</p>",
    },
    "aria-allowed-attr": {
        "unfitting": "<a href=/ aria-checked=true>x</a>",
        "unheard": "<div aria-label=a>x</div>",
    },
    "aria-name": {
        "nameless": "<div role=slider></div>",
        "unnamed_groups": "<div role=tree></div>",
    },
    "duplicate-id": {
        "ambiguous": "<a href=#a>x</a><p id=a>x<p id=a>x",
        "unused": "<p id=b>x<p id=b>x",
    },
    "table-headers": {
        "broken": "<table><tr><th scope=nowhere>h<th>i<tr><td>a<td>b</table>",
        "unmarked": f"<table><caption>c</caption>{CELLS}</table>",
        "partial": "<table><caption>c</caption><tr><th>h<td>x<tr><td>a<td>b</table>",
    },
}
"""Check -> its failing states, worst first, with a part of a page that brings each."""
PAIRS = [(check, one, other) for check, states in FAULTS.items() for one, other in permutations(states, 2)]


@pytest.mark.parametrize(("check", "state"), [(check, state) for check, states in FAULTS.items() for state in states])
def test_each_part_brings_its_state(check: str, state: str) -> None:
    """Alone on a page."""
    assert outcome(check, FAULTS[check][state]).state == state


@pytest.mark.parametrize(("check", "one", "other"), PAIRS)
def test_both_faults_of_a_page_are_listed(check: str, one: str, other: str) -> None:
    """In any order: the worst gives the state, and the evidence of both is there."""
    states = FAULTS[check]
    reasons = {state: [place.reason for place in outcome(check, states[state]).evidence] for state in (one, other)}
    both = outcome(check, states[one] + states[other])

    assert both.state == min(one, other, key=list(states).index)
    assert sorted(place.reason for place in both.evidence) == sorted((*reasons[one], *reasons[other]))
    assert both.total == len(both.evidence)
    assert both.count == len(reasons[both.state])


def test_all_wrong_language_versions_are_listed() -> None:
    """The worst fault gives the state; the links of the milder ones follow, each with its reason."""
    links = (
        '<link rel="alternate" hreflang="english" href="https://example.com/en">'
        '<link rel="alternate" hreflang="de" href="/de">'
        '<link rel="alternate" hreflang="es-419" href="https://example.com/es">'
        '<link rel="alternate" hreflang="fr" href="https://example.com/fr">'
        '<link rel="alternate" hreflang="fr" href="https://example.com/fr2">'
    )
    found = outcome("hreflang", f"<!doctype html><head>{links}</head>")

    assert (found.state, found.count, found.total) == ("invalid_code", 1, 5)
    assert [place.reason for place in found.evidence] == [
        "Not a valid code.",
        "Not an absolute URL with scheme and host.",
        "Search engines know countries only.",
        "Another link has the same code.",
        "Another link has the same code.",
    ]
