"""Tests of the rules for crawlers that a page carries."""

from __future__ import annotations

from pagegrade.checks._robots_rules import placed_rules
from tests.builders import make_document, make_response


def test_rules_with_their_places() -> None:
    """Tags come first, then headers; each says how it is written and for whom."""
    document = make_document('<meta name="robots" content="NoIndex"><meta name="bingbot" content="max-snippet:5">')
    response = make_response(headers=[("x-robots-tag", "googlebot: nofollow")])
    rules = list(placed_rules(document, response))

    assert [rule.text for rule in rules] == ["noindex", "bingbot: max-snippet: 5", "googlebot: nofollow"]
    assert rules[0].written == "noindex"
    assert [rule.evidence(document).header for rule in rules] == ["", "", "X-Robots-Tag"]
    assert rules[2].evidence(document).reason == "Declares nofollow to googlebot."
