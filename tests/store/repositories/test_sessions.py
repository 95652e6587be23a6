from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path

from pagegrade.model.account import Session
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.deletion_clock import AgeMs
from pagegrade.store.repositories.sessions import (
    AHEAD_MS,
    add_link,
    add_session,
    end_oldest,
    end_session,
    end_sessions,
    end_token,
    find_link,
    find_session,
    forget_ended,
    forget_links,
    list_sessions,
    replace_token,
    rotate_session,
    touch_session,
    use_link,
)
from tests.store_builders import NOW_MS, add_owner, make_database

DAY_MS = 86_400_000


def sha(text: str) -> bytes:
    """A hash as it is stored."""
    return hashlib.sha256(text.encode()).digest()


def open_session(database: Database, account_id: int, token: str, *, at_ms: int = NOW_MS, by_link: bool = False) -> int:
    """The id of a new session with this token."""
    return database.write_here(
        lambda tx: add_session(
            tx,
            account_id,
            token_sha256=sha(token),
            agent="Firefox",
            now_ms=at_ms,
            expires_at_ms=at_ms + DAY_MS,
            by_link=by_link,
        )
    ).id


def test_a_session_is_found_by_its_token_with_its_account(tmp_path: Path) -> None:
    """Every member as it was stored; another token finds nothing."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    session_id = open_session(database, alice.id, "one", by_link=True)
    found = database.read_here(lambda tx: find_session(tx, sha("one")))
    expected = Session(
        id=session_id,
        account_id=alice.id,
        agent="Firefox",
        created_at_ms=NOW_MS,
        rotated_at_ms=NOW_MS,
        seen_at_ms=NOW_MS,
        expires_at_ms=NOW_MS + DAY_MS,
        by_link=True,
    )

    assert found == (expected, alice, False)
    assert database.read_here(lambda tx: find_session(tx, sha("two"))) is None
    database.close()


def test_of_two_that_rotate_a_token_one_wins(tmp_path: Path) -> None:
    """The one before stays known as such; the one before that is gone."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    session_id = open_session(database, alice.id, "one")

    def rotate(old: str, new: str) -> bool:
        return database.write_here(
            lambda tx: rotate_session(tx, session_id, old_sha256=sha(old), new_sha256=sha(new), now_ms=NOW_MS + 1)
        )

    def known(token: str) -> bool | None:
        found = database.read_here(lambda tx: find_session(tx, sha(token)))
        return None if found is None else found[2]

    assert [rotate("one", "two"), rotate("one", "other")] == [True, False]
    assert [known("one"), known("two"), known("other")] == [True, False, None]
    assert rotate("two", "three")
    assert [known("one"), known("two"), known("three")] == [None, True, False]
    database.close()


def test_a_replaced_token_leaves_nothing_of_the_one_before(tmp_path: Path) -> None:
    """As is wanted after a new password; a session that has ended gets none."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    session_id = open_session(database, alice.id, "one")
    done = database.write_here(lambda tx: replace_token(tx, session_id, sha("two"), NOW_MS))
    gone = database.write_here(lambda tx: replace_token(tx, session_id + 1, sha("three"), NOW_MS))

    assert (done, gone) == (True, False)
    assert database.read_here(lambda tx: find_session(tx, sha("one"))) is None
    assert database.read_here(lambda tx: find_session(tx, sha("two"))) is not None
    database.close()


def test_sessions_end_one_by_one_and_all_but_one(tmp_path: Path) -> None:
    """Only those of the account; the one used last is listed first."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    bob, _ = add_owner(database, "Bob")
    first, second, third = (open_session(database, alice.id, name) for name in ("one", "two", "three"))
    bobs = open_session(database, bob.id, "bob")
    database.write_here(lambda tx: touch_session(tx, second, NOW_MS + 5))
    listed = [each.id for each in database.read_here(lambda tx: list_sessions(tx, alice.id))]
    foreign = database.write_here(lambda tx: end_session(tx, alice.id, bobs))
    own = database.write_here(lambda tx: end_session(tx, alice.id, first))
    others = database.write_here(lambda tx: end_sessions(tx, alice.id, but=third))

    assert listed == [second, first, third]
    assert (foreign, own, others) == (False, True, 1)
    assert [each.id for each in database.read_here(lambda tx: list_sessions(tx, alice.id))] == [third]
    assert database.write_here(lambda tx: end_sessions(tx, alice.id)) == 1
    assert len(database.read_here(lambda tx: list_sessions(tx, bob.id))) == 1
    database.close()


def test_the_sessions_left_alone_the_longest_end(tmp_path: Path) -> None:
    """All but so many of the account; of two used at the same moment the older one."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    bob, _ = add_owner(database, "Bob")
    first, _, third = (open_session(database, alice.id, name) for name in ("one", "two", "three"))
    open_session(database, bob.id, "bob")
    database.write_here(lambda tx: touch_session(tx, first, NOW_MS + 5))
    none = database.write_here(lambda tx: end_oldest(tx, alice.id, but=3))
    one = database.write_here(lambda tx: end_oldest(tx, alice.id, but=2))

    assert (none, one) == (0, 1)
    assert [each.id for each in database.read_here(lambda tx: list_sessions(tx, alice.id))] == [first, third]
    assert len(database.read_here(lambda tx: list_sessions(tx, bob.id))) == 1
    database.close()


def test_a_token_ends_its_session_also_as_the_one_before(tmp_path: Path) -> None:
    """A browser that signs out may not have heard of the new one."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    session_id = open_session(database, alice.id, "one")
    database.write_here(
        lambda tx: rotate_session(tx, session_id, old_sha256=sha("one"), new_sha256=sha("two"), now_ms=NOW_MS)
    )

    assert not database.write_here(lambda tx: end_token(tx, sha("never")))
    assert database.write_here(lambda tx: end_token(tx, sha("one")))
    assert database.read_here(lambda tx: list_sessions(tx, alice.id)) == ()
    database.close()


def test_a_link_is_used_once(tmp_path: Path) -> None:
    """Until then it can be looked at; afterwards, and after its end, it is as if it had never been."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    for name in ("used", "late", "dropped"):
        database.write_here(
            partial(add_link, account_id=alice.id, token_sha256=sha(name), now_ms=NOW_MS, expires_at_ms=NOW_MS + 9)
        )

    def found(name: str, at_ms: int) -> bool:
        return database.read_here(lambda tx: find_link(tx, sha(name), at_ms)) == alice

    ahead = [found("used", NOW_MS - AHEAD_MS), found("used", NOW_MS - AHEAD_MS - 1)]
    too_early = database.write_here(lambda tx: use_link(tx, sha("used"), NOW_MS - AHEAD_MS - 1))
    looked = [found("used", NOW_MS), found("used", NOW_MS)]
    used = [database.write_here(lambda tx: use_link(tx, sha("used"), NOW_MS)) for _ in range(2)]
    late = database.write_here(lambda tx: use_link(tx, sha("late"), NOW_MS + 9))

    assert ahead == [True, False]  # of a clock that was set back since
    assert not too_early

    assert looked == [True, True]
    assert used == [True, False]
    assert not late
    assert [found("used", NOW_MS), found("late", NOW_MS + 9), found("late", NOW_MS + 8)] == [False, False, True]
    assert database.write_here(lambda tx: forget_links(tx, alice.id)) == 3
    assert not found("dropped", NOW_MS)
    database.close()


def test_what_is_over_is_forgotten(tmp_path: Path) -> None:
    """Sessions past their end or unused for too long, and links past theirs; the others stay."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    open_session(database, alice.id, "ended", at_ms=NOW_MS - DAY_MS)
    open_session(database, alice.id, "idle", at_ms=NOW_MS - 10)
    kept = open_session(database, alice.id, "kept")
    for name, until_ms in (("old", NOW_MS), ("new", NOW_MS + 1)):
        database.write_here(
            partial(add_link, account_id=alice.id, token_sha256=sha(name), now_ms=NOW_MS - 5, expires_at_ms=until_ms)
        )
    forgotten = database.write_here(lambda tx: forget_ended(tx, age=AgeMs(NOW_MS), idle_ms=5))

    assert forgotten == 3
    assert [each.id for each in database.read_here(lambda tx: list_sessions(tx, alice.id))] == [kept]
    assert database.read_here(lambda tx: find_link(tx, sha("new"), NOW_MS)) == alice
    database.close()
