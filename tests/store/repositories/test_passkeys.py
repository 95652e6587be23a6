from __future__ import annotations

from pathlib import Path

from pagegrade.store.repositories.accounts import mark_erasing
from pagegrade.store.repositories.passkeys import (
    add_passkey,
    find_passkey,
    list_passkeys,
    note_use,
    remove_passkey,
)
from tests.store_builders import NOW_MS, add_owner, make_database


def test_passkeys_are_found_listed_used_and_removed(tmp_path: Path) -> None:
    """By the id that the device gave them, or by account; another account's hand removes nothing."""
    database = make_database(tmp_path)
    alice, bob = add_owner(database)[0], add_owner(database, "Bob")[0]
    made = {"credential": b"data", "sign_count": 1, "challenged_at_ms": NOW_MS, "now_ms": NOW_MS}

    def add(account_id: int, credential_id: bytes) -> int | None:
        return database.write_here(
            lambda tx: add_passkey(tx, account_id, name="Laptop", credential_id=credential_id, **made)  # type: ignore[arg-type]
        )

    first, second = add(alice.id, b"\x00"), add(alice.id, b"\x00\x00")

    assert first is not None
    assert add(bob.id, b"\x00") is None
    database.write_here(lambda tx: note_use(tx, first, sign_count=2**32 - 1, challenged_at_ms=9, now_ms=NOW_MS + 1))
    found = database.read_here(lambda tx: find_passkey(tx, b"\x00"))

    assert found is not None
    assert (found.id, found.account_id, found.credential, found.sign_count) == (first, alice.id, b"data", 2**32 - 1)
    assert (found.challenged_at_ms, found.created_at_ms, found.used_at_ms) == (9, NOW_MS, NOW_MS + 1)
    assert [each.id for each in database.read_here(lambda tx: list_passkeys(tx, alice.id))] == [first, second]
    assert not database.write_here(lambda tx: remove_passkey(tx, bob.id, first))
    assert database.write_here(lambda tx: remove_passkey(tx, alice.id, first))
    assert database.read_here(lambda tx: find_passkey(tx, b"\x00")) is None


def test_erasure_leaves_none(tmp_path: Path) -> None:
    """Not even while the rest of the account is still being erased."""
    database = make_database(tmp_path)
    alice = add_owner(database)[0]
    database.write_here(
        lambda tx: add_passkey(
            tx,
            alice.id,
            name="Laptop",
            credential_id=b"1",
            credential=b"data",
            sign_count=0,
            challenged_at_ms=NOW_MS,
            now_ms=NOW_MS,
        )
    )
    database.write_here(lambda tx: mark_erasing(tx, alice.id, NOW_MS))

    assert database.read_here(lambda tx: find_passkey(tx, b"1")) is None
