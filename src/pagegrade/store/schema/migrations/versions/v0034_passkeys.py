"""Passkeys that people sign in with.

Revision ID: 0034
Revises: 0033
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0034"
down_revision: Final = "0033"


def upgrade() -> None:
    """A table that the code before does without."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "passkeys",
        sa.Column("id", number, nullable=False),
        sa.Column("account_id", number, nullable=False),
        sa.Column("credential_id", sa.LargeBinary(1023), nullable=False),
        sa.Column("credential", sa.LargeBinary(), nullable=False),
        sa.Column("name", sa.String(60).with_variant(sa.String(60, collation="C"), "postgresql"), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        sa.Column("challenged_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("used_at_ms", sa.BigInteger()),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_passkeys_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_passkeys"),
        sa.UniqueConstraint("credential_id", name="uq_passkeys_credential_id"),
        comment="Passkeys of people, by the account that each of them signs in to.",
        sqlite_autoincrement=True,
    )
    op.create_index("ix_passkeys_account_id", "passkeys", ["account_id"])
