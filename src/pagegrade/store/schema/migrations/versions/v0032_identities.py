"""People as an identity provider knows them.

Revision ID: 0032
Revises: 0031
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0032"
down_revision: Final = "0031"


def upgrade() -> None:
    """A table that the code before does without."""

    def text(length: int) -> sa.types.TypeEngine[str]:
        return sa.String(length).with_variant(sa.String(length, collation="C"), "postgresql")

    op.create_table(
        "identities",
        sa.Column("issuer", text(255), nullable=False),
        sa.Column("subject", text(255), nullable=False),
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("email", text(320), nullable=False),
        sa.Column("linked_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_identities_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("issuer", "subject", name="pk_identities"),
        comment="People as an identity provider knows them, by the account that each of them signs in to.",
    )
    op.create_index("ix_identities_account_id", "identities", ["account_id"])
