"""Passwords of accounts, administrators, sessions of browsers, links that sign in once.

Revision ID: 0002
Revises: 0001
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0002"
down_revision: Final = "0001"

ID: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the owner of the first account an administrator."""
    op.add_column("accounts", sa.Column("password_hash", sa.String(length=300)))
    op.add_column("accounts", sa.Column("is_admin", sa.SmallInteger(), server_default="0", nullable=False))
    op.execute("UPDATE accounts SET is_admin = 1 WHERE id = (SELECT min(id) FROM accounts)")
    op.create_table(
        "sessions",
        sa.Column("id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("token_sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("previous_sha256", sa.LargeBinary(length=32)),
        sa.Column("agent", sa.String(length=200), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("rotated_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("seen_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("by_link", sa.SmallInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_sessions_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        sa.UniqueConstraint("token_sha256", name="uq_sessions_token_sha256"),
        sqlite_autoincrement=True,
        comment="Browsers that people have signed in with.",
    )
    op.create_table(
        "sign_in_links",
        sa.Column("token_sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("used_at_ms", sa.BigInteger()),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_sign_in_links_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_sha256", name="pk_sign_in_links"),
        comment="Links that sign in once.",
    )
    op.create_index("ix_sessions_account_id", "sessions", ["account_id"])
    op.create_index("ix_sessions_previous_sha256", "sessions", ["previous_sha256"])
    op.create_index("ix_sessions_expires_at_ms", "sessions", ["expires_at_ms"])
    op.create_index("ix_sign_in_links_account_id", "sign_in_links", ["account_id"])
    op.create_index("ix_sign_in_links_expires_at_ms", "sign_in_links", ["expires_at_ms"])
