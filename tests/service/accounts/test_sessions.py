from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.model.account import Account
from pagegrade.service.accounts.operations import disable
from pagegrade.service.accounts.sessions import (
    DAY_MS,
    GRACE_MS,
    IDLE_MS,
    LASTS_MS,
    MAX_AGENT,
    MAX_SESSIONS,
    ROTATED_MS,
    SEEN_MS,
    SignedIn,
    digest,
    end_tokens,
    find_signed_in,
    is_token,
    keep_session,
    list_open,
    make_token,
    renew_token,
    start_session,
)
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.credentials import AHEAD_MS
from tests.store_builders import NOW_MS, add_owner, make_database


def start(database: Database, account: Account, agent: str = "Firefox", at_ms: int = NOW_MS) -> str:
    """The token of a new session."""
    return database.write_here(lambda tx: start_session(tx, account, agent, at_ms))


def look(database: Database, token: str, at_ms: int) -> SignedIn | None:
    """The account that is signed in with the token then."""
    return database.read_here(lambda tx: find_signed_in(tx, token, at_ms))


def keep(database: Database, token: str, at_ms: int) -> str | None:
    """The new token of a session that is used then, where it gets one."""
    found = look(database, token, at_ms)
    if found is None:
        raise AssertionError("the session is over")
    return database.write_here(lambda tx: keep_session(tx, found.session, token, at_ms))


@pytest.mark.backend("sqlite", reason="reads the files")
def test_a_token_has_256_random_bits_and_only_its_hash_is_stored(tmp_path: Path) -> None:
    """A reader of the database file cannot sign in with its contents."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    token = start(database, alice)
    database.close()

    assert is_token(token)
    assert len({make_token() for _ in range(100)}) == 100
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir())

    assert token.encode() not in files
    assert digest(token) in files


@pytest.mark.parametrize("token", ["", "x", "A" * 42, "A" * 44, "A" * 42 + "=", "ä" * 43, "A" * 42 + "\n", "A" * 10**6])
def test_what_is_no_token_is_not_looked_up(tmp_path: Path, token: str) -> None:
    """However long or strange."""
    database = make_database(tmp_path)

    assert look(database, token, NOW_MS) is None
    assert database.write_here(lambda tx: end_tokens(tx, [token])) is None
    database.close()


def test_a_session_ends_when_it_is_not_used(tmp_path: Path) -> None:
    """Two weeks to the millisecond; one that is used goes on."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    token = start(database, alice)
    last = look(database, token, NOW_MS + IDLE_MS - 1)

    assert last is not None
    assert last.caller.account == alice
    assert last.caller.key is None
    assert look(database, token, NOW_MS + IDLE_MS) is None
    newer = keep(database, token, NOW_MS + IDLE_MS - 1)

    assert newer is not None
    assert look(database, newer, NOW_MS + IDLE_MS + DAY_MS) is not None
    database.close()


def test_a_session_ends_however_much_it_is_used(tmp_path: Path) -> None:
    """After sixty days a new sign-in is required."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    token = start(database, alice)
    for day in range(1, LASTS_MS // DAY_MS):
        token = keep(database, token, NOW_MS + day * DAY_MS) or token

    assert look(database, token, NOW_MS + LASTS_MS - 1) is not None
    assert look(database, token, NOW_MS + LASTS_MS) is None
    database.close()


def test_a_token_is_replaced_every_day(tmp_path: Path) -> None:
    """Before that it is only noted, now and then, that the session is used."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    token = start(database, alice)
    soon, later = look(database, token, NOW_MS + SEEN_MS - 1), look(database, token, NOW_MS + SEEN_MS)

    assert soon is not None
    assert later is not None
    assert (soon.due, later.due) == (False, True)
    assert keep(database, token, NOW_MS + ROTATED_MS - 1) is None
    newer = keep(database, token, NOW_MS + ROTATED_MS)

    assert newer is not None
    assert is_token(newer)
    assert newer != token
    database.close()


def test_two_tabs_with_the_old_token_both_go_on(tmp_path: Path) -> None:
    """One of them gets the new token; the other's old one is good for another minute, and replaces nothing."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    token = start(database, alice)
    at_ms = NOW_MS + ROTATED_MS
    found = look(database, token, at_ms)

    assert found is not None
    tabs = [database.write_here(lambda tx: keep_session(tx, found.session, token, at_ms)) for _ in range(2)]
    in_grace, after = look(database, token, at_ms + GRACE_MS - 1), look(database, token, at_ms + GRACE_MS)

    assert tabs[0] is not None
    assert tabs[1] is None
    assert in_grace is not None
    assert not in_grace.due
    assert after is None
    assert look(database, tabs[0], at_ms + GRACE_MS) is not None
    database.close()


def test_a_session_of_a_clock_that_was_ahead_is_over(tmp_path: Path) -> None:
    """It would last longer than any may, and be fresh for as long; a little ahead is another machine."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    token = start(database, alice)
    at_limit, past_it = look(database, token, NOW_MS - AHEAD_MS), look(database, token, NOW_MS - AHEAD_MS - 1)
    listed = database.read_here(lambda tx: list_open(tx, alice.id, NOW_MS - AHEAD_MS - 1))

    assert at_limit is not None
    assert past_it is None
    assert listed == ()
    assert look(database, token, NOW_MS) is not None
    database.close()


def test_a_disabled_account_is_signed_out_at_once(tmp_path: Path) -> None:
    """Also where its sessions were left in the tables."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    token = start(database, alice)
    database.write_here(lambda tx: tx.exec_driver_sql("UPDATE accounts SET disabled_at_ms = 1"))
    left = look(database, token, NOW_MS)
    database.write_here(lambda tx: tx.exec_driver_sql("UPDATE accounts SET disabled_at_ms = NULL"))
    database.write_here(lambda tx: disable(tx, alice.id, NOW_MS))
    database.write_here(lambda tx: tx.exec_driver_sql("UPDATE accounts SET disabled_at_ms = NULL"))

    assert left is None
    assert look(database, token, NOW_MS) is None
    database.close()


def test_a_browser_is_remembered_by_a_harmless_name(tmp_path: Path) -> None:
    """Cut to what is stored, and without what no table takes."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    start(database, alice, "\x00\ud800" + "x" * 10_000)
    (session,) = database.read_here(lambda tx: list_open(tx, alice.id, NOW_MS))

    assert len(session.agent) == MAX_AGENT
    assert "\x00" not in session.agent
    database.close()


def test_sessions_that_are_over_are_not_listed(tmp_path: Path) -> None:
    """Before they are removed."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    start(database, alice)

    assert len(database.read_here(lambda tx: list_open(tx, alice.id, NOW_MS + IDLE_MS - 1))) == 1
    assert database.read_here(lambda tx: list_open(tx, alice.id, NOW_MS + IDLE_MS)) == ()
    database.close()


def test_an_account_has_only_so_many_sessions(tmp_path: Path) -> None:
    """The one left alone the longest ends; those of others go on."""
    database = make_database(tmp_path)
    (alice, _), (bob, _) = add_owner(database), add_owner(database, "Bob")
    his, first, second = (start(database, account) for account in (bob, alice, alice))
    keep(database, first, NOW_MS + SEEN_MS)
    newer = [start(database, alice, at_ms=NOW_MS + SEEN_MS) for _ in range(MAX_SESSIONS - 1)]
    later = NOW_MS + 2 * SEEN_MS

    assert len(database.read_here(lambda tx: list_open(tx, alice.id, later))) == MAX_SESSIONS
    assert look(database, second, later) is None
    assert all(look(database, token, later) for token in (first, his, *newer))
    database.close()


def test_a_renewed_token_has_no_grace(tmp_path: Path) -> None:
    """After a change of the password the old token is dead at once; a session that has ended is not renewed."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    token = start(database, alice)
    found = look(database, token, NOW_MS)

    assert found is not None
    newer = database.write_here(lambda tx: renew_token(tx, found.session, NOW_MS))

    assert newer is not None
    assert look(database, token, NOW_MS) is None
    assert look(database, newer, NOW_MS) is not None
    database.write_here(lambda tx: end_tokens(tx, [newer]))

    assert database.write_here(lambda tx: renew_token(tx, found.session, NOW_MS)) is None
    database.close()
