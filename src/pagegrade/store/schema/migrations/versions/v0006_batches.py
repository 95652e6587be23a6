"""Reports that were asked for together.

Revision ID: 0006
Revises: 0005
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0006"
down_revision: Final = "0005"


def upgrade() -> None:
    """Two tables that the code before does without."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "batches",
        sa.Column("id", number, nullable=False),
        sa.Column("account_id", number, nullable=False),
        sa.Column("refused", sa.LargeBinary(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_batches_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_batches"),
        sqlite_autoincrement=True,
        comment="Reports that were asked for together.",
    )
    op.create_index("ix_batches_account_id", "batches", ["account_id"])
    op.create_table(
        "batch_reports",
        sa.Column("batch_id", number, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("report_id", number, nullable=False),
        sa.ForeignKeyConstraint(
            ["batch_id"], ["batches.id"], name="fk_batch_reports_batch_id_batches", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["report_id"], ["reports.id"], name="fk_batch_reports_report_id_reports", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("batch_id", "position", name="pk_batch_reports"),
    )
    op.create_index("ix_batch_reports_report_id", "batch_reports", ["report_id"])
