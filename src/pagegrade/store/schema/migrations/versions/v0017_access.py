"""Access profiles, and which of them a report uses.

Revision ID: 0017
Revises: 0016
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0017"
down_revision: Final = "0016"


def upgrade() -> None:
    """A table, and a column that the code before does without."""
    number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "access_profiles",
        sa.Column("id", number, nullable=False),
        sa.Column("account_id", number, nullable=False),
        sa.Column("name", sa.String(100).with_variant(sa.String(100, collation="C"), "postgresql"), nullable=False),
        sa.Column("origins", sa.LargeBinary, nullable=False),
        sa.Column("shown", sa.LargeBinary, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
        sa.Column("updated_at_ms", sa.BigInteger, nullable=False),
        sa.Column("revision", sa.Integer, server_default="1", nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_access_profiles_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_access_profiles"),
        sqlite_autoincrement=True,
        comment="Sent to the origins of an account's own pages, encrypted with a key outside of the database.",
    )
    op.create_index("ix_access_profiles_account_id", "access_profiles", ["account_id"])
    op.add_column("reports", sa.Column("access", sa.BigInteger))
