from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import delete, func, select

from pagegrade.model.account import Account, Caller, Role
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.accounts import delete_account, disable_account, mark_erasing
from pagegrade.store.repositories.credentials import AHEAD_MS, forget_ended
from pagegrade.store.repositories.installation import AgeMs
from pagegrade.store.repositories.members import (
    ACTIONS_KEPT_MS,
    MOST_ACTIONS,
    NAMED,
    add_action,
    add_invitation,
    add_membership,
    find_invitation,
    forget_actions,
    list_actions,
    list_invitations,
    list_memberships,
    list_teammates,
    load_role,
    names_of,
    remove_invitation,
    remove_membership,
    save_role,
)
from pagegrade.store.repositories.reports import add_batch, delete_reports
from pagegrade.store.schema.account_tables import actions, invitations, memberships
from pagegrade.store.schema.tables import api_keys
from tests.share_builders import add_shared
from tests.store_builders import NOW_MS, add_key, add_owner, make_database

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


def note(
    database: Database, caller: Caller, operation: str = "delete_report", *, times: int = 1, at_ms: int = NOW_MS
) -> None:
    """Add actions of a caller."""

    def work(tx: Transaction) -> None:
        for _ in range(times):
            add_action(tx, caller, operation=operation, target=7, now_ms=at_ms)

    database.write_here(work)


def logged(database: Database, account: Account, **which: int) -> list[tuple[bool, str, str, int | None]]:
    """The log of an account."""
    found = database.read_here(lambda tx: list_actions(tx, account.id, **which))
    return [(each.is_key, each.actor, each.operation, each.target) for each in found]


def test_actions_are_listed_the_newest_first(tmp_path: Path) -> None:
    """Of one account, with the names of people and keys; in parts."""
    database = make_database(tmp_path)
    alice, bob = (add_owner(database, name)[0] for name in ("Alice", "Bob"))
    key, _ = add_key(database, alice.id)
    note(database, Caller(account=alice), "create_monitor")
    note(database, Caller(account=alice, own=bob, role=Role.EDITOR), "delete_report")
    note(database, Caller(account=alice, key=key), "patch_report")
    note(database, Caller(account=bob), "make_own_key")
    first = database.read_here(lambda tx: list_actions(tx, alice.id))[-1].id

    assert logged(database, alice) == [
        (True, key.name, "patch_report", 7),
        (False, "Bob", "delete_report", 7),
        (False, "Alice", "create_monitor", 7),
    ]
    assert logged(database, alice, limit=1) == [(True, key.name, "patch_report", 7)]
    assert logged(database, alice, before_id=first + 1) == [(False, "Alice", "create_monitor", 7)]
    assert logged(database, alice, before_id=first) == []


def test_who_is_gone_has_no_name_in_the_log(tmp_path: Path) -> None:
    """Of an erased person and a deleted key nothing is left but what was done; an erased account has no log."""
    database = make_database(tmp_path)
    alice, bob = (add_owner(database, name)[0] for name in ("Alice", "Bob"))
    key, _ = add_key(database, alice.id)
    note(database, Caller(account=alice, own=bob))
    note(database, Caller(account=alice, key=key))
    note(database, Caller(account=bob))
    database.write_here(lambda tx: mark_erasing(tx, bob.id, NOW_MS))
    erasing = logged(database, alice), logged(database, bob)
    database.write_here(lambda tx: delete_account(tx, bob.id))
    database.write_here(lambda tx: tx.execute(delete(api_keys).where(api_keys.c.id == key.id)))

    assert erasing == ([(True, key.name, "delete_report", 7), (False, "", "delete_report", 7)], [])
    assert logged(database, alice) == [(True, "", "delete_report", 7), (False, "", "delete_report", 7)]


def test_actions_are_forgotten_in_time(tmp_path: Path) -> None:
    """After 90 days, so many at a time."""
    database = make_database(tmp_path)
    caller = Caller(account=add_owner(database, "Alice")[0])
    for at_ms in (NOW_MS - 2, NOW_MS - 1, NOW_MS):
        note(database, caller, at_ms=at_ms)
    gone = [
        database.write_here(lambda tx: forget_actions(tx, AgeMs(NOW_MS + ACTIONS_KEPT_MS), limit=1)) for _ in range(3)
    ]

    assert gone == [1, 1, 0]
    assert len(logged(database, caller.account)) == 1


def test_a_log_is_bounded(tmp_path: Path) -> None:
    """The newest are kept, and those of others."""
    database = make_database(tmp_path)
    alice, bob = (add_owner(database, name)[0] for name in ("Alice", "Bob"))
    note(database, Caller(account=bob))
    note(database, Caller(account=alice), "oldest")
    note(database, Caller(account=alice), times=MOST_ACTIONS - 2)
    full = database.read_here(lambda tx: tx.execute(select(func.count()).select_from(actions)).scalar_one())
    note(database, Caller(account=alice), times=2)
    kept = logged(database, alice)

    assert full == MOST_ACTIONS
    assert (len(kept), {each[2] for each in kept}) == (MOST_ACTIONS, {"delete_report"})
    assert len(logged(database, bob)) == 1


def test_names_are_those_of_the_account(tmp_path: Path) -> None:
    """Of every kind that has one; of nothing that is gone or somebody else's."""
    database = make_database(tmp_path)
    alice, bob = (add_owner(database, name)[0] for name in ("Alice", "Bob"))
    key, foreign = (add_key(database, each.id, name=f"Key of {each.name}")[0] for each in (alice, bob))
    ids = {**dict.fromkeys(NAMED, (10**6,)), "keys": (key.id, foreign.id), "members": (bob.id,), "batches": (1,)}

    assert database.read_here(lambda tx: names_of(tx, alice.id, ids)) == {
        ("keys", key.id): "Key of Alice",
        ("members", bob.id): "Bob",
    }


def test_a_batch_is_called_by_its_first_report_that_is_there(tmp_path: Path) -> None:
    """One row is read for each batch, whatever the number of its reports."""
    database = make_database(tmp_path)
    alice, bob = (add_owner(database, name)[0] for name in ("Alice", "Bob"))
    ids = [add_shared(database, alice, url=f"https://example.com/{place}", now_ms=NOW_MS).id for place in range(3)]

    def work(tx: Transaction) -> list[int]:
        made = [
            add_batch(tx, alice.id, each, refused=b"[]", now_ms=NOW_MS) for each in (ids[::-1], ids, ids[:1], ids[1:])
        ]
        delete_reports(tx, (ids[0],))
        return made

    back, forth, gone, rest = database.write_here(work)
    wanted = {"batches": (back, forth, gone, rest)}
    query, target, _ = NAMED["batches"]
    rows = database.read_here(lambda tx: tx.execute(query.where(target.in_((back, forth, rest)))).all())

    assert database.read_here(lambda tx: names_of(tx, alice.id, wanted)) == {
        ("batches", back): "https://example.com/2",
        ("batches", forth): "https://example.com/1",
        ("batches", rest): "https://example.com/1",
    }
    assert len(rows) == 3
    assert database.read_here(lambda tx: names_of(tx, bob.id, wanted)) == {}
