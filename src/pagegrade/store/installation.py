"""What this installation made for itself once, such as the key that signs cookies."""

from __future__ import annotations

import secrets
from typing import Final

from sqlalchemy import insert, select
from sqlalchemy.dialects.sqlite import insert as upsert

from pagegrade.store.database import Transaction
from pagegrade.store.tables import installation

SECRET_BYTES: Final = 32
PROOF_ROW: Final = "written_at_ms"
ORIGIN_ROW: Final = "served_at"


def load_or_make_secret(tx: Transaction, name: str, *, size_bytes: int = SECRET_BYTES) -> bytes:
    """Random bytes that are the same for every process and after every start.

    Args:
        tx: One that may write.
        name: What they are for; other names have other bytes.
        size_bytes: How many to make where there are none yet.
    """
    kept = load_secret(tx, name)
    if kept is not None:
        return kept
    made = secrets.token_bytes(size_bytes)
    tx.execute(insert(installation).values(name=name, value=made))
    return made


def load_secret(tx: Transaction, name: str) -> bytes | None:
    """The bytes of this name; ``None``: none were made yet."""
    value = tx.execute(select(installation.c.value).where(installation.c.name == name)).scalar()
    return None if value is None else bytes(value)


def note_origin(tx: Transaction, origin: str) -> None:
    """Remember where the server that runs now is reached, for commands that print addresses."""
    row = {"name": ORIGIN_ROW, "value": origin.encode("ascii")}
    tx.execute(upsert(installation).values(row).on_conflict_do_update(index_elements=["name"], set_=row))


def noted_origin(tx: Transaction) -> str | None:
    """Where the server that ran last was reached; ``None``: none ever ran."""
    value = load_secret(tx, ORIGIN_ROW)
    return None if value is None else value.decode("ascii")


def prove_writable(tx: Transaction, now_ms: int) -> None:
    """Change one row for good, which needs everything that a real change needs: the lock, the log, room on the disk."""
    row = {"name": PROOF_ROW, "value": str(now_ms).encode("ascii")}
    tx.execute(upsert(installation).values(row).on_conflict_do_update(index_elements=["name"], set_=row))
