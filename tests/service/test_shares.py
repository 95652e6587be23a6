from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from pagegrade.model.stored import Privacy
from pagegrade.service.shares import UNLOCKED_S, find_shared, is_unlocked, shown_report, sign_unlock
from pagegrade.store.database import Database
from pagegrade.store.history import load_detail
from tests.report_builders import make_failed_report
from tests.share_builders import DAY_MS, add_shared, finish, run_again, seen
from tests.store_builders import NOW_MS, add_owner, make_database

BASE_URL = "https://reports.example.org"
KEY = b"k" * 32


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

    assert database.read_here(lambda tx: find_shared(tx, public.slug)) == public
    assert database.read_here(lambda tx: find_shared(tx, locked.slug)) == locked
    for slug in (private.slug, *strange):
        assert database.read_here(partial(find_shared, slug=slug)) is None


def test_an_expired_report_is_gone_at_that_very_moment(database: Database) -> None:
    """Whether or not anything has been deleted yet; one whose analysis is waited for has not expired."""
    alice, _ = add_owner(database)
    done = add_shared(database, alice, now_ms=NOW_MS, outcome=seen())
    waiting = add_shared(database, alice, now_ms=NOW_MS)
    made_ms = done.generated_at_ms or 0

    assert database.read_here(lambda tx: find_shared(tx, done.slug, expired_before_ms=made_ms)) == done
    assert database.read_here(lambda tx: find_shared(tx, done.slug, expired_before_ms=made_ms + 1)) is None
    assert database.read_here(lambda tx: find_shared(tx, waiting.slug, expired_before_ms=made_ms + 1)) == waiting


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


def test_what_is_shown_is_the_report_without_the_values_of_its_address(database: Database) -> None:
    """As the account sees it in everything else."""
    alice, _ = add_owner(database)
    report = add_shared(database, alice, now_ms=NOW_MS, outcome=seen())
    detail = database.read_here(lambda tx: load_detail(tx, report.id, 1))
    shown = shown_report(report, detail, base_url=BASE_URL)

    assert shown is not None
    assert shown.url == "https://shop.example/pricing?token=…"
    assert shown.results[0].message == "The address is https://shop.example/pricing?token=…"
    assert (shown.score, shown.result, len(shown.results)) == (79, "decent", len(seen().results))
    assert "s3cr3t" not in str(shown)


def test_nothing_is_shown_before_there_is_anything(database: Database) -> None:
    """While the first run waits or works."""
    alice, _ = add_owner(database)
    report = add_shared(database, alice, now_ms=NOW_MS)

    assert shown_report(report, None, base_url=BASE_URL) is None


def test_a_first_failure_is_shown_as_one(database: Database) -> None:
    """With its reason, and without a score."""
    alice, _ = add_owner(database)
    report = add_shared(database, alice, now_ms=NOW_MS, outcome=make_failed_report("dns", page=None, final_url=None))
    detail = database.read_here(lambda tx: load_detail(tx, report.id, 1))
    shown = shown_report(report, detail, base_url=BASE_URL)

    assert shown is not None
    assert (shown.state, shown.score, shown.results) == ("failed", None, ())
    assert shown.error is not None
    assert shown.error.code == "dns"


def test_old_results_stay_in_sight_with_a_word_about_what_came_after(database: Database) -> None:
    """While the page is analysed again, and when that failed."""
    alice, _ = add_owner(database)
    done = add_shared(database, alice, now_ms=NOW_MS, outcome=seen())
    detail = database.read_here(lambda tx: load_detail(tx, done.id, 1))
    waiting = run_again(database, done, now_ms=NOW_MS + DAY_MS)
    during = shown_report(waiting, detail, base_url=BASE_URL)
    failed = finish(database, waiting, make_failed_report("timeout"), now_ms=NOW_MS + 2 * DAY_MS)
    after = shown_report(failed, detail, base_url=BASE_URL)

    assert during is not None
    assert after is not None
    assert (waiting.state, during.state, during.score) == ("queued", "completed", 79)
    assert during.run.notes[0].startswith("A new analysis is under way")
    assert (failed.state, after.state, after.score, after.error) == ("failed", "completed", 79, None)
    assert after.run.notes[0].startswith("The page could not be analysed the last time")
