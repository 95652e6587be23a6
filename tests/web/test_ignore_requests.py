"""Ignore rules as requests send them."""

from __future__ import annotations

from typing import Any

import pytest

from pagegrade.model.errors import ValidationFailed, Violation
from pagegrade.web.ignore_requests import read_rule
from pagegrade.web.parameters import CreateIgnoreBody

NOW_MS = 1_767_225_600_000


def body(**more: object) -> CreateIgnoreBody:
    """A body as it was read."""
    values: dict[str, Any] = {**dict.fromkeys(CreateIgnoreBody.model_fields), "check": "title", "reason": "later"}
    return CreateIgnoreBody.model_construct(None, **{**values, **more})


def test_a_rule_is_read_with_its_project_and_expiry() -> None:
    """The project as reports have it, the time with its zone."""
    rule = read_rule(body(project="HTTPS://Shop.Example/x", expires_at=NOW_MS + 1_500), [], NOW_MS)

    assert (rule.check, rule.reason, rule.project) == ("title", "later", "shop.example")
    assert rule.expires_at is not None
    assert rule.expires_at.timestamp() * 1000 == NOW_MS + 1_500


@pytest.mark.parametrize(
    ("more", "field", "code"),
    [
        ({"project": "a b"}, "project", "invalid"),
        ({"project": "shop.example", "report_id": 7}, "project", "not_with_report_id"),
        ({"expires_at": NOW_MS}, "expires_at", "past"),
        ({"check": "none"}, "check", "unknown"),
        ({"reason": ""}, "reason", "required"),
    ],
)
def test_what_cannot_be_used_is_named(more: dict[str, object], field: str, code: str) -> None:
    """By its field and a code."""
    with pytest.raises(ValidationFailed) as failed:
        read_rule(body(**more), [], NOW_MS)

    assert [(found.field, found.code) for found in failed.value.violations] == [(field, code)]


def test_a_field_that_was_refused_already_is_refused_once() -> None:
    """The first reason stands."""
    first = Violation(field="reason", place="body", code="too_long", message="At most 500 characters.")
    with pytest.raises(ValidationFailed) as failed:
        read_rule(body(reason=""), [first], NOW_MS)

    assert list(failed.value.violations) == [first]
