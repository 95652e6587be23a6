"""Tests of the check script-rules."""

from __future__ import annotations

import pytest

from pagegrade.checks.technical.script_rules import script_rules
from pagegrade.model.outcome import NotApplicable
from tests.builders import make_artifacts, outcome, run

GOOD_MAP = '<script type="importmap">{"imports": {"a": "/a.js"}}</script>'
GOOD_RULES = '<script type="speculationrules">{"prefetch": [{"urls": ["/a"]}]}</script>'


@pytest.mark.parametrize(
    ("html", "state"),
    [
        (GOOD_MAP + GOOD_RULES, "read"),
        ('<script type="IMPORTMAP">{"imports": {}}</script>', "read"),
        ('<script type="importmap">{"imports": {"a": "/a.js",}}</script>', "map"),
        ('<script type="importmap" src="/map.json"></script>', "map"),
        ('<script type="importmap">{"imports": {"a": "a.js"}}</script>', "map_parts"),
        ('<script type="speculationrules">{"prefetch": [{"url": "/a"}]}</script>', "rules"),
        ('<script type="speculationrules" src="/rules.json"></script>', "rules"),
        (GOOD_MAP + '<script type="speculationrules">{</script>', "rules"),
    ],
)
def test_scripts_are_read_as_browsers_read_them(html: str, state: str) -> None:
    """Maps matter more than rules; neither is read from a file."""
    assert outcome(script_rules, f"<!doctype html><title>T</title>{html}").state == state


def test_the_worst_decides_and_all_are_listed() -> None:
    """Other states stand at their entries."""
    html = '<script type="speculationrules">{</script><script type="importmap">[]</script>'
    found = outcome(script_rules, f"<!doctype html><title>T</title>{html}")

    assert found.state == "map"
    assert [entry.state for entry in found.evidence] == ["", "rules"]


def test_pages_without_such_scripts_are_not_evaluated() -> None:
    """Other JSON is no business of the browser."""
    html = '<!doctype html><title>T</title><script type="application/json">{</script>'

    assert isinstance(run(script_rules, html), NotApplicable)


@pytest.mark.parametrize(
    ("header", "state"),
    [
        ('"/rules.json"', "read"),
        ('"/a.json", "https://cdn.example/b.json"', "read"),
        ("/rules.json", "rules"),
        ("'/rules.json'", "rules"),
        ("rules.json", "rules"),
        ('"/a.json", b.json', "rules"),
    ],
)
def test_urls_in_the_header_are_quoted(header: str, state: str) -> None:
    """It is a structured field, whose texts stand in double quotes; a word beside them is skipped alone."""
    found = outcome(
        script_rules, make_artifacts("<!doctype html><title>T</title>", headers=[("Speculation-Rules", header)])
    )

    assert (found.state, [entry.header for entry in found.evidence]) == (
        state,
        ["Speculation-Rules"] if state == "rules" else [],
    )
