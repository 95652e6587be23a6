"""Idempotency records without bodies, accounts that are being erased, and an index for the queue's fairness.

Earlier code would go on storing answers beside this one, so it does not work with these tables (``WORKS_FROM``).

Revision ID: 0004
Revises: 0003
"""

from __future__ import annotations

import hashlib
from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0004"
down_revision: Final = "0003"

PIECE: Final = 1_000
"""Rows that are inserted at a time."""
UNSHARED: Final = "sqlite"


def upgrade() -> None:
    """Add the column and the index, and make the table of idempotency records anew from what is needed of it."""
    op.add_column("accounts", sa.Column("erase_at_ms", sa.BigInteger()))
    if op.get_context().dialect.name != UNSHARED:
        op.execute(
            "CREATE INDEX ix_runs_offered ON runs (account_id, priority, turn, id) "
            "WHERE state = 'queued' AND offered = 1"
        )
    _forget_bodies()


def _forget_bodies() -> None:
    bind = op.get_bind()
    kept = bind.execute(
        sa.text(
            "SELECT key_id, method, path, idempotency_key, request_sha256, report_id, created_at_ms FROM idempotency "
            "WHERE report_id IS NOT NULL"
        )
    ).all()
    op.drop_table("idempotency")
    made = op.create_table(
        "idempotency",
        sa.Column("key_id", _id(), nullable=False),
        sa.Column("method", _text(8), nullable=False),
        sa.Column("path", _text(200), nullable=False),
        sa.Column("idempotency_sha256", sa.LargeBinary(32), nullable=False),
        sa.Column("request_sha256", sa.LargeBinary(32), nullable=False),
        sa.Column("report_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["api_keys.id"], name="fk_idempotency_key_id_api_keys", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("key_id", "method", "path", "idempotency_sha256", name="pk_idempotency"),
        comment="Which report each request with an Idempotency-Key made; nothing of the report or of its answer.",
    )
    op.create_index("ix_idempotency_created_at_ms", "idempotency", ["created_at_ms"])
    rows = [
        {
            "key_id": key_id,
            "method": method,
            "path": path,
            "idempotency_sha256": hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest(),
            "request_sha256": request_sha256,
            "report_id": report_id,
            "created_at_ms": created_at_ms,
        }
        for key_id, method, path, key, request_sha256, report_id, created_at_ms in kept
    ]
    for first in range(0, len(rows), PIECE):
        bind.execute(sa.insert(made), rows[first : first + PIECE])


def _id() -> sa.types.TypeEngine[int]:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _text(characters: int) -> sa.String:
    return sa.String(characters).with_variant(sa.String(characters, collation="C"), "postgresql")
