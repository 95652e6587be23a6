"""The log of an account: what people and keys changed in it.

Revision ID: 0020
Revises: 0019
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0020"
down_revision: Final = "0019"


def upgrade() -> None:
    """One table, which the code before neither reads nor writes."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

    op.create_table(
        "actions",
        sa.Column("id", number, nullable=False),
        sa.Column("account_id", number, nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("person_id", number),
        sa.Column("key_id", number),
        sa.Column("is_key", sa.SmallInteger(), nullable=False),
        sa.Column("operation", sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql"), nullable=False),
        sa.Column("target", sa.BigInteger()),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_actions_account_id_accounts", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["accounts.id"], name="fk_actions_person_id_accounts", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["key_id"], ["api_keys.id"], name="fk_actions_key_id_api_keys", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_actions"),
        sqlite_autoincrement=True,
        comment="What people and keys changed in an account.",
    )
    op.create_index("ix_actions_account_id", "actions", ["account_id", "id"])
    op.create_index("ix_actions_at_ms", "actions", ["at_ms"])
    op.create_index("ix_actions_person_id", "actions", ["person_id"])
    op.create_index("ix_actions_key_id", "actions", ["key_id"])
