from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.model.account import Account, Caller
from pagegrade.model.stored import Privacy, StoredReport
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.shares import (
    UNLOCK,
    UNLOCKED_S,
    Shared,
    find_public,
    find_shared,
    is_unlocked,
    open_shared,
    report_of_link,
    sign_unlock,
)
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.credentials import AHEAD_MS
from pagegrade.store.repositories.installation import load_or_make_secret
from tests.share_builders import add_shared, seen
from tests.store_builders import NOW_MS, add_owner, make_database

OPTIONS = ServiceOptions()
KEY = b"k" * 32
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated database, closed in the end."""
    made = make_database(tmp_path)
    yield made
    made.close()


def test_a_link_finds_what_is_shared_and_nothing_else(database: Database) -> None:
    """A private report and one that never was look alike, and so does every strange link."""
    alice, _ = add_owner(database)
    public = add_shared(database, alice, now_ms=NOW_MS)
    locked = add_shared(database, alice, now_ms=NOW_MS, privacy=Privacy.PASSWORD, password_hash="x")
    private = add_shared(database, alice, now_ms=NOW_MS, privacy=Privacy.PRIVATE)
    strange = [
        "",
        "a",
        "A" * 22,
        public.slug + "x",
        public.slug[:-1],
        public.slug.swapcase(),
        "../" * 7,
        "%",
        "\0" * 22,
    ]

    assert database.read_here(lambda tx: find_shared(tx, public.slug, report_of_link)) == public
    assert database.read_here(lambda tx: find_shared(tx, locked.slug, report_of_link)) == locked
    for slug in (private.slug, *strange):
        assert database.read_here(partial(find_shared, slug=slug, load=report_of_link)) is None


def test_an_expired_report_is_gone_at_that_very_moment(database: Database) -> None:
    """Even before it is deleted; one whose analysis is waited for has not expired."""
    alice, _ = add_owner(database)
    done = add_shared(database, alice, now_ms=NOW_MS, outcome=seen())
    waiting = add_shared(database, alice, now_ms=NOW_MS)
    made_ms = done.generated_at_ms or 0

    def find(slug: str, before_ms: int) -> StoredReport | None:
        return database.read_here(lambda tx: find_shared(tx, slug, report_of_link, expired_before_ms=before_ms))

    assert find(done.slug, made_ms) == done
    assert find(done.slug, made_ms + 1) is None
    assert find(waiting.slug, made_ms + 1) == waiting


def test_a_token_opens_one_report_until_its_time_or_its_password_is_over(database: Database) -> None:
    """Twelve hours; and not another report, another link, another password or another installation."""
    alice, _ = add_owner(database)
    report = add_shared(database, alice, now_ms=NOW_MS, privacy=Privacy.PASSWORD, password_hash="x")
    other = add_shared(database, alice, now_ms=NOW_MS, privacy=Privacy.PASSWORD, password_hash="x")
    token = sign_unlock(KEY, report, NOW_MS)
    end_ms = NOW_MS + UNLOCKED_S * 1000

    assert UNLOCKED_S <= 12 * 3600
    assert is_unlocked(KEY, report, token, NOW_MS)
    assert is_unlocked(KEY, report, token, end_ms - 1)
    assert not is_unlocked(KEY, report, token, end_ms)
    # Of a clock that was set back since, however right its signature is.
    assert is_unlocked(KEY, report, token, NOW_MS - AHEAD_MS)
    assert not is_unlocked(KEY, report, token, NOW_MS - AHEAD_MS - 1)
    assert not is_unlocked(KEY, other, token, NOW_MS)
    assert not is_unlocked(KEY, replace(report, slug=other.slug), token, NOW_MS)
    assert not is_unlocked(KEY, replace(report, password_version=report.password_version + 1), token, NOW_MS)
    assert not is_unlocked(b"j" * 32, report, token, NOW_MS)


def test_a_token_that_was_touched_opens_nothing(database: Database) -> None:
    """Every character of it counts, and no text makes the reader fail."""
    alice, _ = add_owner(database)
    report = add_shared(database, alice, now_ms=NOW_MS, privacy=Privacy.PASSWORD, password_hash="x")
    token = sign_unlock(KEY, report, NOW_MS)
    # The last character carries bits that are no part of the token, so it is left out of the sweep.
    touched = [token[:i] + ("A" if token[i] != "A" else "B") + token[i + 1 :] for i in range(len(token) - 1)]
    strange = [
        "",
        "A",
        "=",
        "ä" * 70,
        "A" * len(token),
        token + "AAAA",
        token[:-4],
        token * 100,
        "\0",
        "!" * len(token),
    ]

    assert [each for each in (*touched, *strange) if is_unlocked(KEY, report, each, NOW_MS)] == []


def opened(
    database: Database,
    report: StoredReport,
    visitor: Account | None = None,
    tokens: tuple[str, ...] = (),
    options: ServiceOptions = OPTIONS,
) -> Shared[StoredReport] | None:
    """The page behind the link of the report, a minute after it was made."""
    caller = None if visitor is None else Caller(account=visitor)
    return database.read_here(
        lambda tx: open_shared(
            tx, report.slug, report_of_link, visitor=caller, tokens=tokens, options=options, now_ms=NOW_MS + 60_000
        )
    )


def test_whose_report_it_is_decides_what_a_link_opens(database: Database) -> None:
    """Alice sees each of hers; Bob and Charlie see the public one, a gate, and nothing."""
    alice, bob = add_owner(database)[0], add_owner(database, "Bob")[0]
    reports = {
        privacy: add_shared(database, alice, now_ms=NOW_MS, privacy=privacy, password_hash="x") for privacy in Privacy
    }
    seen_by = {
        name: {privacy: opened(database, report, visitor) for privacy, report in reports.items()}
        for name, visitor in (("alice", alice), ("bob", bob), ("charlie", None))
    }

    assert [each and (each.is_owner, each.is_open) for each in seen_by["alice"].values()] == [(True, True)] * 3
    for name in ("bob", "charlie"):
        public, private, locked = seen_by[name].values()
        assert public == Shared(item=reports[Privacy.PUBLIC], is_owner=False, is_open=True)
        assert private is None
        assert locked == Shared(item=reports[Privacy.PASSWORD], is_owner=False, is_open=False)


def test_a_token_for_the_password_opens_the_gate(database: Database) -> None:
    """One good one among others is enough; before any was given, there is nothing to check them with."""
    alice, _ = add_owner(database)
    report = add_shared(database, alice, now_ms=NOW_MS, privacy=Privacy.PASSWORD, password_hash="x")
    early = opened(database, report, tokens=("x",))
    secret = database.write_here(lambda tx: load_or_make_secret(tx, UNLOCK))
    token = sign_unlock(secret, report, NOW_MS)
    late = [opened(database, report, tokens=tokens) for tokens in ((), ("x",), ("x", token))]

    assert early == Shared(item=report, is_owner=False, is_open=False)
    assert [each is not None and each.is_open for each in late] == [False, False, True]


def test_an_expired_report_is_gone_for_its_owner_too(database: Database) -> None:
    """By the days that the installation keeps reports."""
    alice, _ = add_owner(database)
    done = add_shared(database, alice, now_ms=NOW_MS, outcome=replace(seen(), generated_at=LONG_AGO))

    assert opened(database, done, alice) is not None
    assert opened(database, done, alice, options=ServiceOptions(retention_days=1)) is None


def test_only_public_reports_are_public(database: Database) -> None:
    """For every visitor: there is no account to ask for."""
    alice, _ = add_owner(database)
    reports = [add_shared(database, alice, now_ms=NOW_MS, privacy=privacy, password_hash="x") for privacy in Privacy]
    found = [
        database.read_here(partial(find_public, slug=report.slug, options=OPTIONS, now_ms=NOW_MS)) for report in reports
    ]

    assert found == [reports[0], None, None]
    assert database.read_here(lambda tx: find_public(tx, "nothing", options=OPTIONS, now_ms=NOW_MS)) is None
