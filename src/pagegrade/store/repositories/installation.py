"""Values that this installation generated once, such as the key that signs cookies."""

from __future__ import annotations

import secrets
from typing import Final

from sqlalchemy import LargeBinary, bindparam, text

from pagegrade.store.engine.database import Transaction, is_shared
from pagegrade.store.engine.prepared import Prepared

SECRET_BYTES: Final = 32
PROOF_ROW: Final = "written_at_ms"
ORIGIN_ROW: Final = "served_at"
_VALUE: Final = bindparam("value", type_=LargeBinary)
_PUT: Final = text(
    "INSERT INTO installation (name, value) VALUES (:name, :value) "
    "ON CONFLICT (name) DO UPDATE SET value = excluded.value"
).bindparams(_VALUE)
_MAKE: Final = text(
    "INSERT INTO installation (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING"
).bindparams(_VALUE)
_LOAD: Final = Prepared(text("SELECT value FROM installation WHERE name = :name"))
_TAKEN: Final = text("SELECT 1 FROM installation WHERE name = :name FOR UPDATE SKIP LOCKED")


def load_or_make_secret(tx: Transaction, name: str, *, size_bytes: int = SECRET_BYTES) -> bytes:
    """Return random bytes that are the same for every process and after every restart.

    Args:
        tx: Transaction that may write.
        name: Purpose of the bytes; each name has its own.
        size_bytes: Number of bytes to generate if there are none yet.
    """
    kept = load_secret(tx, name)
    if kept is not None:
        return kept
    # Another process may generate it at the same time: the stored value counts.
    tx.execute(_MAKE, {"name": name, "value": secrets.token_bytes(size_bytes)})
    made = load_secret(tx, name)
    if made is None:
        raise RuntimeError(f"the secret {name} was written and is not there")
    return made


def load_secret(tx: Transaction, name: str) -> bytes | None:
    """Load the bytes of a name; ``None`` if they were not generated yet."""
    row = _LOAD.first(tx, {"name": name})
    return None if row is None else bytes(row[0])


def put_value(tx: Transaction, name: str, value: bytes) -> None:
    """Store the bytes of a name in place of those before."""
    tx.execute(_PUT, {"name": name, "value": value})


def note_origin(tx: Transaction, origin: str) -> None:
    """Store the origin of the running server, for commands that print URLs."""
    put_value(tx, ORIGIN_ROW, origin.encode("ascii"))


def noted_origin(tx: Transaction) -> str | None:
    """Return the origin of the last server; ``None`` if none was started."""
    value = load_secret(tx, ORIGIN_ROW)
    return None if value is None else value.decode("ascii")


def prove_writable(tx: Transaction, now_ms: int) -> None:
    """Change one row, which needs everything that a real change needs: the lock, the log and free disk space."""
    row = {"name": PROOF_ROW, "value": str(now_ms).encode("ascii")}
    if is_shared(tx) and tx.execute(_TAKEN, row).first() is None and load_secret(tx, PROOF_ROW) is not None:
        # Another process is changing the row. Even if it hangs with the lock, the database is writable: a commit
        # with its own transaction id needs the log, too.
        tx.exec_driver_sql("SELECT pg_current_xact_id()")
        return
    tx.execute(_PUT, row)
