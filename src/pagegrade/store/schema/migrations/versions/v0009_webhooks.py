"""Webhooks, and the outbox of events that are delivered to them.

Revision ID: 0009
Revises: 0008
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0009"
down_revision: Final = "0008"


def _text(characters: int) -> sa.String:
    return sa.String(characters).with_variant(sa.String(characters, collation="C"), "postgresql")


def _number() -> sa.BigInteger:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _goes_with(table: str, column: str, other: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=f"fk_{table}_{column}_{other}", ondelete="CASCADE")


def upgrade() -> None:
    """Three tables that the code before does without."""
    op.create_table(
        "webhooks",
        sa.Column("id", _number(), nullable=False),
        sa.Column("account_id", _number(), nullable=False),
        sa.Column("kind", _text(16), nullable=False),
        sa.Column("url", _text(2048), nullable=False),
        sa.Column("events", _text(300), nullable=False),
        sa.Column("project", _text(300), nullable=False),
        sa.Column("secret_salt", sa.LargeBinary(32), nullable=False),
        sa.Column("previous_salt", sa.LargeBinary(32)),
        sa.Column("previous_until_ms", sa.BigInteger()),
        sa.Column("due_at_ms", sa.BigInteger()),
        sa.Column("lease_until_ms", sa.BigInteger()),
        sa.Column("worker", _text(64)),
        sa.Column("served_at_ms", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("failures", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("failing_since_ms", sa.BigInteger()),
        sa.Column("disabled_at_ms", sa.BigInteger()),
        sa.Column("disabled_reason", _text(40)),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False, server_default="1"),
        _goes_with("webhooks", "account_id", "accounts"),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
        sqlite_autoincrement=True,
        comment="Where events of an account are sent: webhooks, chat channels and e-mail addresses.",
    )
    op.create_index("ix_webhooks_account_id", "webhooks", ["account_id"])
    op.create_index("ix_webhooks_due", "webhooks", ["due_at_ms"])
    op.create_table(
        "events",
        sa.Column("id", _number(), nullable=False),
        sa.Column("public_id", _text(40), nullable=False),
        sa.Column("account_id", _number(), nullable=False),
        sa.Column("report_id", _number()),
        sa.Column("monitor_id", sa.BigInteger()),
        sa.Column("type", _text(40), nullable=False),
        sa.Column("run_number", sa.Integer()),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        _goes_with("events", "account_id", "accounts"),
        _goes_with("events", "report_id", "reports"),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sa.UniqueConstraint("public_id", name="uq_events_public_id"),
        sqlite_autoincrement=True,
        comment="Outbox: what happened, written with the change itself, only where a webhook wants it.",
    )
    for column in ("account_id", "report_id", "created_at_ms"):
        op.create_index(f"ix_events_{column}", "events", [column])
    op.create_table(
        "deliveries",
        sa.Column("id", _number(), nullable=False),
        sa.Column("event_id", _number(), nullable=False),
        sa.Column("webhook_id", _number(), nullable=False),
        sa.Column("state", _text(9), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("due_at_ms", sa.BigInteger()),
        sa.Column("attempted_at_ms", sa.BigInteger()),
        sa.Column("http_status", sa.Integer()),
        sa.Column("error", _text(40)),
        sa.Column("answer", sa.LargeBinary()),
        sa.Column("duration_ms", sa.Integer()),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        _goes_with("deliveries", "event_id", "events"),
        _goes_with("deliveries", "webhook_id", "webhooks"),
        sa.PrimaryKeyConstraint("id", name="pk_deliveries"),
        sqlite_autoincrement=True,
        comment="Each event for each webhook that wants it, and how it went.",
    )
    op.create_index("ix_deliveries_event_id", "deliveries", ["event_id"])
    op.create_index("ix_deliveries_due", "deliveries", ["webhook_id", "state", "due_at_ms"])
    op.create_index("ix_deliveries_log", "deliveries", ["webhook_id", "id"])
