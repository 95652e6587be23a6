"""Monitors of sets of pages.

Revision ID: 0036
Revises: 0035
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0036"
down_revision: Final = "0035"


def upgrade() -> None:
    """Columns that the code before does without: it passes over a set, and takes its pages for single ones."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    last = _last_id() if is_sqlite else None
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

    def text(length: int) -> sa.types.TypeEngine[str]:
        return sa.String(length).with_variant(sa.String(length, collation="C"), "postgresql")

    # SQLite adds a reference by copying the table; references are off while it migrates.
    with op.batch_alter_table("monitors", table_kwargs={"sqlite_autoincrement": True}) as table:
        table.add_column(sa.Column("pages_kind", text(7)))
        table.add_column(sa.Column("pages_of", text(2048)))
        table.add_column(sa.Column("pages_found", sa.Integer()))
        table.add_column(sa.Column("parent_id", number))
        table.create_foreign_key(
            "fk_monitors_parent_id_monitors", "monitors", ["parent_id"], ["id"], ondelete="CASCADE"
        )
    op.create_index("ix_monitors_parent_id", "monitors", ["parent_id"])
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
