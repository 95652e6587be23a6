"""Keys of one project, and the scope to change ignore rules.

Revision ID: 0010
Revises: 0009
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0010"
down_revision: Final = "0009"


def upgrade() -> None:
    """One column that the code before does without; keys that could change ignore rules still can."""
    text = sa.String(300).with_variant(sa.String(300, collation="C"), "postgresql")
    op.add_column("api_keys", sa.Column("project", text))
    keys = sa.table("api_keys", sa.column("scopes", sa.String()))
    op.execute(
        keys.update()
        .where(keys.c.scopes.contains("reports:write"), ~keys.c.scopes.contains("ignores"))
        .values(scopes=keys.c.scopes + " ignores")
    )
