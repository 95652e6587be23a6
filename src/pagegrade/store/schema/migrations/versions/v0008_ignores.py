"""Ignore rules.

Revision ID: 0008
Revises: 0007
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0008"
down_revision: Final = "0007"


def upgrade() -> None:
    """One table that the code before does without."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

    def text(characters: int) -> sa.String:
        return sa.String(characters).with_variant(sa.String(characters, collation="C"), "postgresql")

    op.create_table(
        "ignores",
        sa.Column("id", number, nullable=False),
        sa.Column("account_id", number, nullable=False),
        sa.Column("report_id", number),
        sa.Column("project", text(300), nullable=False),
        sa.Column("check_id", text(100), nullable=False),
        sa.Column("selector", text(500), nullable=False),
        sa.Column("url_pattern", text(500), nullable=False),
        sa.Column("reason", text(500), nullable=False),
        sa.Column("author", text(200), nullable=False),
        sa.Column("state", text(100)),
        sa.Column("places", sa.Integer()),
        sa.Column("expires_at_ms", sa.BigInteger()),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_ignores_account_id_accounts", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["report_id"], ["reports.id"], name="fk_ignores_report_id_reports", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_ignores"),
        sqlite_autoincrement=True,
        comment="Findings that an account has decided to live with.",
    )
    op.create_index("ix_ignores_account_id", "ignores", ["account_id"])
    op.create_index("ix_ignores_report_id", "ignores", ["report_id"])
