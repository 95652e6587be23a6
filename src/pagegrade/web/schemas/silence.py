"""Silences."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pagegrade.model.silences import Silence as StoredSilence
from pagegrade.report.serialize import timestamp
from pagegrade.web.schemas.envelope import Answer, CursorListAnswer, Deleted
from pagegrade.web.schemas.shape import Document, Timestamp, about


class Silence(Document):
    """A time in which people get no messages about one monitor or one site."""

    id: int = about("Grows with every new silence; never used again.", 4, ge=1)
    object: Literal["silence"] = about("The kind of object.", "silence")
    monitor_id: int | None = about("The monitor it is about; null: a site.", 7)
    project: str | None = about("The site it is about; null: a monitor.", None, "example.com")
    reason: str = about("Reason for it.", "The shop moves to another server.")
    author: str = about("Present name of the person or the key; empty: it is gone.", "Example")
    until: Timestamp = about("Its end.", "2026-01-06T08:00:00.000Z")
    created_at: Timestamp = about("Its beginning.", "2026-01-05T12:34:56.789Z")


class SilenceAnswer(Answer):
    """One silence."""

    data: Silence = about("The silence.")


class SilenceList(CursorListAnswer):
    """Silences."""

    data: list[Silence] = about("The silences of this page.")


class EndedSilence(Deleted):
    """Confirmation that a silence was ended."""

    id: int = about("The ended silence.", 4, ge=1)
    object: Literal["silence"] = about("The kind of object.", "silence")


def silence_object(silence: StoredSilence) -> bytes:
    """The JSON object of a silence."""
    members: dict[str, Any] = {
        "id": silence.id,
        "object": "silence",
        "monitor_id": silence.monitor_id,
        "project": silence.project or None,
        "reason": silence.reason,
        "author": silence.author,
        "until": timestamp(silence.until_ms),
        "created_at": timestamp(silence.created_at_ms),
    }
    return msgspec.json.encode(members)
