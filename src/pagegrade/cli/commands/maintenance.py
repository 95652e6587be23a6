"""``pagegrade migrate`` and ``pagegrade prune``."""

from __future__ import annotations

import sys
from functools import partial

from pagegrade.cli import exit_codes
from pagegrade.cli.database import bring_up_to_date, opened
from pagegrade.cli.exit_codes import run_async
from pagegrade.cli.output import write_stdout
from pagegrade.clock import now_ms
from pagegrade.service.doctor.machine import format_duration
from pagegrade.service.retention import HOUR_MS, prune_expired
from pagegrade.store.engine.database import name_of
from pagegrade.store.repositories.installation import read_clock, trust_clock, trusted_age
from pagegrade.store.repositories.retention import Pruned, count_expired
from pagegrade.store.schema.migrate import check_schema, migrate, schema_state
from pagegrade.wiring import service_options


def migrate_database(*, check: bool) -> int:
    """Migrate the database to this version, or check whether it is needed; returns the exit code.

    Args:
        check: Change nothing; 0 says that there is nothing to do (the tables are of this version, or of a later one
            that lets it go on), 1 that there is.

    Raises:
        InvalidInput: The database is one of a later version or of another program.
    """
    with opened(migrated=False) as database:
        before = check_schema(schema_state(database))
        if before.status == "current":
            write_stdout(f"{name_of(database)} has schema {before.head}, which is what this version works with.\n")
            return exit_codes.OK
        if before.status == "ahead":
            write_stdout(
                f"{name_of(database)} has schema {before.current}, of a later version; this one can go on with it.\n"
            )
            return exit_codes.OK
        had = f"schema {before.current}" if before.current else "no tables yet"
        if check:
            sys.stderr.write(
                f"{name_of(database)} has {had}, behind schema {before.head} of this version, which "
                f"{'works with it' if before.is_usable else 'cannot work with it'}. Run pagegrade migrate.\n"
            )
            return exit_codes.GATE_FAILED
        if database.shared:
            migrate(database)
        else:
            bring_up_to_date(database)
        write_stdout(f"{name_of(database)} had {had}; it has schema {before.head} now.\n")
    return exit_codes.OK


def prune_database(*, days: int | None, runs: int | None, dry_run: bool, trusts_clock: bool) -> None:
    """Delete expired reports and runs, or print how many there are.

    Args:
        days: Reports expire so many days after their last results; ``None``: as configured.
        runs: The newest finished runs that each report keeps; ``None``: as configured.
        trusts_clock: Go by the clock, even if it is far ahead of what the database has seen.
    """
    options = service_options()
    kept_days = options.retention_days if days is None else days
    kept_runs = options.retention_runs if runs is None else runs
    if kept_days is None and kept_runs is None:
        sys.stderr.write(
            "No report ever expires: give --days or --runs, or set PAGEGRADE_RETENTION_DAYS or "
            "PAGEGRADE_RETENTION_RUNS.\n"
        )
    with opened() as database:
        if trusts_clock and not dry_run:
            database.write_here(lambda tx: trust_clock(tx, now_ms()))
        clock = database.read_here(lambda tx: read_clock(tx, now_ms()))
        if clock.behind_ms >= HOUR_MS and not trusts_clock:
            sys.stderr.write(
                f"The clock is {format_duration(clock.behind_ms)} ahead of what the database has seen, so nothing is "
                "deleted because of that time. If the clock is right, add --trust-clock.\n"
            )
        if dry_run:
            age = trusted_age(clock) if trusts_clock else clock.age_ms
            found = database.read_here(
                partial(count_expired, retention_days=kept_days, retention_runs=kept_runs, age=age)
            )
            write_stdout(f"Would delete {_described(found)}.\n")
            return
        pruned = run_async(prune_expired(database, retention_days=kept_days, retention_runs=kept_runs, now_ms=now_ms()))
    write_stdout(f"Deleted {_described(pruned)}.\n")


def _described(pruned: Pruned) -> str:
    reports = "1 report" if pruned.reports == 1 else f"{pruned.reports} reports"
    runs = "1 earlier run" if pruned.runs == 1 else f"{pruned.runs} earlier runs"
    return f"{reports} and {runs}"
