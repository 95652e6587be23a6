"""Is a shared database in good order: the server, how it is set, our tables and the queue, and who works on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from pagegrade.clock import now_ms
from pagegrade.model.errors import Unavailable
from pagegrade.render.english import N_, Phrase, phrase
from pagegrade.service.doctor.machine import Diagnosis, format_size, ok, problem, warning
from pagegrade.service.doctor.storage import look_at_schema, not_ours
from pagegrade.store.engine.database import Database, StatementError, name_of
from pagegrade.store.queue.postgresql_inspection import (
    OLDEST,
    Server,
    look_at_queue_table,
    look_at_rights,
    look_at_server,
    look_at_trigrams,
    look_at_use,
)
from pagegrade.store.repositories.installation import LiveProcess, list_live, noted_origin
from pagegrade.store.repositories.retention import measure
from pagegrade.store.schema.migrate import schema_state

NOTICEABLE_MS: Final = 2_000
UNBEARABLE_MS: Final = 60_000
"""Difference of two clocks: a nuisance in logs, and keys and sessions that end too soon or too late."""
NEARLY_FULL: Final = 0.8
"""Of what there is of something."""
DEAD_ROWS: Final = 20_000
"""In a table of moments: more of them, and every claim reads through them."""
STALE_MS: Final = 86_400_000
_TROUBLES: Final = {
    "database_unreachable": (
        phrase("it does not answer, or refuses us"),
        N_("Look whether it runs, and at host, user and password in PAGEGRADE_DATABASE_URL."),
    ),
    "too_many_connections": (
        phrase("it has no connection left for us"),
        N_("Raise max_connections of the server, or lower PAGEGRADE_DATABASE_CONNECTIONS."),
    ),
}

_GET_CONTRIB: Final = phrase("Install the contrib package of PostgreSQL on the server.")
_MAKE_TRIGRAMS: Final = phrase(
    "As an administrator of the database run: CREATE EXTENSION IF NOT EXISTS pg_trgm; "
    "CREATE INDEX CONCURRENTLY ix_reports_parts ON reports USING gin (url gin_trgm_ops);"
)


def look_at_postgres(database: Database, *, connections: int, silent_ms: int) -> Iterator[Diagnosis]:
    """Check whether a PostgreSQL database can be used, is written safely, has our tables, and how full it is.

    Args:
        database: Which may not be reachable.
        connections: That each process keeps, as configured.
        silent_ms: A process without a heartbeat for so long is dead.
    """
    try:
        before_ms = now_ms()
        server = database.read_here(look_at_server)
        after_ms = now_ms()
        yield ok(
            "database",
            phrase("{0}, PostgreSQL {1}, answered in {2} ms", name_of(database), server.version, after_ms - before_ms),
        )
        yield from _look_at_server(server)
        yield look_at_clocks(server.clock_ms, before_ms, after_ms)
        state = schema_state(database)
        ahead = N_("{0}, made by Pagegrade {1}; this version can go on"), N_("Bring this machine to that version soon.")
        yield look_at_schema(state, ahead)
        if state.is_usable:
            yield from _look_at_rights(database)
            yield from _look_at_rows(database)
            yield from look_at_processes(database, before_ms, silent_ms=silent_ms)
            yield from _look_at_connections(database, server, connections, silent_ms)
    except StatementError as error:
        yield not_ours(name_of(database), error)
    except Unavailable as error:
        reason = error.reason or ""
        other = (reason.replace("_", " ") or phrase("it cannot be read"), N_("Look into the log of the server."))
        what, advice = _TROUBLES.get(reason, other)
        yield problem("database", phrase("{0}: {1}", name_of(database), error.detail or what), advice)


def look_at_origin(database: Database, configured: str | None) -> Iterator[Diagnosis]:
    """Report whether workers know the public origin of the installation, which they must not analyze.

    Args:
        database: Which may not be reachable; that is reported elsewhere.
        configured: ``PAGEGRADE_BASE_URL`` of this machine; ``None``: it is not set.
    """
    try:
        origin = configured or database.read_here(noted_origin)
    except (StatementError, Unavailable):
        return
    if configured is not None:
        yield ok("origin", phrase("{0}, as configured", configured))
    elif origin is not None:
        yield ok("origin", phrase("{0}, learned from the server that started last", origin))
    else:
        yield warning(
            "origin",
            "no server has noted its public origin yet, so workers without PAGEGRADE_BASE_URL would analyze it",
            "Set PAGEGRADE_BASE_URL, the same on all machines, or start pagegrade serve.",
        )


def server_version(database: Database) -> str:
    """As people write it; empty where it does not say."""
    try:
        return database.read_here(look_at_server).version
    except (StatementError, Unavailable):
        return ""


def _look_at_server(server: Server) -> Iterator[Diagnosis]:
    if server.number < OLDEST * 10_000:
        yield problem(
            "postgresql",
            phrase("PostgreSQL {0}, older than {1}", server.version, OLDEST),
            phrase("Move to PostgreSQL {0} or later.", OLDEST),
        )
    else:
        yield ok("postgresql", phrase("PostgreSQL {0}", server.version))
    if server.read_only:
        yield problem(
            "postgresql", "it takes no changes: a standby, or set to read only", "Name the primary in the database URL."
        )
    if server.encoding != "UTF8":
        yield problem(
            "encoding",
            phrase("{0}, which cannot hold every URL", server.encoding),
            "Make a database with ENCODING 'UTF8' TEMPLATE template0, and move what is kept there.",
        )
    unsafe = [
        name
        for name, is_on in (
            ("fsync", server.fsync),
            ("full_page_writes", server.full_page_writes),
            ("synchronous_commit", server.synchronous_commit != "off"),
        )
        if not is_on
    ]
    if unsafe:
        yield problem(
            "durability",
            phrase("{0}: off; a crash takes what was answered with success, or the whole database", ", ".join(unsafe)),
            "Turn it on in the settings of the server.",
        )
    else:
        yield ok(
            "durability", phrase("fsync and full_page_writes on, synchronous_commit {0}", server.synchronous_commit)
        )


def look_at_clocks(theirs_ms: int, before_ms: int, after_ms: int) -> Diagnosis:
    """Check whether this machine and the database agree on the time.

    Args:
        theirs_ms: What the database said.
        before_ms: By our clock, when it was asked.
        after_ms: By our clock, when it had answered.
    """
    # Whatever lies between asking and the answer may be the journey.
    apart_ms = max(0, theirs_ms - after_ms, before_ms - theirs_ms)
    apart_s = round(apart_ms / 1000, 1)
    if theirs_ms > after_ms:
        message = phrase("this machine is {0} s behind the database", apart_s)
    else:
        message = phrase("this machine is {0} s ahead of the database", apart_s)
    advice = N_(
        "Set both clocks and keep them with NTP. Leases go by the database's, keys and sessions by the machine's."
    )
    if apart_ms >= UNBEARABLE_MS:
        return problem("clocks", message, advice)
    if apart_ms >= NOTICEABLE_MS:
        return warning("clocks", message, advice)
    return ok("clocks", "this machine and the database agree on the time")


def _look_at_rights(database: Database) -> Iterator[Diagnosis]:
    rights = database.read_here(look_at_rights)
    if rights.not_usable:
        yield problem(
            "rights",
            phrase("this role may not read and write {0}", ", ".join(rights.not_usable)),
            "GRANT SELECT, INSERT, UPDATE, DELETE on all tables of the schema to it.",
        )
    elif rights.not_owned or not rights.may_create:
        yield warning(
            "rights",
            "this role works with the tables and cannot change them",
            "Run pagegrade migrate as their owner before each new version is started.",
        )
    else:
        yield ok("rights", "this role may use and change the tables")
    trigrams = database.read_here(look_at_trigrams)
    if trigrams.used:
        yield ok("search", "parts of URLs are found by an index (pg_trgm)")
    else:
        yield warning(
            "search",
            "without the extension pg_trgm a search reads all URLs of the account",
            _MAKE_TRIGRAMS if trigrams.available else phrase("{0} {1}", _GET_CONTRIB, _MAKE_TRIGRAMS),
        )


def _look_at_rows(database: Database) -> Iterator[Diagnosis]:
    sizes = database.read_here(measure)
    yield ok(
        "reports",
        phrase("{0} reports, {1} runs; database {2}", sizes.reports, sizes.runs, format_size(sizes.database_bytes)),
    )
    table = database.read_here(look_at_queue_table)
    if table.missing_scripts:
        yield warning("queue", "its tables are those of an earlier procrastinate", "Run: pagegrade migrate")
    if table.without_job or table.without_run:
        yield warning(
            "queue",
            phrase(
                "{0} runs wait without a job, {1} jobs name no run that waits", table.without_job, table.without_run
            ),
            "Run the doctor again in two minutes: a running server repairs it. If it does not, report it with its log.",
        )
    if table.dead_rows > DEAD_ROWS and table.dead_rows > table.live_rows:
        yield warning(
            "queue",
            phrase("procrastinate_jobs has {0} dead rows, which every claim reads through", table.dead_rows),
            "Look for long transactions (pg_stat_activity) and whether autovacuum is on. Then "
            "run: VACUUM ANALYZE procrastinate_jobs",
        )
    elif table.live_rows > DEAD_ROWS and (table.analyzed_ms is None or table.analyzed_ms > STALE_MS):
        yield warning("queue", "the planner knows little of procrastinate_jobs", "Run: ANALYZE procrastinate_jobs")


def _look_at_connections(database: Database, server: Server, connections: int, silent_ms: int) -> Iterator[Diagnosis]:
    now = now_ms()
    count = len(database.read_here(lambda tx: list_live(tx, now, silent_ms)))
    use = database.read_here(look_at_use)
    # Each process has one besides, for notices.
    wanted = (connections + 1) * max(1, count)
    message = phrase("{0} in use; ours may want {1}, {2} are allowed", use.connections, wanted, server.most_connections)
    if wanted > server.most_connections or use.connections > NEARLY_FULL * use.most_connections:
        yield warning(
            "connections",
            message,
            "Raise max_connections of the server, or lower PAGEGRADE_DATABASE_CONNECTIONS on every machine.",
        )
    else:
        yield ok("connections", message)
    if use.notices > NEARLY_FULL:
        yield warning(
            "notices",
            phrase("the server's queue of notices is {0} full", f"{use.notices:.0%}"),
            "Look for a session that listens and is in a long transaction (pg_stat_activity), and end it.",
        )


SHOWN: Final = 20


def look_at_processes(database: Database, now_ms: int, *, silent_ms: int) -> Iterator[Diagnosis]:
    """Report the running processes and whether they have one version; empty if there can be only one process.

    Args:
        silent_ms: A process without a heartbeat for so long is dead.
    """
    if not database.shared:
        return
    try:
        live = database.read_here(lambda tx: list_live(tx, now_ms, silent_ms))
    except (StatementError, Unavailable):
        yield problem("processes", "the database cannot be asked for them", "See what is said about the database.")
        return
    if not live:
        yield ok("processes", "none runs now")
        return
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(Counter(one.kind for one in live).items()))
    lines: list[str | Phrase] = [kinds, *(_described(one) for one in live[:SHOWN])]
    if len(live) > SHOWN:
        lines.append(phrase("and {0} more", len(live) - SHOWN))
    yield ok("processes", Phrase("\n".join(["{}"] * len(lines)), tuple(lines)))
    versions = sorted({one.version for one in live})
    if len(versions) > 1:
        yield warning(
            "processes",
            phrase("they are of different versions: {0}", ", ".join(versions)),
            "Finish the upgrade: start the older ones anew with the later version.",
        )


def _described(one: LiveProcess) -> Phrase:
    return phrase("{0} {1} on {2}, process {3}, {4}", one.kind, one.version, one.host, one.pid, one.name)
