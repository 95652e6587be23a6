"""Validation of ignore rules."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.model.outcome import MAX_REASON, MAX_SELECTOR, MAX_URL_PATTERN, IgnoreRule
from pagegrade.service.ignores.validation import find_violations

RULE = IgnoreRule(check="image-alt", reason="Known.")


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"state": "missing"},
        {"selector": ".banner img"},
        {"selector": "html > body > img:nth-of-type(2)"},
        {"selector": "#logo > img"},
        {"url_pattern": "*"},
        {"reason": "x" * MAX_REASON, "selector": "x" * MAX_SELECTOR, "url_pattern": "x" * MAX_URL_PATTERN},
    ],
)
def test_a_rule_that_can_be_used_has_no_violations(change: dict[str, Any]) -> None:
    """Selectors are our own kind, or such as a report shows them."""
    assert find_violations(replace(RULE, **change)) == []


@pytest.mark.parametrize(
    ("change", "field", "code"),
    [
        ({"check": "no-such-check"}, "check", "unknown"),
        ({"check": ""}, "check", "unknown"),
        ({"state": "no_such_state"}, "state", "unknown"),
        ({"reason": "  "}, "reason", "required"),
        ({"reason": "x" * (MAX_REASON + 1)}, "reason", "too_long"),
        ({"selector": "x" * (MAX_SELECTOR + 1)}, "selector", "too_long"),
        ({"selector": "a:hover"}, "selector", "invalid"),
        ({"url_pattern": "x" * (MAX_URL_PATTERN + 1)}, "url_pattern", "too_long"),
    ],
)
def test_what_cannot_be_used_is_named(change: dict[str, Any], field: str, code: str) -> None:
    """Once each."""
    assert [(one.field, one.code) for one in find_violations(replace(RULE, **change))] == [(field, code)]
