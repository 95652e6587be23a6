from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.model.account import Account, Caller, GroupRule, Identity, Provider, Role
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.service.accounts.identities import (
    DISABLED,
    MAIL_TAKEN,
    MAX_OFFER,
    NO_MAIL,
    OFFER_MS,
    TAKEN,
    UNKNOWN,
    Visitor,
    accept,
    disconnect,
    find_connected,
    knows,
    may_disconnect,
    offer,
    sign_in_as,
)
from pagegrade.service.accounts.operations import disable
from pagegrade.service.accounts.sessions import find_signed_in, start_session
from pagegrade.service.accounts.team import create_shared, find_team
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.accounts import list_accounts, load_account, save_password
from pagegrade.store.repositories.credentials import add_passkey
from pagegrade.store.repositories.members import load_role
from tests.store_builders import NOW_MS, add_owner, make_database

PROVIDER = Provider(issuer="https://login.example.org", client_id="pagegrade", sign_up=True)
BOB = Identity(issuer=PROVIDER.issuer, subject="7", email="bob@example.org", is_email_verified=True, name="Bob")
VISITOR = Visitor(locale="de", agent="Firefox", tokens=())


def enter(
    database: Database, identity: Identity = BOB, *, provider: Provider = PROVIDER, visitor: Visitor = VISITOR
) -> Account:
    """The account that a person is signed in to."""
    token = database.write_here(lambda tx: sign_in_as(tx, identity, provider, visitor, now_ms=NOW_MS))
    found = database.read_here(lambda tx: find_signed_in(tx, token, NOW_MS))
    assert found is not None
    return found.caller.person


def test_a_person_has_one_account(tmp_path: Path) -> None:
    """The first time it is made, without rights, in the language of their browser; their sessions there end."""
    database = make_database(tmp_path)
    alice = add_owner(database)[0]
    token = database.write_here(lambda tx: start_session(tx, alice, "Firefox", NOW_MS))
    made = enter(database, replace(BOB, name="Bob\x00\u202e "), visitor=replace(VISITOR, tokens=(token,)))
    again = enter(database, replace(BOB, email="", is_email_verified=False, name=""))

    assert (made.name, made.email, made.locale, made.is_admin, made.has_password) == (
        *("Bob", "bob@example.org", "de", False, False),
    )
    assert again.id == made.id != alice.id
    assert database.read_here(lambda tx: find_signed_in(tx, token, NOW_MS)) is None


@pytest.mark.parametrize(
    ("identity", "sign_up", "reason"),
    [
        (BOB, False, UNKNOWN),
        (replace(BOB, email=""), True, NO_MAIL),
        (replace(BOB, email="alice@example.org", is_email_verified=False), True, MAIL_TAKEN),
        (replace(BOB, groups=frozenset({"design "})), False, UNKNOWN),
    ],
)
def test_who_gets_no_account(tmp_path: Path, identity: Identity, sign_up: bool, reason: str) -> None:  # noqa: FBT001
    """Nothing is made or connected."""
    database = make_database(tmp_path)
    alice = add_owner(database)[0]
    identity = replace(identity, email=identity.email and identity.email.replace("alice@example.org", alice.email))
    rules = (GroupRule("design", alice.id, Role.EDITOR),)
    provider = Provider(issuer=PROVIDER.issuer, client_id="pagegrade", sign_up=sign_up, groups=rules)
    with pytest.raises(InvalidInput) as caught:
        enter(database, identity, provider=provider)

    assert caught.value.reason == reason
    assert database.read_here(list_accounts) == (database.read_here(lambda tx: load_account(tx, alice.id)),)
    assert not database.read_here(lambda tx: knows(tx, identity))


def test_nobody_becomes_the_first_administrator(tmp_path: Path) -> None:
    """Administration belongs to the first account of an installation."""
    with pytest.raises(InvalidInput) as caught:
        enter(make_database(tmp_path))

    assert caught.value.reason == UNKNOWN


def test_a_disabled_account_is_not_entered(tmp_path: Path) -> None:
    """By its own person."""
    database = make_database(tmp_path)
    add_owner(database)
    made = enter(database)
    database.write_here(lambda tx: disable(tx, made.id, NOW_MS))
    with pytest.raises(InvalidInput) as caught:
        enter(database)

    assert caught.value.reason == DISABLED


def test_the_last_owner_and_the_own_account_stay(tmp_path: Path) -> None:
    """Whatever the groups say; and a workspace that is gone has no members."""
    database = make_database(tmp_path)
    add_owner(database)
    bob = enter(database)
    shared = database.write_here(lambda tx: create_shared(tx, Caller(account=bob), name="Web", now_ms=NOW_MS))
    rules = tuple(GroupRule("design", number, Role.VIEWER) for number in (shared.id, bob.id, 10**17))
    provider = Provider(issuer=PROVIDER.issuer, client_id="pagegrade", groups=rules)
    for groups in (frozenset({"design"}), frozenset[str]()):
        enter(database, replace(BOB, groups=groups), provider=provider)

        assert database.read_here(lambda tx: load_role(tx, shared.id, bob.id)) is Role.OWNER
        assert database.read_here(lambda tx: load_role(tx, bob.id, bob.id)) is None


def test_a_full_workspace_takes_nobody_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The person is signed in all the same; with one place left they are a member."""
    database = make_database(tmp_path)
    alice = add_owner(database)[0]
    provider = Provider(
        issuer=PROVIDER.issuer, client_id="pagegrade", groups=(GroupRule("design", alice.id, Role.EDITOR),)
    )
    member = replace(BOB, groups=frozenset({"design"}))
    sizes = []
    for most in (1, 2):
        monkeypatch.setattr("pagegrade.service.accounts.team.MAX_TEAM", most)
        enter(database, member, provider=provider)
        team = database.read_here(lambda tx: find_team(tx, Caller(account=alice), NOW_MS))
        sizes.append(len(team.members))

    assert sizes == [1, 2]


def test_an_offer_is_to_one_person_for_a_while(tmp_path: Path) -> None:
    """Of one provider, and nobody else can take or make it."""
    database = make_database(tmp_path)
    alice, carol = (add_owner(database, name)[0] for name in ("Alice", "Carol"))
    made = database.write_here(lambda tx: offer(tx, BOB, alice, NOW_MS))

    def take(offered: str, person: Account, at_ms: int = NOW_MS, provider: Provider = PROVIDER) -> None:
        database.write_here(lambda tx: accept(tx, Caller(account=person), offered, provider, now_ms=at_ms))

    elsewhere = Provider(issuer="https://other.example", client_id="pagegrade")
    broken = ("", "é", made[:-8], ("B" if made[0] == "A" else "A") + made[1:], made + "A" * MAX_OFFER)
    refused = [
        (made, carol, NOW_MS, PROVIDER),
        (made, alice, NOW_MS + OFFER_MS, PROVIDER),
        (made, alice, NOW_MS, elsewhere),
    ]
    for wrong in (*refused, *((each, alice, NOW_MS, PROVIDER) for each in broken)):
        with pytest.raises(NotFound):
            take(*wrong)

    assert not database.read_here(lambda tx: knows(tx, BOB))
    take(made, alice, NOW_MS + OFFER_MS - 1)
    take(made, alice)

    assert enter(database).id == alice.id
    assert database.read_here(lambda tx: find_connected(tx, Caller(account=alice), PROVIDER)) == BOB.email
    second = database.write_here(lambda tx: offer(tx, BOB, carol, NOW_MS))
    with pytest.raises(InvalidInput) as caught:
        take(second, carol)

    assert caught.value.reason == TAKEN
    database.write_here(lambda tx: save_password(tx, alice.id, "hash"))
    database.write_here(lambda tx: disconnect(tx, Caller(account=alice), PROVIDER, takes_passkeys=False))
    take(second, carol)

    assert enter(database).id == carol.id


@pytest.mark.parametrize(
    ("has_password", "has_passkey", "takes_passkeys", "may"),
    [
        (True, False, False, True),
        (False, True, True, True),
        (False, True, False, False),
        (False, False, True, False),
    ],
)
def test_another_way_to_sign_in_must_remain(
    tmp_path: Path, *, has_password: bool, has_passkey: bool, takes_passkeys: bool, may: bool
) -> None:
    """A password, or a passkey where browsers have them for the address of the installation."""
    database = make_database(tmp_path)
    alice = add_owner(database)[0]
    caller = Caller(account=alice)
    made = database.write_here(lambda tx: offer(tx, BOB, alice, NOW_MS))
    database.write_here(lambda tx: accept(tx, caller, made, PROVIDER, now_ms=NOW_MS))
    if has_password:
        database.write_here(lambda tx: save_password(tx, alice.id, "hash"))
    if has_passkey:
        values: dict[str, Any] = {"name": "Phone", "credential_id": b"i", "credential": b"c", "sign_count": 0}
        database.write_here(lambda tx: add_passkey(tx, alice.id, challenged_at_ms=1, now_ms=NOW_MS, **values))

    told = database.read_here(lambda tx: may_disconnect(tx, caller, takes_passkeys=takes_passkeys))
    with nullcontext() if may else pytest.raises(NotFound):
        database.write_here(lambda tx: disconnect(tx, caller, PROVIDER, takes_passkeys=takes_passkeys))
    is_off = database.read_here(lambda tx: find_connected(tx, caller, PROVIDER)) is None

    assert (told, is_off) == (may, may)
