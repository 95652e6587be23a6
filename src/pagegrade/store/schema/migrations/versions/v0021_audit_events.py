"""Events of audits.

Revision ID: 0021
Revises: 0020
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0021"
down_revision: Final = "0020"


def upgrade() -> None:
    """A column that the code before does without."""
    op.add_column("events", sa.Column("audit_id", sa.BigInteger()))
