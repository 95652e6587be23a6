"""Sections that workspaces leave out of PDFs.

Revision ID: 0033
Revises: 0032
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0033"
down_revision: Final = "0032"


def upgrade() -> None:
    """A column that is empty where the code before writes a row."""
    text = sa.String(100).with_variant(sa.String(100, collation="C"), "postgresql")
    op.add_column("brands", sa.Column("left_out", text, nullable=False, server_default=""))
