"""Lines and further jobs of accounts.

Revision ID: 0028
Revises: 0027
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0028"
down_revision: Final = "0027"


def upgrade() -> None:
    """A column that the code before leaves at zero, and its index in place of one that is no longer read."""
    op.add_column("runs", sa.Column("share", sa.SmallInteger(), server_default="0", nullable=False))
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE INDEX ix_runs_shares ON runs (share, account_id, priority, device, turn, id) "
            "WHERE state = 'queued' AND offered = 1 AND share > 0 AND leader_id IS NULL"
        )
        op.execute("DROP INDEX ix_runs_offered")
