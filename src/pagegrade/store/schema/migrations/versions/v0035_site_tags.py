"""Tags of sites.

Revision ID: 0035
Revises: 0034
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0035"
down_revision: Final = "0034"


def upgrade() -> None:
    """A table that the code before does without."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

    def text(length: int) -> sa.types.TypeEngine[str]:
        return sa.String(length).with_variant(sa.String(length, collation="C"), "postgresql")

    op.create_table(
        "site_tags",
        sa.Column("account_id", number, nullable=False),
        sa.Column("project", text(300), nullable=False),
        sa.Column("tag", text(40), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_site_tags_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", "project", "tag", name="pk_site_tags"),
        comment="Words by which accounts group their sites.",
    )
    op.create_index("ix_site_tags_tag", "site_tags", ["account_id", "tag"])
