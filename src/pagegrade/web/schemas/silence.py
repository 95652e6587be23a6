"""Silences."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from pagegrade.model.monitors import Silence as StoredSilence
from pagegrade.model.schema import Timestamp, about
from pagegrade.report.serialize import timestamp
from pagegrade.web.schemas.envelope import Answer, CursorListAnswer, Deleted
from pagegrade.web.schemas.shape import Document


class Silence(Document, frozen=True, kw_only=True):
    """A time in which people get no messages about one monitor or one site."""

    id: Annotated[int, about("Grows with every new silence; never used again.", 4, minimum=1)]
    object: Annotated[Literal["silence"], about("The kind of object.", "silence")]
    monitor_id: Annotated[int | None, about("The monitor it is about; null: a site.", 7)]
    project: Annotated[str | None, about("The site it is about; null: a monitor.", None, "example.com")]
    reason: Annotated[str, about("Reason for it.", "The shop moves to another server.")]
    author: Annotated[str, about("Present name of the person or the key; empty: it is gone.", "Example")]
    until: Annotated[Timestamp, about("Its end.", "2026-01-06T08:00:00.000Z")]
    created_at: Annotated[Timestamp, about("Its beginning.", "2026-01-05T12:34:56.789Z")]


class SilenceAnswer(Answer, frozen=True, kw_only=True):
    """One silence."""

    data: Annotated[Silence, about("The silence.")]


class SilenceList(CursorListAnswer, frozen=True, kw_only=True):
    """Silences."""

    data: Annotated[list[Silence], about("The silences of this page.")]


class EndedSilence(Deleted, frozen=True, kw_only=True):
    """Confirmation that a silence was ended."""

    id: Annotated[int, about("The ended silence.", 4, minimum=1)]
    object: Annotated[Literal["silence"], about("The kind of object.", "silence")] = "silence"


def silence_object(silence: StoredSilence) -> bytes:
    """The JSON object of a silence."""
    return msgspec.json.encode(
        Silence(
            id=silence.id,
            object="silence",
            monitor_id=silence.monitor_id,
            project=silence.project or None,
            reason=silence.reason,
            author=silence.author,
            until=timestamp(silence.until_ms),
            created_at=timestamp(silence.created_at_ms),
        )
    )
