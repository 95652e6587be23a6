from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import func, select

from pagegrade.model.account import Account, Role
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.accounts import disable_account, mark_erasing
from pagegrade.store.repositories.deletion_clock import AgeMs
from pagegrade.store.repositories.members import (
    add_invitation,
    add_membership,
    find_invitation,
    list_invitations,
    list_memberships,
    list_teammates,
    load_role,
    remove_invitation,
    remove_membership,
    save_role,
)
from pagegrade.store.repositories.sessions import AHEAD_MS, forget_ended
from pagegrade.store.schema.account_tables import invitations, memberships
from tests.store_builders import NOW_MS, add_owner, make_database

DAY_MS = 86_400_000


def make_team(tmp_path: Path) -> tuple[Database, Account, Account, Account]:
    """Alice, whose account Bob and Carol work in."""
    database = make_database(tmp_path)
    alice, bob, carol = (add_owner(database, name)[0] for name in ("Alice", "Bob", "Carol"))

    def work(tx: Transaction) -> None:
        add_membership(tx, alice.id, carol.id, Role.ADMIN, NOW_MS)
        add_membership(tx, alice.id, bob.id, Role.VIEWER, NOW_MS + 1)

    database.write_here(work)
    return database, alice, bob, carol


def test_members_are_listed_from_both_sides(tmp_path: Path) -> None:
    """An account its members as they joined, a person the accounts by name."""
    database, alice, bob, carol = make_team(tmp_path)
    database.write_here(lambda tx: add_membership(tx, carol.id, bob.id, Role.OWNER, NOW_MS))
    team = database.read_here(lambda tx: list_teammates(tx, alice.id))
    his = database.read_here(lambda tx: list_memberships(tx, bob.id))

    assert [(each.person.name, each.role, each.joined_at_ms) for each in team] == [
        ("Carol", Role.ADMIN, NOW_MS),
        ("Bob", Role.VIEWER, NOW_MS + 1),
    ]
    assert [(each.account.name, each.role) for each in his] == [("Alice", Role.VIEWER), ("Carol", Role.OWNER)]
    assert database.read_here(lambda tx: list_memberships(tx, alice.id)) == ()


def test_a_role_changes_and_ends(tmp_path: Path) -> None:
    """Of this member alone."""
    database, alice, bob, carol = make_team(tmp_path)
    database.write_here(lambda tx: save_role(tx, alice.id, bob.id, Role.EDITOR))

    def role(person: Account) -> Role | None:
        return database.read_here(lambda tx: load_role(tx, alice.id, person.id))

    assert (role(bob), role(carol), role(alice)) == (Role.EDITOR, Role.ADMIN, None)
    assert database.write_here(lambda tx: remove_membership(tx, alice.id, bob.id))
    assert not database.write_here(lambda tx: remove_membership(tx, alice.id, bob.id))
    assert (role(bob), role(carol)) == (None, Role.ADMIN)


def test_an_account_that_does_not_work_cannot_be_opened(tmp_path: Path) -> None:
    """Disabled, it comes back when it is enabled: the membership stays."""
    database, alice, bob, _ = make_team(tmp_path)
    database.write_here(lambda tx: disable_account(tx, alice.id, NOW_MS))

    assert database.read_here(lambda tx: list_memberships(tx, bob.id)) == ()
    assert database.read_here(lambda tx: load_role(tx, alice.id, bob.id)) is Role.VIEWER


@pytest.mark.parametrize("who", ["account", "person"])
def test_erasing_ends_memberships(tmp_path: Path, who: str) -> None:
    """At once: of the account and of the person, with the invitations of the account."""
    database, alice, bob, _ = make_team(tmp_path)
    invite(database, alice, b"a")
    erased = alice if who == "account" else bob
    database.write_here(lambda tx: mark_erasing(tx, erased.id, NOW_MS))
    kept = database.read_here(lambda tx: [row[0] for row in tx.execute(select(memberships.c.person_id))])
    invited = database.read_here(lambda tx: tx.execute(select(func.count()).select_from(invitations)).scalar_one())

    assert (len(kept), invited) == ((0, 0) if who == "account" else (1, 1))
    assert bob.id not in kept


def invite(database: Database, account: Account, token: bytes, *, at_ms: int = NOW_MS) -> int:
    """The id of an invitation that can be accepted for a day."""
    return database.write_here(
        lambda tx: add_invitation(
            tx,
            account.id,
            token_sha256=token * 32,
            role=Role.EDITOR,
            label="Dora",
            now_ms=at_ms,
            expires_at_ms=at_ms + DAY_MS,
        )
    ).id


def test_an_invitation_ends(tmp_path: Path) -> None:
    """At its time to the millisecond; the newest is listed first."""
    database, alice, bob, _ = make_team(tmp_path)
    first, second = invite(database, alice, b"a"), invite(database, alice, b"b", at_ms=NOW_MS + 1)
    end = NOW_MS + DAY_MS
    found = database.read_here(lambda tx: find_invitation(tx, b"a" * 32, end - 1))

    assert found is not None
    assert (found.id, found.account_id, found.role, found.label) == (first, alice.id, Role.EDITOR, "Dora")
    assert database.read_here(lambda tx: find_invitation(tx, b"a" * 32, end)) is None
    assert database.read_here(lambda tx: find_invitation(tx, b"c" * 32, NOW_MS)) is None
    assert listed(database, alice, NOW_MS) == [second, first]
    assert listed(database, alice, NOW_MS - AHEAD_MS) == [first]
    assert database.read_here(lambda tx: find_invitation(tx, b"a" * 32, NOW_MS - AHEAD_MS - 1)) is None
    assert listed(database, alice, end) == [second]
    assert listed(database, bob, NOW_MS) == []


def listed(database: Database, account: Account, at_ms: int) -> list[int]:
    """The invitations of an account that can be accepted then."""
    return [each.id for each in database.read_here(lambda tx: list_invitations(tx, account.id, at_ms))]


def test_an_invitation_is_withdrawn_by_its_account(tmp_path: Path) -> None:
    """By no other."""
    database, alice, bob, _ = make_team(tmp_path)
    made = invite(database, alice, b"a")

    assert not database.write_here(lambda tx: remove_invitation(tx, bob.id, made))
    assert database.write_here(lambda tx: remove_invitation(tx, alice.id, made))
    assert not database.write_here(lambda tx: remove_invitation(tx, alice.id, made))


def test_ended_invitations_are_forgotten(tmp_path: Path) -> None:
    """With ended sessions; the others stay."""
    database, alice, _, _ = make_team(tmp_path)
    invite(database, alice, b"a")
    kept = invite(database, alice, b"b", at_ms=NOW_MS + 1)
    end = NOW_MS + DAY_MS
    gone = database.write_here(lambda tx: forget_ended(tx, age=AgeMs(end), idle_ms=DAY_MS))
    left = database.read_here(lambda tx: [row[0] for row in tx.execute(select(invitations.c.id))])

    assert (gone, left) == (1, [kept])
