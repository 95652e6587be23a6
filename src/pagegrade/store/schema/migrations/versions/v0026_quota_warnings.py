"""Quotas that accounts were told of in a month.

Revision ID: 0026
Revises: 0025
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0026"
down_revision: Final = "0025"


def upgrade() -> None:
    """A column that the code before does without."""
    op.add_column("account_usage", sa.Column("warned", sa.LargeBinary()))
