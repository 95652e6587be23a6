"""Silences of monitors and sites, and reminders of what stays bad.

Revision ID: 0029
Revises: 0028
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0029"
down_revision: Final = "0028"


def upgrade() -> None:
    """A table and columns that the code before does without."""

    def number() -> sa.types.TypeEngine[int]:
        return sa.BigInteger().with_variant(sa.Integer(), "sqlite")

    def text(characters: int) -> sa.String:
        return sa.String(characters).with_variant(sa.String(characters, collation="C"), "postgresql")

    def follows(column: str, table: str, ondelete: str) -> sa.ForeignKeyConstraint:
        return sa.ForeignKeyConstraint(
            [column], [f"{table}.id"], name=f"fk_silences_{column}_{table}", ondelete=ondelete
        )

    op.create_table(
        "silences",
        sa.Column("id", number(), nullable=False),
        sa.Column("account_id", number(), nullable=False),
        sa.Column("monitor_id", number()),
        sa.Column("project", text(300), nullable=False),
        sa.Column("reason", text(500), nullable=False),
        sa.Column("person_id", number()),
        sa.Column("key_id", number()),
        sa.Column("until_ms", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        follows("account_id", "accounts", "CASCADE"),
        follows("monitor_id", "monitors", "CASCADE"),
        follows("person_id", "accounts", "SET NULL"),
        follows("key_id", "api_keys", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_silences"),
        comment="Times in which people get no messages about a monitor or a site.",
        sqlite_autoincrement=True,
    )
    op.create_index("ix_silences_account", "silences", ["account_id", "until_ms"])
    op.create_index("ix_silences_monitor_id", "silences", ["monitor_id"])
    op.create_index("ix_silences_person_id", "silences", ["person_id"])
    op.create_index("ix_silences_key_id", "silences", ["key_id"])
    op.create_index("ix_silences_until_ms", "silences", ["until_ms"])
    op.add_column("monitors", sa.Column("remind", text(6), nullable=False, server_default="never"))
    op.add_column("monitors", sa.Column("told_at_ms", sa.BigInteger()))
