"""Audits of accounts, whose crawls workers share.

Revision ID: 0018
Revises: 0017
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0018"
down_revision: Final = "0017"


def upgrade() -> None:
    """A table, and columns that the code before does without."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

    def text(characters: int) -> sa.String:
        return sa.String(characters).with_variant(sa.String(characters, collation="C"), "postgresql")

    op.create_table(
        "audits",
        sa.Column("id", number, nullable=False),
        sa.Column("account_id", number, nullable=False),
        sa.Column("start_url", text(2048), nullable=False),
        sa.Column("project", text(300), nullable=False),
        sa.Column("settings", sa.LargeBinary(), nullable=False),
        sa.Column("crawls", sa.Integer(), nullable=False),
        sa.Column("graded", sa.Integer()),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_audits_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_audits"),
        sqlite_autoincrement=True,
        comment="Sites of accounts that are crawled and graded as a whole.",
    )
    op.create_index("ix_audits_account_id", "audits", ["account_id", "id"])
    op.add_column("crawls", sa.Column("audit_id", sa.BigInteger()))
    op.add_column("crawls", sa.Column("target", text(300)))
    op.add_column("crawls", sa.Column("lease_until_ms", sa.BigInteger()))
    op.add_column("crawls", sa.Column("tries", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("crawls", sa.Column("error", text(40)))
    op.add_column("crawls", sa.Column("rating", text(6)))
    op.add_column("crawls", sa.Column("summary", sa.LargeBinary()))
    op.add_column("crawls", sa.Column("result", sa.LargeBinary()))
    op.add_column("crawl_urls", sa.Column("segment", sa.Integer()))
    op.create_index("ix_crawls_audit_id", "crawls", ["audit_id", "number"])
    unfinished = sa.text("finished_at_ms IS NULL")
    op.create_index("ix_crawls_open", "crawls", ["updated_at_ms"], sqlite_where=unfinished, postgresql_where=unfinished)
