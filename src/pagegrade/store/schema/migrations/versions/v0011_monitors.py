"""Monitors.

Revision ID: 0011
Revises: 0010
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0011"
down_revision: Final = "0010"


def upgrade() -> None:
    """Two tables that the code before does without."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

    def text(characters: int) -> sa.String:
        return sa.String(characters).with_variant(sa.String(characters, collation="C"), "postgresql")

    def owner(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
        name = f"fk_{table}_{column}_{target}"
        return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")

    op.create_table(
        "monitors",
        sa.Column("id", number, nullable=False),
        sa.Column("account_id", number, nullable=False),
        sa.Column("report_id", number, nullable=False),
        sa.Column("schedule", text(100), nullable=False),
        sa.Column("timezone", text(64), nullable=False),
        sa.Column("jitter", sa.Integer(), nullable=False),
        sa.Column("budgets", sa.LargeBinary(), nullable=False),
        sa.Column("paused", sa.SmallInteger(), nullable=False),
        sa.Column("due_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("last_due_at_ms", sa.BigInteger()),
        sa.Column("last_run_at_ms", sa.BigInteger()),
        sa.Column("failures", sa.SmallInteger(), nullable=False),
        sa.Column("unreachable_since_ms", sa.BigInteger()),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        owner("monitors", "account_id", "accounts"),
        owner("monitors", "report_id", "reports"),
        sa.PrimaryKeyConstraint("id", name="pk_monitors"),
        sqlite_autoincrement=True,
        comment="Reports that are analyzed again on a schedule, with budgets.",
    )
    op.create_index("ix_monitors_account_id", "monitors", ["account_id"])
    op.create_index("ix_monitors_report_id", "monitors", ["report_id"])
    op.create_index("ix_monitors_due", "monitors", ["paused", "due_at_ms"])
    op.create_table(
        "monitor_crossings",
        sa.Column("run_id", number, nullable=False),
        sa.Column("monitor_id", number, nullable=False),
        sa.Column("kind", text(12), nullable=False),
        sa.Column("account_id", number, nullable=False),
        sa.Column("report_id", number, nullable=False),
        sa.Column("run_number", sa.Integer(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("budgets", sa.LargeBinary(), nullable=False),
        owner("monitor_crossings", "run_id", "runs"),
        owner("monitor_crossings", "monitor_id", "monitors"),
        owner("monitor_crossings", "account_id", "accounts"),
        owner("monitor_crossings", "report_id", "reports"),
        sa.PrimaryKeyConstraint("run_id", "monitor_id", "kind", name="pk_monitor_crossings"),
        comment="Runs at which budgets were breached or kept again, or at which a page could no longer be reached.",
    )
    op.create_index("ix_monitor_crossings_monitor_id", "monitor_crossings", ["monitor_id"])
    op.create_index("ix_monitor_crossings_report", "monitor_crossings", ["report_id", "run_number"])
    op.create_index("ix_monitor_crossings_account", "monitor_crossings", ["account_id", "at_ms"])
