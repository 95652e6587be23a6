"""Results of success criteria that persons record.

Revision ID: 0025
Revises: 0024
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0025"
down_revision: Final = "0024"


def upgrade() -> None:
    """A table that the code before does without."""

    def number() -> sa.types.TypeEngine[int]:
        return sa.BigInteger().with_variant(sa.Integer(), "sqlite")

    def text(characters: int) -> sa.String:
        return sa.String(characters).with_variant(sa.String(characters, collation="C"), "postgresql")

    op.create_table(
        "manual_results",
        sa.Column("report_id", number(), nullable=False),
        sa.Column("criterion", text(8), nullable=False),
        sa.Column("outcome", text(14), nullable=False),
        sa.Column("note", text(2000), nullable=False),
        sa.Column("evidence", text(2000), nullable=False),
        sa.Column("person_id", number()),
        sa.Column("key_id", number()),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("page_sha256", sa.LargeBinary(32), nullable=False),
        sa.ForeignKeyConstraint(
            ["report_id"], ["reports.id"], name="fk_manual_results_report_id_reports", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["accounts.id"], name="fk_manual_results_person_id_accounts", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["key_id"], ["api_keys.id"], name="fk_manual_results_key_id_api_keys", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("report_id", "criterion", name="pk_manual_results"),
        comment="What persons found of success criteria on the pages of reports.",
    )
    op.create_index("ix_manual_results_person_id", "manual_results", ["person_id"])
    op.create_index("ix_manual_results_key_id", "manual_results", ["key_id"])
