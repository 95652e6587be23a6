from __future__ import annotations

from pathlib import Path

from sqlalchemy import delete, func, select

from pagegrade.model.account import Account, Caller, Role
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.accounts import delete_account, mark_erasing
from pagegrade.store.repositories.actions import (
    KEPT_MS,
    MOST,
    NAMED,
    add_action,
    forget_actions,
    list_actions,
    names_of,
)
from pagegrade.store.repositories.deletion_clock import AgeMs
from pagegrade.store.schema.account_tables import actions
from pagegrade.store.schema.tables import api_keys
from tests.store_builders import NOW_MS, add_key, add_owner, make_database


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
    gone = [database.write_here(lambda tx: forget_actions(tx, AgeMs(NOW_MS + KEPT_MS), limit=1)) for _ in range(3)]

    assert gone == [1, 1, 0]
    assert len(logged(database, caller.account)) == 1


def test_a_log_is_bounded(tmp_path: Path) -> None:
    """The newest are kept, and those of others."""
    database = make_database(tmp_path)
    alice, bob = (add_owner(database, name)[0] for name in ("Alice", "Bob"))
    note(database, Caller(account=bob))
    note(database, Caller(account=alice), "oldest")
    note(database, Caller(account=alice), times=MOST - 2)
    full = database.read_here(lambda tx: tx.execute(select(func.count()).select_from(actions)).scalar_one())
    note(database, Caller(account=alice), times=2)
    kept = logged(database, alice)

    assert full == MOST
    assert (len(kept), {each[2] for each in kept}) == (MOST, {"delete_report"})
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
