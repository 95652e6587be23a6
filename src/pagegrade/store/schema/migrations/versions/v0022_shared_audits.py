"""Audits that are shared by a link.

Revision ID: 0022
Revises: 0021
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0022"
down_revision: Final = "0021"


def upgrade() -> None:
    """Columns that the code before does without; the audits that there are stay private."""

    def text(characters: int) -> sa.String:
        return sa.String(characters).with_variant(sa.String(characters, collation="C"), "postgresql")

    op.add_column("audits", sa.Column("privacy", sa.SmallInteger(), nullable=False, server_default="1"))
    op.add_column("audits", sa.Column("password_hash", text(300)))
    op.add_column("audits", sa.Column("password_version", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("audits", sa.Column("slug", text(22)))
    op.create_index("ix_audits_slug", "audits", ["slug"], unique=True)
