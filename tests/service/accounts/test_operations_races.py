"""Changes of several processes to one account, or to the list of accounts, at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pagegrade.model.account import Account
from pagegrade.model.errors import InvalidInput
from pagegrade.service.accounts.operations import create_account, disable, enable, set_admin
from pagegrade.service.accounts.passkeys import TAKEN, add_own_passkey, read_registration
from pagegrade.service.container import Services
from pagegrade.service.sign_in import (
    WrongPassword,
    make_link,
    sign_in_with_link,
    sign_in_with_password,
    store_password,
)
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.accounts import count_admins, list_accounts
from pagegrade.store.repositories.credentials import list_sessions
from tests.postgres import while_it_is_open
from tests.service.accounts.test_passkeys import PARTY, add, begin, device, signed_in
from tests.store_builders import NOW_MS, add_owner, make_database

pytestmark = pytest.mark.backend("postgresql", reason="elsewhere one thing is written at a time")
T = TypeVar("T")
PASSWORD = "correct horse"


class Office:
    """Services with Alice, who administers the installation and has a password, and Bob, who may do so too."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.services = Services(database=database)
        self.hashed = asyncio.run(self.services.passwords.hash(PASSWORD))
        self.alice, self.bob = (add_owner(database, name)[0] for name in ("Alice", "Bob"))
        database.write_here(lambda tx: store_password(tx, self.alice.id, self.hashed))
        for account in (self.alice, self.bob):
            database.write_here(lambda tx, account=account: set_admin(tx, account.id, is_admin=True))  # type: ignore[misc]

    def while_it_is_open(self, work: Callable[[Transaction], object], other: Callable[[], T]) -> Future[T]:
        """Do ``other`` after ``work`` has written and before that is committed; ``other`` has to wait for it."""
        return while_it_is_open(self.database, work, other)

    def sign_in(self) -> str:
        """With Alice's password; the token."""
        more: dict[str, Any] = {"client": "192.0.2.1", "agent": "Firefox", "tokens": (), "now_ms": NOW_MS}
        return asyncio.run(sign_in_with_password(self.services, self.alice.email, PASSWORD, **more))

    def sessions(self) -> int:
        """Browsers signed in to Alice's account."""
        return len(self.database.read_here(lambda tx: list_sessions(tx, self.alice.id)))


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    """On a database of its own."""
    made = Office(make_database(tmp_path))
    yield made
    made.database.close()
    made.services.passwords.close()


ENDINGS: dict[str, Callable[[Transaction, Account], object]] = {
    "new password": lambda tx, account: store_password(tx, account.id, "another"),
    "disabled": lambda tx, account: disable(tx, account.id, NOW_MS),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_who_is_just_being_shut_out_does_not_get_in(office: Office, ending: str) -> None:
    """The password was right when it was compared, and is good for nothing a moment later."""
    signing_in = office.while_it_is_open(lambda tx: ENDINGS[ending](tx, office.alice), office.sign_in)

    with pytest.raises(WrongPassword):
        signing_in.result()

    assert office.sessions() == 0


@pytest.mark.parametrize("ending", ENDINGS)
def test_who_just_got_in_is_shut_out(office: Office, ending: str) -> None:
    """Their session was not there for others to see when it began."""
    token, _ = office.database.write_here(lambda tx: make_link(tx, office.alice.id, hours=1, now_ms=NOW_MS))

    def get_in(tx: Transaction) -> None:
        if sign_in_with_link(tx, token, agent="Firefox", tokens=(), now_ms=NOW_MS) is None:
            raise AssertionError("the link is good")

    ended = office.while_it_is_open(
        get_in, lambda: office.database.write_here(lambda tx: ENDINGS[ending](tx, office.alice))
    )
    ended.result()

    assert office.sessions() == 0


def test_no_two_accounts_get_one_passkey(office: Office) -> None:
    """The second is told, as where the first was there before."""
    own, database = device(), office.database
    alice, bob = signed_in(database, office.alice), signed_in(database, office.bob)
    first, sent = (own.make(begin(database, person)) for person in (alice, bob))
    made = read_registration(first)
    second = office.while_it_is_open(
        lambda tx: add_own_passkey(tx, alice, PARTY, made, name="Laptop", now_ms=NOW_MS),
        lambda: add(database, bob, sent),
    )
    with pytest.raises(InvalidInput) as raised:
        second.result()

    assert raised.value.reason == TAKEN


def test_no_two_accounts_get_one_address(office: Office) -> None:
    """Neither new ones, nor one that comes back."""
    office.database.write_here(lambda tx: disable(tx, office.bob.id, NOW_MS))

    def create(tx: Transaction) -> Account:
        return create_account(tx, name="Bert", email="BOB@example.org", now_ms=NOW_MS)

    second = office.while_it_is_open(create, lambda: office.database.write_here(create))
    with pytest.raises(InvalidInput, match="e-mail address already"):
        second.result()
    with pytest.raises(InvalidInput, match="e-mail address already"):
        office.database.write_here(lambda tx: enable(tx, office.bob.id))

    assert [account.email for account in office.database.read_here(list_accounts)].count("BOB@example.org") == 1


def test_the_last_two_administrators_do_not_send_each_other_away(office: Office) -> None:
    """One of them stays."""
    second = office.while_it_is_open(
        lambda tx: disable(tx, office.bob.id, NOW_MS, by=office.alice),
        lambda: office.database.write_here(lambda tx: disable(tx, office.alice.id, NOW_MS, by=office.bob)),
    )
    with pytest.raises(InvalidInput, match="only administrator"):
        second.result()

    assert office.database.read_here(count_admins) == 1
