"""Runs that compare: by the device that was used, found by an index.

Revision ID: 0014
Revises: 0013
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0014"
down_revision: Final = "0013"

INDEX: Final = "ix_runs_comparable"
COLUMNS: Final = ("report_id", "device", "ruleset", "finished_at_ms")
"""For very large tables, create it before with CONCURRENTLY and this name."""


def upgrade() -> None:
    """Add an index, and correct the device of runs that were to use a browser and did without."""
    op.create_index(INDEX, "runs", COLUMNS, if_not_exists=True)
    static = b'"engine":"static"'
    on_postgresql = op.get_bind().dialect.name == "postgresql"
    found = "position(:static IN summary) > 0" if on_postgresql else "instr(summary, :static) > 0"
    op.get_bind().execute(
        sa.text(f"UPDATE runs SET device = 'none' WHERE device <> 'none' AND state = 'completed' AND {found}"),  # noqa: S608 - ours
        {"static": static},
    )
