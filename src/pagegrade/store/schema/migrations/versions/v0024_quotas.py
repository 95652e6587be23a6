"""Quotas of accounts, and what they use in a month.

Revision ID: 0024
Revises: 0023
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0024"
down_revision: Final = "0023"


def upgrade() -> None:
    """Columns and a table that the code before does without; what it analyzes meanwhile is not counted."""
    plan = sa.String(60).with_variant(sa.String(60, collation="C"), "postgresql")
    op.add_column("accounts", sa.Column("plan", plan))
    op.add_column("accounts", sa.Column("quotas", sa.LargeBinary()))
    op.create_table(
        "account_usage",
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("month", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("analyses", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("browser_ms", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("audit_pages", sa.BigInteger(), nullable=False, server_default="0"),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_account_usage_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", "month", name="pk_account_usage"),
        comment="What accounts used in each month.",
    )
