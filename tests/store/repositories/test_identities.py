from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from pagegrade.model.single_sign_on import Identity
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import mark_erasing
from pagegrade.store.repositories.identities import (
    add_identity,
    find_account_id,
    find_email,
    remove_identity,
    save_email,
)
from tests.store_builders import NOW_MS, add_owner, make_database

ISSUER = "https://login.example.org"
OTHER = "https://login.example.org/"
BOB = Identity(issuer=ISSUER, subject="bob", email="bob@example.org")


def test_a_person_is_told_apart_letter_by_letter(tmp_path: Path) -> None:
    """By issuer and subject, not by address."""
    database = make_database(tmp_path)
    alice, carol = (add_owner(database, name)[0] for name in ("Alice", "Carol"))

    def work(tx: Transaction) -> None:
        add_identity(tx, alice.id, BOB, NOW_MS)
        add_identity(tx, carol.id, replace(BOB, subject="Bob"), NOW_MS)
        add_identity(tx, carol.id, replace(BOB, issuer=OTHER), NOW_MS)
        save_email(tx, replace(BOB, email="robert@example.org"))

    database.write_here(work)
    pairs = ((ISSUER, "bob"), (ISSUER, "Bob"), (OTHER, "bob"), (ISSUER, "BOB"), (ISSUER, "bob "))
    found = [database.read_here(lambda tx, pair=pair: find_account_id(tx, *pair)) for pair in pairs]  # type: ignore[misc]

    assert found == [alice.id, carol.id, carol.id, None, None]
    assert database.read_here(lambda tx: find_email(tx, alice.id, ISSUER)) == "robert@example.org"
    assert database.read_here(lambda tx: find_email(tx, carol.id, ISSUER)) == "bob@example.org"
    assert database.read_here(lambda tx: find_email(tx, alice.id, OTHER)) is None


def test_an_account_has_one_person_of_a_provider(tmp_path: Path) -> None:
    """The one before signs in no more; nor does anybody once the account is erased."""
    database = make_database(tmp_path)
    alice = add_owner(database)[0]
    robert = replace(BOB, subject="robert")

    def work(tx: Transaction) -> list[int | None]:
        seen = []
        add_identity(tx, alice.id, BOB, NOW_MS)
        add_identity(tx, alice.id, replace(BOB, issuer=OTHER), NOW_MS)
        add_identity(tx, alice.id, robert, NOW_MS)
        seen += [find_account_id(tx, ISSUER, name) for name in ("bob", "robert")]
        remove_identity(tx, alice.id, ISSUER)
        seen += [find_account_id(tx, ISSUER, "robert"), find_account_id(tx, OTHER, "bob")]
        mark_erasing(tx, alice.id, NOW_MS)
        seen.append(find_account_id(tx, OTHER, "bob"))
        return seen

    assert database.write_here(work) == [None, alice.id, None, alice.id, None]
