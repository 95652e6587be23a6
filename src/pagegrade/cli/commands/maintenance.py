"""``pagegrade migrate``, ``pagegrade prune`` and ``pagegrade doctor``."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from pagegrade.cli import exit_codes
from pagegrade.cli.database import bring_up_to_date, opened
from pagegrade.cli.exit_codes import run_async
from pagegrade.cli.output import check_format, color_wanted, write_stdout
from pagegrade.clock import now_ms
from pagegrade.model.errors import InvalidInput
from pagegrade.render.escape import visible
from pagegrade.sandbox.pool import Children
from pagegrade.service.doctor.machine import (
    Diagnosis,
    Level,
    format_duration,
    look_at_browser,
    look_at_children,
    look_at_clock,
    look_at_guard,
    look_at_name_servers,
    look_at_provider,
    look_at_proxy,
    look_at_rights,
    look_at_system,
    look_at_versions,
    ok,
    problem,
    try_fetch,
    warning,
)
from pagegrade.service.doctor.postgresql import look_at_origin, look_at_postgres
from pagegrade.service.doctor.storage import (
    behind_clock_ms,
    look_at_crawls,
    look_at_database,
    look_at_folder,
    look_at_leftovers,
    look_at_queue,
    look_at_secret_keys,
    look_at_server,
    look_at_sqlite,
    nearest_seen,
    newest_row_ms,
)
from pagegrade.service.retention import HOUR_MS, prune_expired
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.store.engine.database import Database, name_of
from pagegrade.store.engine.factory import open_database
from pagegrade.store.repositories.installation import read_clock, trust_clock, trusted_age
from pagegrade.store.repositories.retention import Pruned, count_expired
from pagegrade.store.schema.migrate import check_schema, migrate, schema_state
from pagegrade.wiring import (
    configured_options,
    configured_render,
    database_connections,
    given_settings,
    make_vault,
    planned_places,
    service_options,
    shown_settings,
)

_COLORS: Final[dict[Level, str]] = {"ok": "32", "warning": "33", "problem": "31"}
_LONGEST: Final = 600


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


def examine(format_name: str, online: str | None, *, delete_leftovers: bool = False) -> int:
    """Look at everything and print what was found; the exit code.

    Args:
        format_name: ``text`` or ``json``.
        online: A page to fetch; ``None``: only what the settings name is asked, the database and the provider.
        delete_leftovers: Delete what older versions left.

    Raises:
        typer.BadParameter: There is no such format.
    """
    check_format(format_name)
    found = [*_look_here(delete_leftovers=delete_leftovers), *run_async(_look_at_work(online))]
    if format_name == "json":
        entries = [
            {"topic": one.topic, "level": one.level, "message": one.message, "advice": one.advice or None}
            for one in found
        ]
        write_stdout(json.dumps(entries, ensure_ascii=False, indent=2) + "\n", machine=True)
    else:
        write_stdout(_text(found, color=color_wanted(sys.stdout, os.environ)))
    return exit_codes.UNFIT if any(one.level == "problem" for one in found) else exit_codes.OK


def _look_here(*, delete_leftovers: bool) -> Iterator[Diagnosis]:
    yield from look_at_versions()
    yield look_at_system()
    try:
        values, warnings = shown_settings()
        folder, url = planned_places()
        database = open_database(url, readers=1, writers=1, checkpoints=False)
    except InvalidInput as error:
        yield problem("settings", error.message, "Fix the settings; checks that depend on them were skipped.")
        yield look_at_leftovers(None, delete=delete_leftovers)
        yield look_at_clock(now_ms(), None)
        return
    shown = ", ".join(f"{name}={value}" for name, value in values)
    yield ok("settings", shown or "none; everything as by default")
    for sentence in warnings:
        yield warning("settings", sentence, "Correct or remove it.")
    yield look_at_leftovers(None if database.shared else folder, delete=delete_leftovers)
    try:
        if database.shared:
            yield from look_at_postgres(
                database, connections=database_connections(), silent_ms=int(service_options().lease_s * 1000)
            )
            yield from _look_at_work_in_hand(database)
            yield from look_at_origin(database, dict(values).get("PAGEGRADE_BASE_URL"))
            yield from look_at_secret_keys(database, make_vault())
            yield look_at_clock(now_ms(), newest_row_ms(database), behind_clock_ms(database, now_ms()))
            return
        yield look_at_sqlite()
        yield from look_at_folder(folder)
        seen = nearest_seen(folder)
        if not os.access(seen, os.X_OK):
            # That it cannot be used has been said; whether anything is inside cannot be seen.
            return
        if seen == folder:
            yield look_at_server(folder)
        yield from look_at_database(database)
        yield from _look_at_work_in_hand(database)
        yield from look_at_secret_keys(database, make_vault())
        yield look_at_clock(now_ms(), newest_row_ms(database), behind_clock_ms(database, now_ms()))
    finally:
        database.close()


def _look_at_work_in_hand(database: Database) -> Iterator[Diagnosis]:
    options = service_options()
    yield from look_at_queue(
        database, now_ms(), target_runs=options.target_runs, per_minute=options.target_runs_per_minute
    )
    yield from look_at_crawls(database, now_ms(), options.account_crawls)


async def _look_at_work(online: str | None) -> list[Diagnosis]:
    try:
        options, render, settings = configured_options(), configured_render(), given_settings()
    except InvalidInput:
        # Reported already.
        options, render, settings = AnalyzeOptions(), "never", None
    found = [*look_at_guard(options), *look_at_proxy(options), look_at_name_servers()]
    if settings is not None and settings.provider is not None:
        found.append(await look_at_provider(settings.provider, options, settings.base_url))
    # One child, and none before it is asked for: a process that cannot start is a finding.
    children = Children(1)
    try:
        found.append(await look_at_children(children))
        found.append(await look_at_rights(children))
        found.append(await look_at_browser(options.browser, render))
        if online is not None:
            found.append(await try_fetch(online, options, children))
    finally:
        await children.close()
    return found


def _text(found: Sequence[Diagnosis], *, color: bool) -> str:
    width = max(len(one.topic) for one in found)
    lines = []
    for one in found:
        level = f"{one.level:<7}"
        shown = f"\x1b[{_COLORS[one.level]}m{level}\x1b[0m" if color else level
        # A path or a setting may hold anything.
        lines.append(f"{shown}  {one.topic:<{width}}  {_lines(one.message, width)}")
        if one.advice:
            lines.append(f"{'':7}  {'':{width}}  -> {visible(one.advice, _LONGEST)}")
    problems = sum(one.level == "problem" for one in found)
    warnings = sum(one.level == "warning" for one in found)
    problem_count = "1 problem" if problems == 1 else f"{problems} problems"
    warning_count = "1 warning" if warnings == 1 else f"{warnings} warnings"
    return "\n".join(lines) + f"\n\n{problem_count}, {warning_count}.\n"


def _lines(message: str, width: int) -> str:
    """A message of several lines, each below the first."""
    return f"\n{'':{7 + 2 + width + 2}}".join(visible(line, _LONGEST) for line in message.split("\n"))
