"""Lines of runs at targets.

Revision ID: 0023
Revises: 0022
"""

from __future__ import annotations

from typing import Final

from alembic import op

revision: Final = "0023"
down_revision: Final = "0022"


def upgrade() -> None:
    """An index of the queue that is shared."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE INDEX ix_runs_line ON runs (target, device, priority, turn, id) "
            "WHERE state = 'queued' AND offered = 0 AND leader_id IS NULL"
        )
