"""Members of accounts, invitations to become one, and accounts that nobody signs in to.

Revision ID: 0019
Revises: 0018
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0019"
down_revision: Final = "0018"


def upgrade() -> None:
    """Two tables, and columns that the code before does without: each account stays its owner's, with nobody else."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "memberships",
        sa.Column("account_id", number, nullable=False),
        sa.Column("person_id", number, nullable=False),
        sa.Column("role", sa.SmallInteger(), nullable=False),
        sa.Column("joined_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_memberships_account_id_accounts", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["accounts.id"], name="fk_memberships_person_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", "person_id", name="pk_memberships"),
        comment="Who works in an account besides its own person, by the account that each of them signs in to.",
    )
    op.create_index("ix_memberships_person_id", "memberships", ["person_id"])
    op.create_table(
        "invitations",
        sa.Column("id", number, nullable=False),
        sa.Column("account_id", number, nullable=False),
        sa.Column("token_sha256", sa.LargeBinary(32), nullable=False),
        sa.Column("role", sa.SmallInteger(), nullable=False),
        sa.Column("label", sa.String(200).with_variant(sa.String(200, collation="C"), "postgresql"), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_invitations_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_invitations"),
        sa.UniqueConstraint("token_sha256", name="uq_invitations_token_sha256"),
        sqlite_autoincrement=True,
        comment="Links that make a person a member once.",
    )
    op.create_index("ix_invitations_account_id", "invitations", ["account_id"])
    op.create_index("ix_invitations_expires_at_ms", "invitations", ["expires_at_ms"])
    op.add_column("sessions", sa.Column("workspace_id", sa.BigInteger()))
    op.add_column("accounts", sa.Column("is_personal", sa.SmallInteger(), nullable=False, server_default="1"))
