"""Read-only inspection of a PostgreSQL server and of the product's database on it.

Sources, below https://www.postgresql.org/docs/current/: view-pg-settings.html, monitoring-stats.html,
functions-admin.html
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue.admission import RUN_TASK

OLDEST: Final = 14
"""Oldest supported major version (https://www.postgresql.org/support/versioning/)."""
_SETTINGS: Final = text(
    "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'server_encoding', "
    "'max_connections', 'superuser_reserved_connections', 'reserved_connections', 'default_transaction_read_only')"
)
_SERVER: Final = text(
    "SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version, "
    "current_setting('synchronous_commit') AS commits, pg_is_in_recovery() AS standby, "
    "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint AS clock_ms, "
    "(SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS of_role, "
    "(SELECT datconnlimit FROM pg_database WHERE datname = current_database()) AS of_database"
)
_USE: Final = text(
    "SELECT pg_database_size(current_database()) AS size_bytes, "
    "(SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections, "
    "(SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user) AS ours, "
    "current_setting('max_connections')::int AS most, pg_notification_queue_usage() AS notices"
)
_TABLES: Final = text(
    "SELECT c.relname, pg_has_role(c.relowner, 'MEMBER') AS own, "
    "has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT') "
    "AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE') AS use "
    "FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = (SELECT oid FROM pg_namespace "
    "WHERE nspname = current_schema())"
)
_MAY_CREATE: Final = text("SELECT has_schema_privilege(current_schema(), 'CREATE')")
_TRIGRAMS: Final = text(
    "SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm') AS installed, "
    "EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm') AS available, "
    "EXISTS (SELECT 1 FROM pg_indexes WHERE schemaname = current_schema() AND indexname = 'ix_reports_parts') AS used"
)
_ROWS: Final = text(
    "SELECT n_live_tup AS live, n_dead_tup AS dead, "
    "(EXTRACT(EPOCH FROM clock_timestamp() - GREATEST(last_analyze, last_autoanalyze)) * 1000)::bigint AS analyzed_ms "
    "FROM pg_stat_user_tables WHERE relname = :name AND schemaname = current_schema()"
)
_WITHOUT_JOB: Final = text(
    "SELECT COUNT(*) FROM runs WHERE state = 'queued' AND offered = 1 AND share <> 2 AND NOT EXISTS "
    "(SELECT 1 FROM procrastinate_jobs WHERE status = 'todo' "
    "AND queueing_lock IN ('run-' || runs.id, 'further-' || runs.id))"
)
_WITHOUT_RUN: Final = text(
    "SELECT COUNT(*) FROM procrastinate_jobs j WHERE task_name = :task AND NOT EXISTS "
    "(SELECT 1 FROM runs WHERE id = (j.args ->> 'run_id')::bigint AND state = 'queued')"
)


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """The server and its settings for the product's connections."""

    number: int
    """Version, e.g. 150018."""
    version: str
    fsync: bool
    full_page_writes: bool
    synchronous_commit: str
    encoding: str
    read_only: bool
    """True for a standby, or if transactions are read-only by default."""
    clock_ms: int
    """Time of the server's clock."""
    most_connections: int
    """Connections available under the limits of the server, the database and the role."""


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """Current usage of the server."""

    size_bytes: int
    connections: int
    """Connections of all programs."""
    ours: int
    """Connections of the role to the database."""
    most_connections: int
    notices: float
    """Usage of the server's notification queue, 0 to 1; a full queue rejects further ones."""


class Rights(msgspec.Struct, frozen=True, kw_only=True):
    """Rights of the role."""

    may_create: bool
    not_owned: tuple[str, ...]
    """Tables that the role cannot alter, as a later version may need."""
    not_usable: tuple[str, ...]
    """Tables that the role cannot read or write."""


class Trigrams(msgspec.Struct, frozen=True, kw_only=True):
    """Availability of the index for substrings of URLs."""

    installed: bool
    available: bool
    used: bool


class QueueTable(msgspec.Struct, frozen=True, kw_only=True):
    """State of the job table of the queue, which has frequent inserts and deletes."""

    missing_scripts: tuple[str, ...]
    without_job: int
    """Queued runs whose job is missing."""
    without_run: int
    """Jobs whose run is not queued."""
    live_rows: int
    dead_rows: int
    analyzed_ms: int | None
    """Time since the last ANALYZE in milliseconds; ``None`` without one."""


def look_at_server(tx: Transaction) -> Server:
    """Return the server and its settings."""
    settings: dict[str, str] = {row.name: row.setting for row in tx.execute(_SETTINGS)}
    row = tx.execute(_SERVER).one()
    reserved = int(settings["superuser_reserved_connections"]) + int(settings.get("reserved_connections", 0))
    limits = (int(settings["max_connections"]) - reserved, row.of_role, row.of_database)
    return Server(
        number=row.number,
        version=row.version.split(" ")[0],
        fsync=settings["fsync"] == "on",
        full_page_writes=settings["full_page_writes"] == "on",
        synchronous_commit=row.commits,
        encoding=settings["server_encoding"],
        read_only=row.standby or settings["default_transaction_read_only"] == "on",
        clock_ms=row.clock_ms,
        most_connections=min(limit for limit in limits if limit is not None and limit >= 0),
    )


def look_at_use(tx: Transaction) -> Use:
    """Return the current usage of the server; fast enough for frequent calls."""
    row = tx.execute(_USE).one()
    return Use(
        size_bytes=int(row.size_bytes),
        connections=int(row.connections),
        ours=int(row.ours),
        most_connections=int(row.most),
        notices=float(row.notices),
    )


def look_at_rights(tx: Transaction) -> Rights:
    """Return the rights of the role on the tables."""
    rows = tx.execute(_TABLES).all()
    return Rights(
        may_create=bool(tx.execute(_MAY_CREATE).scalar_one()),
        not_owned=tuple(sorted(row.relname for row in rows if not row.own)),
        not_usable=tuple(sorted(row.relname for row in rows if not row.use)),
    )


def look_at_trigrams(tx: Transaction) -> Trigrams:
    """Return the availability of the index for substrings of URLs."""
    row = tx.execute(_TRIGRAMS).one()
    return Trigrams(installed=row.installed, available=row.available, used=row.used)


def look_at_queue_table(tx: Transaction) -> QueueTable:
    """Check the job table of the queue and its consistency with the runs. Reads all queued runs."""
    # Imported late: it loads the driver, which is not needed for SQLite.
    from pagegrade.store.schema.migrate import missing_scripts

    rows: Any = tx.execute(_ROWS, {"name": "procrastinate_jobs"}).one_or_none()
    return QueueTable(
        missing_scripts=missing_scripts(tx),
        without_job=int(tx.execute(_WITHOUT_JOB).scalar_one()),
        without_run=int(tx.execute(_WITHOUT_RUN, {"task": RUN_TASK}).scalar_one()),
        live_rows=0 if rows is None else int(rows.live),
        dead_rows=0 if rows is None else int(rows.dead),
        analyzed_ms=None if rows is None else rows.analyzed_ms,
    )
