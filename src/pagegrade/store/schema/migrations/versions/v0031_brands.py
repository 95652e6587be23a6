"""Look of what accounts show to others.

Revision ID: 0031
Revises: 0030
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0031"
down_revision: Final = "0030"


def upgrade() -> None:
    """A table that the code before does without."""

    def text(length: int) -> sa.types.TypeEngine[str]:
        return sa.String(length).with_variant(sa.String(length, collation="C"), "postgresql")

    op.create_table(
        "brands",
        sa.Column(
            "account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False, autoincrement=False
        ),
        sa.Column("name", text(60), nullable=False),
        sa.Column("color", text(7), nullable=False),
        sa.Column("footer", text(300), nullable=False),
        sa.Column("reply_to", text(320), nullable=False),
        sa.Column("credit", sa.SmallInteger(), nullable=False),
        sa.Column("logo", sa.LargeBinary(), nullable=False),
        sa.Column("logo_key", text(32), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_brands_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", name="pk_brands"),
        comment="Look of what accounts show to others.",
    )
    op.create_index("ix_brands_logo_key", "brands", ["logo_key"])
