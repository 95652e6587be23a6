"""Monitors of audits.

Revision ID: 0027
Revises: 0026
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0027"
down_revision: Final = "0026"


def upgrade() -> None:
    """A column that the code before does without, and rows without a report, which that code passes over."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    last = _last_id() if is_sqlite else None
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    # SQLite changes a column by copying the table; references are off while it migrates.
    with op.batch_alter_table("monitors", table_kwargs={"sqlite_autoincrement": True}) as table:
        table.alter_column("report_id", existing_type=number, nullable=True)
        table.add_column(sa.Column("audit_id", number))
        table.create_foreign_key("fk_monitors_audit_id_audits", "audits", ["audit_id"], ["id"], ondelete="CASCADE")
    op.create_index("ix_monitors_audit_id", "monitors", ["audit_id"])
    if not is_sqlite:
        op.create_table_comment("monitors", "Reports and audits that are made again on a schedule, with budgets.")
    if last is not None:
        # The copy knows only the ids that are still used.
        op.execute(sa.text("DELETE FROM sqlite_sequence WHERE name = 'monitors'"))
        new = sa.text("INSERT INTO sqlite_sequence (name, seq) VALUES ('monitors', :last)")
        op.get_bind().execute(new, {"last": last})


def _last_id() -> int | None:
    """The last id that SQLite gave to a monitor; ``None``: there was none."""
    found = op.get_bind().execute(sa.text("SELECT seq FROM sqlite_sequence WHERE name = 'monitors'"))
    last: int | None = found.scalar()
    return last
