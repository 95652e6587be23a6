"""Many processes on one PostgreSQL: who they are, the queue between them, what they count together.

Revision ID: 0003
Revises: 0002
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

from pagegrade.store.schema.migrations.counters import COUNTERS
from pagegrade.store.schema.procrastinate import install_queue

revision: Final = "0003"
down_revision: Final = "0002"

TEXTS: Final = {
    "installation": ("name",),
    "accounts": ("name", "email", "locale", "timezone", "password_hash"),
    "sessions": ("agent",),
    "api_keys": ("name", "prefix", "scopes"),
    "reports": ("url", "project", "password_hash", "slug", "state"),
    "report_counts": ("project", "state"),
    "runs": ("url", "target", "state", "worker", "engine", "ruleset"),
    "visits": ("target",),
    "idempotency": ("method", "path", "idempotency_key", "process"),
}
"""Columns whose order must not depend on where the database was made."""
BUSY: Final = ("runs", "reports", "report_counts", "visits", "accounts")
"""Tables whose rows change several times: room for that beside each row, and dead rows cleared away early."""
UNSHARED: Final = "sqlite"


def upgrade() -> None:
    """Columns that the code before does without; and everything that a shared database needs besides."""
    op.add_column("runs", sa.Column("traceparent", _text(55)))
    op.add_column("runs", sa.Column("turn", sa.Integer(), server_default="0", nullable=False))
    op.add_column("runs", sa.Column("offered", sa.SmallInteger(), server_default="0", nullable=False))
    op.create_table(
        "processes",
        sa.Column("name", _text(64), nullable=False),
        sa.Column("kind", _text(16), nullable=False),
        sa.Column("version", _text(40), nullable=False),
        sa.Column("host", _text(255), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("started_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("seen_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_processes"),
        comment="Who works on this database, where several processes do.",
    )
    if op.get_context().dialect.name != UNSHARED:
        _share()


def _share() -> None:
    for table, columns in TEXTS.items():
        for column in columns:
            op.execute(f'ALTER TABLE {table} ALTER COLUMN {column} TYPE varchar{_length(table, column)} COLLATE "C"')
    op.execute(
        "CREATE INDEX ix_runs_parked ON runs (available_at_ms) "
        "WHERE state = 'queued' AND offered = 0 AND leader_id IS NULL"
    )
    op.execute("CREATE INDEX ix_runs_suspects ON runs (id) WHERE state = 'queued' AND attempt >= 2")
    op.execute("CREATE INDEX ix_runs_places ON runs (target, available_at_ms) WHERE state = 'queued'")
    op.execute(
        "CREATE INDEX ix_report_counts_unfinished ON report_counts (account_id) "
        "WHERE project = '' AND state IN ('queued', 'running')"
    )
    for table in BUSY:
        op.execute(
            f"ALTER TABLE {table} SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, "
            "autovacuum_analyze_scale_factor = 0.02)"
        )
    _index_parts_of_urls()
    install_queue(op.get_bind())
    for statement in COUNTERS:
        op.execute(sa.text(statement.replace(":", r"\:")))


def _index_parts_of_urls() -> None:
    """Substrings of URLs, three characters at a time, where the server has the extension and lets us use it.

    Without it a search reads the addresses of the account, which is slow for hundreds of thousands and right all the
    same. Source: https://www.postgresql.org/docs/current/pgtrgm.html
    """
    bind = op.get_bind()
    has = bind.exec_driver_sql("SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'").scalar()
    if has is None:
        known = bind.exec_driver_sql("SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm'").scalar()
        may = bind.exec_driver_sql("SELECT has_database_privilege(current_database(), 'CREATE')").scalar()
        if known is None or not may:
            return
        bind.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    bind.exec_driver_sql("CREATE INDEX ix_reports_parts ON reports USING gin (url gin_trgm_ops)")


def _length(table: str, column: str) -> str:
    found = op.get_bind().execute(
        sa.text(
            "SELECT character_maximum_length FROM information_schema.columns "
            "WHERE table_schema = current_schema() AND table_name = :table AND column_name = :column"
        ),
        {"table": table, "column": column},
    )
    return f"({found.scalar_one()})"


def _text(characters: int) -> sa.String:
    return sa.String(characters).with_variant(sa.String(characters, collation="C"), "postgresql")
