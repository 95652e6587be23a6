"""Monitors, which make reports and audits again on a schedule and evaluate budgets, and silences about them."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from pagegrade.model.report import Basis

BudgetState = Literal["unknown", "ok", "breached"]
CrossingKind = Literal["regressed", "recovered", "unreachable"]
Remind = Literal["never", "daily", "weekly"]
REMIND_MS: Final[dict[Remind, int]] = {"daily": 86_400_000, "weekly": 7 * 86_400_000}
"""Time after which people are told again; ``never`` has none."""
MAX_BUDGETS: Final = 20
"""Of one monitor."""
MAX_CONDITION: Final = 100
"""Characters of a condition."""
MAX_SCHEDULE: Final = 100
"""Characters of a schedule."""
MIN_INTERVAL_MS: Final = 600_000
"""Between two due times of a monitor."""
UNREACHABLE_AFTER: Final = 2
"""Analyses in a row that could not reach the page, after which it counts as unreachable."""
MAX_JITTER: Final = 1 << 31
"""Jitters are below."""


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """A condition that is a breach when it holds, and where it stands."""

    condition: str
    """As ``report.gates.parse_condition`` reads it for a report or an audit, in its canonical form."""
    state: BudgetState = "unknown"
    since_ms: int | None = None
    """Time of the run that brought it into this state; ``None`` while it is unknown."""
    in_a_row: int = 0
    """Runs that held the condition since the last one that did not; 0 unless that may become a breach."""
    basis: Basis | None = None
    """Of the last run that it was evaluated on; ``None`` before, and in budgets from before this was kept."""
    unmeasured_since_ms: int | None = None
    """Time of the first of the last runs that could not measure it, because there was no browser; ``None``: the last
    one did."""


class PageSet(msgspec.Struct, frozen=True, kw_only=True):
    """Pages that are looked up each time a monitor of them is due."""

    kind: Literal["project", "sitemap", "tag"]
    value: str
    """Name of the project, URL of the sitemap, or tag of projects."""


MAX_PAGES: Final = 500
"""Of one monitor."""
DIGEST_MS: Final = 900_000
"""People get one message about the pages of one monitor for each such time since these became due."""


class Monitor(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule for one report, audit or set of pages, with budgets. A run of an audit is a crawl of its site.

    A monitor of a set of pages has one for each of them, with the same schedule and jitter, so that these are due
    together; it only keeps to the set.
    """

    id: int
    account_id: int
    report_id: int | None
    schedule: str
    """``hourly``, ``daily``, ``weekly``, ``monthly`` or a cron expression of five fields."""
    timezone: str
    """IANA name of the zone in which the schedule is read."""
    jitter: int
    """0 to ``MAX_JITTER`` - 1, drawn once: spreads the due times of monitors with the same schedule."""
    budgets: tuple[Budget, ...]
    paused: bool
    due_at_ms: int
    """The next due time; while the monitor is paused, the one at which it was paused."""
    last_due_at_ms: int | None
    """The last due time for which a run was queued."""
    last_run_at_ms: int | None
    """When that run was queued."""
    failures: int
    """Runs in a row that could not reach the page, at most ``UNREACHABLE_AFTER``."""
    unreachable_since_ms: int | None
    """Since when the page counts as unreachable; ``None``: it does not."""
    created_at_ms: int
    updated_at_ms: int
    revision: int
    """Grows with every change."""
    audit_id: int | None = None
    """Without ``report_id``."""
    remind: Remind = "never"
    """Interval at which people are told again that it is still bad."""
    pages: PageSet | None = None
    """Without ``report_id`` and ``audit_id``."""
    parent_id: int | None = None
    """The monitor of a set of pages that this one, of a page of it, belongs to."""
    pages_found: int | None = None
    """Pages that the set had when it was looked up last; ``None``: it was not yet, or there is no set."""
    told_at_ms: int | None = None
    """Time of the last message that it is bad; 0: a silence kept that from people; ``None``: it is not, or nothing was
    to be said of it."""

    @property
    def is_unmeasured(self) -> bool:
        """True if the last run could not measure a budget, because there was no browser."""
        return any(budget.unmeasured_since_ms is not None for budget in self.budgets)

    @property
    def next_run_at_ms(self) -> int | None:
        """The next due time; ``None`` while the monitor is paused."""
        return None if self.paused else self.due_at_ms


class BudgetChange(msgspec.Struct, frozen=True, kw_only=True):
    """A budget that was breached, or kept again, by one run."""

    condition: str
    value: float | str | None
    """The figure of the run; ``None`` for a check, and where the report has none."""
    limit: float | str | None
    """That it was compared with."""


class Crossing(msgspec.Struct, frozen=True, kw_only=True):
    """A run at which something of a monitor changed for the worse or the better."""

    run_number: int
    kind: CrossingKind
    at_ms: int
    monitor_id: int
    report_id: int
    budgets: tuple[BudgetChange, ...] = ()
    """Empty for ``unreachable``, and for ``recovered`` where the page is reachable again and nothing else changed."""


MAX_SILENCES: Final = 100
"""Of an account at the same time."""
MAX_REASON: Final = 500
LONGEST_MS: Final = 90 * 86_400_000
"""From its beginning to its end."""


class Silence(msgspec.Struct, frozen=True, kw_only=True):
    """A time in which events of one monitor, or of one site, become no messages."""

    id: int
    monitor_id: int | None
    """``None``: it is about a site."""
    project: str
    """The site; empty: it is about a monitor."""
    reason: str
    author: str
    """Name that the person, or the key, has now; empty if there is none any more."""
    until_ms: int
    created_at_ms: int
