"""Ignore rules."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pagegrade.model.ignores import StoredIgnore
from pagegrade.report.serialize import format_timestamp, timestamp
from pagegrade.web.schemas.envelope import Answer, CursorListAnswer, Deleted
from pagegrade.web.schemas.shape import Count, Document, Timestamp, about


class Ignore(Document):
    """Findings of one check that cost nothing."""

    id: int = about("Grows with every new rule; never used again.", 12, ge=1)
    object: Literal["ignore"] = about("The kind of object.", "ignore")
    check: str = about("Id of the check.", "image-alt")
    report_id: int | None = about("The one report it is for; null: those of its project, or all.", 1042)
    project: str | None = about("The one project it is for; null: all.", None, "example.com")
    selector: str | None = about("Only places in elements that match; null: all.", ".banner img")
    url_pattern: str | None = about("Only places that name a matching URL; null: all.", None, "https://cdn.example/*")
    state: str | None = about("The worst state of the check that is ignored; null: any.", "missing")
    places: Count | None = about("The most places that are ignored; null: any number.", 2)
    reason: str = about("Reason to ignore the finding.", "The banner is replaced in May.")
    author: str = about("Name of the account that made it.", "Example")
    expires_at: Timestamp | None = about("From then on findings count again; null: never.", "2027-05-01T00:00:00.000Z")
    created_at: Timestamp = about("Time of its creation.", "2026-01-05T12:34:56.789Z")


class IgnoreAnswer(Answer):
    """One ignore rule."""

    data: Ignore = about("The rule.")


class IgnoreList(CursorListAnswer):
    """Ignore rules."""

    data: list[Ignore] = about("The rules of this page.")


class DeletedIgnore(Deleted):
    """Confirmation that an ignore rule was deleted."""

    id: int = about("The deleted rule.", 12, ge=1)
    object: Literal["ignore"] = about("The kind of object.", "ignore")


def ignore_object(stored: StoredIgnore) -> bytes:
    """The JSON object of a rule."""
    rule = stored.rule
    members: dict[str, Any] = {
        "id": rule.id,
        "object": "ignore",
        "check": rule.check,
        "report_id": stored.report_id,
        "project": rule.project or None,
        "selector": rule.selector or None,
        "url_pattern": rule.url_pattern or None,
        "state": rule.state,
        "places": rule.places,
        "reason": rule.reason,
        "author": rule.author,
        "expires_at": None if rule.expires_at is None else format_timestamp(rule.expires_at),
        "created_at": timestamp(stored.created_at_ms),
    }
    return msgspec.json.encode(members)
