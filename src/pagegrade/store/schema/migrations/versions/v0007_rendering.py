"""Reports that a browser draws: what was asked for, who can do it, and the pictures.

Revision ID: 0007
Revises: 0006
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0007"
down_revision: Final = "0006"


def upgrade() -> None:
    """Columns whose defaults mean static analysis, which is all that the code before knows; and a table."""
    text = sa.String(8).with_variant(sa.String(8, collation="C"), "postgresql")
    op.add_column("reports", sa.Column("render", sa.SmallInteger()))
    op.add_column("reports", sa.Column("device", text))
    op.add_column("runs", sa.Column("device", text, nullable=False, server_default="none"))
    op.add_column("processes", sa.Column("has_browser", sa.SmallInteger(), nullable=False, server_default="0"))
    name = sa.String(16).with_variant(sa.String(16, collation="C"), "postgresql")
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "run_pictures",
        sa.Column("run_id", number, nullable=False),
        sa.Column("name", name, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_run_pictures_run_id_runs", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "name", name="pk_run_pictures"),
        comment="Pictures of pages, in WebP as the browser wrote them; of the run that a report shows.",
    )
