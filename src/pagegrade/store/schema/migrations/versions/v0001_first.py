"""Accounts, keys, reports, runs, and the search of reports.

Revision ID: 0001
Revises:
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0001"
down_revision: Final = None

ID: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

SEARCH: Final = (
    "CREATE VIRTUAL TABLE reports_search USING fts5(url, content='reports', content_rowid='id', tokenize='trigram')",
    "CREATE TRIGGER reports_search_insert AFTER INSERT ON reports BEGIN "
    "INSERT INTO reports_search (rowid, url) VALUES (new.id, new.url); END",
    "CREATE TRIGGER reports_search_delete AFTER DELETE ON reports BEGIN "
    "INSERT INTO reports_search (reports_search, rowid, url) VALUES ('delete', old.id, old.url); END",
    "CREATE TRIGGER reports_search_update AFTER UPDATE OF id, url ON reports BEGIN "
    "INSERT INTO reports_search (reports_search, rowid, url) VALUES ('delete', old.id, old.url); "
    "INSERT INTO reports_search (rowid, url) VALUES (new.id, new.url); END",
)
"""Trigram index of URLs: https://www.sqlite.org/fts5.html#the_trigram_tokenizer. It stores no copy of the URLs
(external content), so the triggers must pass it the old URL when a row is deleted."""


def upgrade() -> None:
    """From an empty database."""
    _make_tables()
    _make_indexes()
    if op.get_context().dialect.name == "sqlite":
        for statement in SEARCH:
            op.execute(statement)


def _make_tables() -> None:
    op.create_table(
        "installation",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_installation"),
        comment="What this installation made for itself once, e.g. the key that signs cookies.",
    )
    op.create_table(
        "accounts",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("email", sa.String(length=320), nullable=False),
        sa.Column("locale", sa.String(length=35), server_default="en", nullable=False),
        sa.Column("timezone", sa.String(length=64), server_default="UTC", nullable=False),
        sa.Column("default_privacy", sa.SmallInteger()),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("disabled_at_ms", sa.BigInteger()),
        sa.Column("served_at_ms", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("analyses_total", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("stored_bytes", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "api_keys",
        sa.Column("id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("prefix", sa.String(length=16), nullable=False),
        sa.Column("secret_sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("scopes", sa.String(length=200), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger()),
        sa.Column("revoked_at_ms", sa.BigInteger()),
        sa.Column("last_used_at_ms", sa.BigInteger()),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_api_keys_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.UniqueConstraint("secret_sha256", name="uq_api_keys_secret_sha256"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "reports",
        sa.Column("id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("url", sa.String(length=2048), nullable=False),
        sa.Column("project", sa.String(length=300), nullable=False),
        sa.Column("privacy", sa.SmallInteger(), nullable=False),
        sa.Column("password_hash", sa.String(length=300)),
        sa.Column("password_version", sa.Integer(), server_default="0", nullable=False),
        sa.Column("slug", sa.String(length=22), nullable=False),
        sa.Column("state", sa.String(length=9), nullable=False),
        sa.Column("rating", sa.SmallInteger()),
        sa.Column("score", sa.SmallInteger()),
        sa.Column("run_number", sa.Integer()),
        sa.Column("generated_at_ms", sa.BigInteger()),
        sa.Column("dated_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), server_default="1", nullable=False),
        sa.Column("summary", sa.LargeBinary()),
        sa.Column("error", sa.LargeBinary()),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_reports_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_reports"),
        sa.UniqueConstraint("slug", name="uq_reports_slug"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "report_counts",
        sa.Column("account_id", ID, nullable=False),
        sa.Column("project", sa.String(length=300), nullable=False),
        sa.Column("state", sa.String(length=9), nullable=False),
        sa.Column("rating", sa.SmallInteger(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_report_counts_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", "project", "state", "rating", name="pk_report_counts"),
        comment="How many reports each filter finds, kept up to date so that no list has to count.",
    )
    op.create_table(
        "runs",
        sa.Column("id", ID, nullable=False),
        sa.Column("report_id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("url", sa.String(length=2048), nullable=False),
        sa.Column("target", sa.String(length=300), nullable=False),
        sa.Column("priority", sa.SmallInteger(), nullable=False),
        sa.Column("state", sa.String(length=9), nullable=False),
        sa.Column("attempt", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("leader_id", ID),
        sa.Column("available_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("lease_until_ms", sa.BigInteger()),
        sa.Column("worker", sa.String(length=64)),
        sa.Column("rating", sa.SmallInteger()),
        sa.Column("score", sa.SmallInteger()),
        sa.Column("engine", sa.String(length=40)),
        sa.Column("ruleset", sa.String(length=40)),
        sa.Column("summary", sa.LargeBinary()),
        sa.Column("error", sa.LargeBinary()),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("started_at_ms", sa.BigInteger()),
        sa.Column("finished_at_ms", sa.BigInteger()),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_runs_account_id_accounts", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["leader_id"], ["runs.id"], name="fk_runs_leader_id_runs", ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["report_id"], ["reports.id"], name="fk_runs_report_id_reports", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        sa.UniqueConstraint("report_id", "number", name="uq_runs_report_id_number"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "run_details",
        sa.Column("run_id", ID, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("plain_bytes", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_run_details_run_id_runs", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", name="pk_run_details"),
    )
    op.create_table(
        "visits",
        sa.Column("id", ID, nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("target", sa.String(length=300), nullable=False),
        sa.Column("started_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("ended_at_ms", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_visits"),
        comment="Runs at a target now and in the last minute: the politeness of the whole installation.",
    )
    op.create_table(
        "idempotency",
        sa.Column("key_id", ID, nullable=False),
        sa.Column("method", sa.String(length=8), nullable=False),
        sa.Column("path", sa.String(length=200), nullable=False),
        sa.Column("idempotency_key", sa.String(length=255), nullable=False),
        sa.Column("request_sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("report_id", sa.BigInteger()),
        sa.Column("process", sa.String(length=64), nullable=False),
        sa.Column("status", sa.SmallInteger()),
        sa.Column("headers", sa.Text()),
        sa.Column("body", sa.LargeBinary()),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["api_keys.id"], name="fk_idempotency_key_id_api_keys", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("key_id", "method", "path", "idempotency_key", name="pk_idempotency"),
    )


def _make_indexes() -> None:
    op.create_index("ix_visits_run_id", "visits", ["run_id"])
    op.create_index("ix_visits_target", "visits", ["target", "started_at_ms"])
    op.create_index("ix_api_keys_account_id", "api_keys", ["account_id"])
    op.create_index("ix_reports_by_dated_at_ms", "reports", ["account_id", "dated_at_ms", "id"])
    op.create_index("ix_reports_by_id", "reports", ["account_id", "id"])
    op.create_index("ix_reports_by_rating", "reports", ["account_id", "rating", "score", "id"])
    op.create_index("ix_reports_by_url", "reports", ["account_id", "url", "id"])
    op.create_index(
        "ix_reports_project_by_dated_at_ms", "reports", ["account_id", "project", "dated_at_ms", "id", "rating"]
    )
    op.create_index("ix_reports_project_by_id", "reports", ["account_id", "project", "id", "rating"])
    op.create_index("ix_reports_project_by_rating", "reports", ["account_id", "project", "rating", "score", "id"])
    op.create_index("ix_reports_project_by_url", "reports", ["account_id", "project", "url", "id", "rating"])
    op.create_index("ix_reports_rating_by_dated_at_ms", "reports", ["account_id", "rating", "dated_at_ms", "id"])
    op.create_index("ix_reports_rating_by_id", "reports", ["account_id", "rating", "id"])
    op.create_index("ix_reports_rating_by_url", "reports", ["account_id", "rating", "url", "id"])
    op.create_index(
        "ix_reports_state_by_dated_at_ms", "reports", ["account_id", "state", "dated_at_ms", "id", "rating"]
    )
    op.create_index("ix_reports_state_by_id", "reports", ["account_id", "state", "id", "rating"])
    op.create_index("ix_reports_state_by_rating", "reports", ["account_id", "state", "rating", "score", "id"])
    op.create_index("ix_reports_state_by_url", "reports", ["account_id", "state", "url", "id", "rating"])
    op.create_index("ix_idempotency_created_at_ms", "idempotency", ["created_at_ms"])
    op.create_index("ix_runs_finished", "runs", ["account_id", "finished_at_ms"])
    op.create_index("ix_runs_leader", "runs", ["leader_id"])
    op.create_index(
        "ix_runs_queue",
        "runs",
        ["state", "account_id", "priority", "id", "attempt", "leader_id", "available_at_ms", "target"],
    )
    op.create_index("ix_runs_same", "runs", ["account_id", "url", "state"])
