"""The JSON object of an ignore rule."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from pagegrade.model.ignores import IgnoreRule, StoredIgnore
from pagegrade.web.schemas.ignore import Ignore, ignore_object


def test_what_a_rule_does_not_limit_is_null() -> None:
    """Every member of the description is there, in its order."""
    rule = IgnoreRule(id=12, check="image-alt", reason="Known.", author="Ann")
    members = msgspec.json.decode(ignore_object(StoredIgnore(rule=rule, report_id=None, created_at_ms=0)))

    assert list(members) == list(Ignore.model_fields)
    assert {name for name, value in members.items() if value is None} == {
        *("report_id", "project", "selector", "url_pattern", "state", "places", "expires_at"),
    }


def test_moments_are_in_utc_with_milliseconds() -> None:
    """As everywhere in the API."""
    moment = datetime(2027, 5, 1, 2, 3, 4, 5_000, tzinfo=UTC)
    rule = IgnoreRule(id=12, check="image-alt", reason="Known.", expires_at=moment)
    members = msgspec.json.decode(ignore_object(StoredIgnore(rule=rule, report_id=7, created_at_ms=1)))

    assert (members["expires_at"], members["created_at"]) == ("2027-05-01T02:03:04.005Z", "1970-01-01T00:00:00.001Z")
