"""Lists by score, by the last change and by privacy.

Revision ID: 0005
Revises: 0004
"""

from __future__ import annotations

from typing import Final

from alembic import op

revision: Final = "0005"
down_revision: Final = "0004"

INDEXES: Final = {
    "ix_reports_by_updated_at_ms": ("account_id", "updated_at_ms", "id"),
    "ix_reports_by_score": ("account_id", "score", "id"),
    "ix_reports_project_by_updated_at_ms": ("account_id", "project", "updated_at_ms", "id", "rating"),
    "ix_reports_project_by_score": ("account_id", "project", "score", "id", "rating"),
    "ix_reports_rating_by_updated_at_ms": ("account_id", "rating", "updated_at_ms", "id"),
    "ix_reports_state_by_updated_at_ms": ("account_id", "state", "updated_at_ms", "id", "rating"),
    "ix_reports_state_by_score": ("account_id", "state", "score", "id", "rating"),
    "ix_reports_by_privacy": ("account_id", "privacy", "id"),
}
"""Indexes of ``reports``. For very large tables, create them before with CONCURRENTLY and these names."""


def upgrade() -> None:
    """Add indexes, which the previous version does not need."""
    for name, columns in INDEXES.items():
        op.create_index(name, "reports", columns, if_not_exists=True)
