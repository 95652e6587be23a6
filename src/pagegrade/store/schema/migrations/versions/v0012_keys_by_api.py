"""Keys that keys have made.

Revision ID: 0012
Revises: 0011
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0012"
down_revision: Final = "0011"


def upgrade() -> None:
    """One column that the code before does without."""
    op.add_column("api_keys", sa.Column("made_by", sa.BigInteger()))
