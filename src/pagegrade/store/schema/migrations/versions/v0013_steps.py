"""Steps of runs under way.

Revision ID: 0013
Revises: 0012
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0013"
down_revision: Final = "0012"


def upgrade() -> None:
    """One column that the code before does without."""
    text = sa.String(8).with_variant(sa.String(8, collation="C"), "postgresql")
    op.add_column("runs", sa.Column("step", text))
