"""Monitors, and the silences about them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from pagegrade.model.monitors import Budget as StoredBudget
from pagegrade.model.monitors import Monitor as StoredMonitor
from pagegrade.model.monitors import Remind
from pagegrade.model.monitors import Silence as StoredSilence
from pagegrade.model.schema import Timestamp, about
from pagegrade.report.serialize import Analysis, timestamp
from pagegrade.web.schemas.envelope import Answer, CursorListAnswer, Deleted
from pagegrade.web.schemas.shape import Document


class Budget(Document, frozen=True, kw_only=True):
    """A condition that is a breach when it holds."""

    condition: Annotated[str, about("The condition, in its shortest form.", "score<80")]
    state: Annotated[
        Literal["ok", "breached", "unknown"], about("State; `unknown` until a run has evaluated it.", "ok")
    ]
    since: Annotated[Timestamp | None, about("Time of the run that brought it there.", "2026-01-05T12:34:56.789Z")]
    analysis: Annotated[
        Analysis | None,
        about(
            "The engine of the last run that it was evaluated on; null before. The first run of another engine, "
            "device or ruleset crosses nothing."
        ),
    ]
    unmeasured_since: Annotated[
        Timestamp | None,
        about("Since when runs could not measure it, because there was no browser; null: the last run did.", None),
    ]


class Monitor(Document, frozen=True, kw_only=True):
    """A schedule for one report or site audit."""

    id: Annotated[int, about("Grows with every new monitor; never used again.", 7, minimum=1)]
    object: Annotated[Literal["monitor"], about("The kind of object.", "monitor")]
    report_id: Annotated[int | None, about("The report that is analyzed again; null: it is for an audit.", 1042)]
    audit_id: Annotated[int | None, about("The audit whose site is crawled again; null: it is for a report.", None, 12)]
    schedule: Annotated[str, about("hourly, daily, weekly, monthly, or a cron expression of five fields.", "daily")]
    timezone: Annotated[str, about("IANA name of the zone in which the schedule is read.", "Europe/Prague")]
    budgets: Annotated[list[Budget], about("Evaluated after each run of the report, or each crawl of the audit.")]
    paused: Annotated[bool, about("Nothing is due and no budget is evaluated.", False)]  # noqa: FBT003
    remind: Annotated[Remind, about("How often it is said again that the page is still bad.", "weekly")]
    next_run_at: Annotated[
        Timestamp | None, about("The next due time; null while it is paused.", "2026-01-06T03:17:12.000Z")
    ]
    last_run_at: Annotated[
        Timestamp | None, about("Time its last run was queued; null before the first.", "2026-01-05T03:17:14.120Z")
    ]
    unreachable_since: Annotated[
        Timestamp | None,
        about("Since when the page cannot be reached, after two failed analyses in a row; null: it can.", None),
    ]
    created_at: Annotated[Timestamp, about("Time of its creation.", "2026-01-02T08:00:00.000Z")]
    updated_at: Annotated[Timestamp, about("Time of its last change.", "2026-01-05T12:34:56.789Z")]


class MonitorAnswer(Answer, frozen=True, kw_only=True):
    """One monitor."""

    data: Annotated[Monitor, about("The monitor.")]


class MonitorList(CursorListAnswer, frozen=True, kw_only=True):
    """Monitors."""

    data: Annotated[list[Monitor], about("The monitors of this page.")]


class DeletedMonitor(Deleted, frozen=True, kw_only=True):
    """Confirmation that a monitor was deleted; its report or audit is kept."""

    id: Annotated[int, about("The deleted monitor.", 7, minimum=1)]
    object: Annotated[Literal["monitor"], about("The kind of object.", "monitor")] = "monitor"


def monitor_object(monitor: StoredMonitor) -> bytes:
    """The JSON object of a monitor."""
    return msgspec.json.encode(
        Monitor(
            id=monitor.id,
            object="monitor",
            report_id=monitor.report_id,
            audit_id=monitor.audit_id,
            schedule=monitor.schedule,
            timezone=monitor.timezone,
            budgets=[_budget(budget) for budget in monitor.budgets],
            paused=monitor.paused,
            remind=monitor.remind,
            next_run_at=timestamp(monitor.next_run_at_ms),
            last_run_at=timestamp(monitor.last_run_at_ms),
            unreachable_since=timestamp(monitor.unreachable_since_ms),
            created_at=timestamp(monitor.created_at_ms),
            updated_at=timestamp(monitor.updated_at_ms),
        )
    )


def _budget(budget: StoredBudget) -> Budget:
    basis = budget.basis
    return Budget(
        condition=budget.condition,
        state=budget.state,
        since=timestamp(budget.since_ms),
        analysis=None if basis is None else Analysis(engine=basis.engine, device=basis.device),
        unmeasured_since=timestamp(budget.unmeasured_since_ms),
    )


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
