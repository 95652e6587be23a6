"""A service without its web: Alice's and Bob's accounts on a real database."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from pagegrade.model.account import Account, Caller, Key
from pagegrade.model.stored import PackedReport
from pagegrade.report.codec import pack_report
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.operations import (
    Stored,
    create_report,
    delete_report,
    show_report,
    update_report,
)
from pagegrade.service.reports.validation import read_change, read_new_report
from pagegrade.store.engine.database import Database
from pagegrade.store.queue.claim import claim_runs
from pagegrade.store.queue.runs import finish_run
from pagegrade.web.schemas.report import report_object
from tests.report_builders import make_report
from tests.store_builders import NOW_MS


def caller_of(account: Account) -> Caller:
    """A caller with a key of the account."""
    key = Key(id=1, account_id=account.id, name="", prefix="", scopes=(), created_at_ms=NOW_MS)
    return Caller(account=account, key=key)


@dataclass
class Instance:
    """A service without its web."""

    database: Database
    alice: Caller
    bob: Caller
    options: ServiceOptions = field(default_factory=ServiceOptions)
    now_ms: int = NOW_MS

    def create(
        self,
        url: str = "https://example.com/",
        privacy: int = 0,
        password: str | None = None,
        who: Caller | None = None,
        **engine: Any,
    ) -> Stored:
        """A new report; its hash is the password with a mark."""
        who = who or self.alice
        new_report = read_new_report(
            url, privacy=privacy, password=password, account=who.account, options=self.options, **engine
        )
        hashed = None if new_report.password is None else f"hash of {new_report.password}"
        return self.database.write_here(
            lambda tx: create_report(tx, who, new_report, self.options, self.now_ms, password_hash=hashed)
        )

    def update(self, report_id: int, who: Caller | None = None, **fields: Any) -> Stored:
        """Change a report; the hash is the password with a mark."""
        change = read_change(**{"privacy": None, "password": None, **fields})
        hashed = f"hash of {change.password}" if change.needs_hash else None
        return self.database.write_here(
            lambda tx: update_report(
                tx, who or self.alice, report_id, self.options, self.now_ms, change=change, password_hash=hashed
            )
        )

    def delete(self, report_id: int, who: Caller | None = None) -> None:
        """Delete a report."""
        self.database.write_here(lambda tx: delete_report(tx, who or self.alice, report_id, self.options, self.now_ms))

    def show(self, report_id: int, who: Caller | None = None) -> dict[str, Any]:
        """The report as the API sends it."""
        shown = self.database.read_here(
            lambda tx: show_report(tx, who or self.alice, report_id, self.options, self.now_ms)
        )
        found: dict[str, Any] = msgspec.json.decode(
            report_object(shown.report, base_url=self.options.base_url, detail=shown.detail)
        )
        return found

    def finish(self, packed: PackedReport | None = None, *, after_ms: int = 1) -> int:
        """Let a worker do everything that waits, for so long; how many runs it did."""
        outcome = packed or pack_report(make_report())
        claimed = self.database.write_here(
            lambda tx: claim_runs(
                tx, worker="w", count=10, now_ms=self.now_ms, lease_ms=1_000, target_runs=10,
                target_runs_per_minute=100,
            )
        )  # fmt: skip
        for run in claimed:
            self.database.write_here(lambda tx, run=run: finish_run(tx, run, outcome, self.now_ms + after_ms))  # type: ignore[misc]
        return len(claimed)
