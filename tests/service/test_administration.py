"""Use cases of administrators, also of those who have just lost the right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pagegrade.model.account import Caller
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.service import administration as service
from pagegrade.service.accounts.operations import create_account
from pagegrade.store.engine.database import Database, Transaction
from tests.service.instance import caller_of
from tests.store_builders import NOW_MS, make_database


def two_admins(tmp_path: Path) -> tuple[Database, Caller, Caller]:
    """A database with two administrators."""
    database = make_database(tmp_path)

    def work(tx: Transaction) -> tuple[Caller, Caller]:
        alice, bob = (
            caller_of(create_account(tx, name=name, email=f"{name}@example.org", now_ms=NOW_MS))
            for name in ("alice", "bob")
        )
        service.set_member_admin(tx, alice, bob.account.id, is_admin=True)
        return alice, bob

    return database, *database.write_here(work)


def test_an_invited_account_gets_the_settings_of_its_host(tmp_path: Path) -> None:
    """And a link that its owner signs in with."""
    database, alice, _ = two_admins(tmp_path)
    account, token, until_ms = database.write_here(
        lambda tx: service.invite_member(tx, alice, name="Carol", email="c@example.org", now_ms=NOW_MS)
    )
    count, members = database.read_here(lambda tx: service.find_members(tx, alice, page=1, per_page=2))
    found = database.read_here(lambda tx: service.find_member(tx, alice, account.id))
    database.close()

    assert (account.locale, found.account.email, bool(token), until_ms > NOW_MS) == ("en", "c@example.org", True, True)
    assert (count, len(members)) == (3, 2)


@pytest.mark.parametrize(
    "use_case",
    [
        lambda tx, admin, _other: service.invite_member(tx, admin, name="C", email="c@example.org", now_ms=NOW_MS),
        lambda tx, admin, other: service.give_link(tx, admin, other, NOW_MS),
        lambda tx, admin, other: service.disable_member(tx, admin, other, NOW_MS),
        service.enable_member,
        lambda tx, admin, other: service.set_member_admin(tx, admin, other, is_admin=False),
        lambda tx, admin, other: service.begin_member_erasure(tx, admin, other, NOW_MS),
    ],
    ids=["invite", "link", "disable", "enable", "rights", "erase"],
)
def test_a_right_that_was_lost_meanwhile_is_gone(
    tmp_path: Path, use_case: Callable[[Transaction, Caller, int], object]
) -> None:
    """Read again in the transaction that would use it."""
    database, alice, bob = two_admins(tmp_path)
    database.write_here(lambda tx: service.set_member_admin(tx, alice, bob.account.id, is_admin=False))
    with pytest.raises(NotFound):
        database.write_here(lambda tx: use_case(tx, bob, alice.account.id))
    database.close()


def test_a_disabled_account_gets_no_link(tmp_path: Path) -> None:
    """Until it is enabled again."""
    database, alice, bob = two_admins(tmp_path)
    number = bob.account.id
    database.write_here(lambda tx: service.disable_member(tx, alice, number, NOW_MS))
    with pytest.raises(InvalidInput):
        database.write_here(lambda tx: service.give_link(tx, alice, number, NOW_MS))
    database.write_here(lambda tx: service.enable_member(tx, alice, number))
    account, _, _ = database.write_here(lambda tx: service.give_link(tx, alice, number, NOW_MS))
    with pytest.raises(InvalidInput):
        database.write_here(lambda tx: service.begin_member_erasure(tx, alice, alice.account.id, NOW_MS))
    database.write_here(lambda tx: service.begin_member_erasure(tx, alice, number, NOW_MS))
    with pytest.raises(NotFound):
        database.read_here(lambda tx: service.find_account(tx, alice, number))
    database.close()

    assert account.id == number
