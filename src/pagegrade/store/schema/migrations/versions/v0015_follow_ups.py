"""Runs in a browser that follow a static one.

Revision ID: 0015
Revises: 0014
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0015"
down_revision: Final = "0014"


def upgrade() -> None:
    """Two columns that the code before does without, and an index of few rows."""
    text = sa.String(8).with_variant(sa.String(8, collation="C"), "postgresql")
    op.add_column("runs", sa.Column("follow_device", text))
    op.add_column("reports", sa.Column("pending_run", sa.Integer))
    pending = sa.text("pending_run IS NOT NULL")
    op.create_index("ix_reports_pending", "reports", ["account_id"], sqlite_where=pending, postgresql_where=pending)
