from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.model.account import Account, Caller
from pagegrade.model.errors import NotFound
from pagegrade.model.report import Report
from pagegrade.model.stored import StoredReport
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.views import (
    MAX_RUNS,
    Viewed,
    Wait,
    compare_two,
    find_two,
    find_wait,
    shown_report,
    view_found,
    view_own,
)
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.installation import trust_clock
from tests.database_clock import make_clock, show
from tests.report_builders import make_failed_report, make_passed, make_report
from tests.share_builders import DAY_MS, add_shared, finish, run_again, seen
from tests.store_builders import NOW_MS, add_owner, make_database

BASE_URL = "https://reports.example.org"
OPTIONS = ServiceOptions(base_url=BASE_URL)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated database, closed in the end."""
    made = make_database(tmp_path)
    make_clock(made)
    yield made
    made.close()


def viewed(database: Database, report: StoredReport, *, masked: bool = True, number: int | None = None) -> Viewed:
    """The facts that are read of the report for its page."""
    return database.read_here(lambda tx: view_found(tx, report, masked=masked, number=number))


def shown(database: Database, report: StoredReport, *, masked: bool = True, number: int | None = None) -> Report:
    """The values that its page shows."""
    made = shown_report(viewed(database, report, masked=masked, number=number))
    if made is None:
        raise AssertionError("nothing is shown")
    return made


def alice_of(database: Database) -> Account:
    """The owner of every report here."""
    return add_owner(database)[0]


def test_others_see_the_report_without_the_values_of_its_address(database: Database) -> None:
    """M18: everything else is as its owner sees it."""
    report = add_shared(database, alice_of(database), now_ms=NOW_MS, outcome=seen())
    others, own = shown(database, report), shown(database, report, masked=False)

    assert others.url == "https://shop.example/pricing?token=…"
    assert others.results[0].message == "The address is https://shop.example/pricing?token=…"
    assert (others.score, others.result, len(others.results)) == (79, "decent", len(seen().results))
    assert "s3cr3t" not in str(others)
    assert own.url == seen().url


def test_nothing_is_shown_before_there_is_anything(database: Database) -> None:
    """While the first run waits or works."""
    view = viewed(database, add_shared(database, alice_of(database), now_ms=NOW_MS))

    assert shown_report(view) is None
    assert (view.has_results, view.shown_number, view.total_runs) == (False, None, 1)


def test_a_first_failure_is_shown_as_one(database: Database) -> None:
    """With its reason, and without a score."""
    failure = make_failed_report("dns", page=None, final_url=None)
    report = add_shared(database, alice_of(database), now_ms=NOW_MS, outcome=failure)
    made = shown(database, report)

    assert (made.state, made.score, made.results) == ("failed", None, ())
    assert made.error is not None
    assert made.error.code == "dns"
    assert viewed(database, report).shown_number == 1


def test_old_results_stay_in_sight_whatever_came_after(database: Database) -> None:
    """While the page is analyzed again, and when that failed."""
    done = add_shared(database, alice_of(database), now_ms=NOW_MS, outcome=seen())
    waiting = run_again(database, done, now_ms=NOW_MS + DAY_MS)
    during = shown(database, waiting)
    failed = finish(database, waiting, make_failed_report("timeout"), now_ms=NOW_MS + 2 * DAY_MS)
    after = shown(database, failed)

    assert (waiting.state, during.state, during.score) == ("queued", "completed", 79)
    assert (failed.state, after.state, after.score, after.error) == ("failed", "completed", 79, None)
    assert viewed(database, failed).shown_number == 1


def test_every_finished_run_can_be_shown(database: Database) -> None:
    """With its own outcome; one that is not finished, or was never there, is not found."""
    report = add_shared(database, alice_of(database), now_ms=NOW_MS, outcome=seen())
    report = finish(database, run_again(database, report, now_ms=NOW_MS), make_failed_report("tls"), now_ms=NOW_MS)
    report = run_again(database, report, now_ms=NOW_MS)
    first, second = shown(database, report, number=1), shown(database, report, number=2)

    assert (first.score, second.score) == (79, None)
    assert second.error is not None
    assert second.error.code == "tls"
    assert first.url == "https://shop.example/pricing?token=…"
    assert viewed(database, report, number=2).shown_number == 2
    for number in (0, 3, 4, 2**40):
        with pytest.raises(NotFound):
            viewed(database, report, number=number)


def test_a_report_is_its_owners_own(database: Database) -> None:
    """Bob's look finds nothing, nor does one after it has expired."""
    alice, bob = alice_of(database), add_owner(database, "Bob")[0]
    report = add_shared(database, alice, now_ms=NOW_MS, outcome=seen())

    def view(account: Account, options: ServiceOptions = OPTIONS) -> Viewed:
        caller = Caller(account=account)
        return database.read_here(lambda tx: view_own(tx, caller, report.id, options, NOW_MS * 2))

    assert (view(alice).report, view(alice).masked) == (report, False)
    show(database, NOW_MS * 2)
    database.write_here(lambda tx: trust_clock(tx, NOW_MS * 2))
    for account, options in ((bob, OPTIONS), (alice, ServiceOptions(retention_days=1))):
        with pytest.raises(NotFound):
            view(account, options)


def test_the_newest_runs_are_brought(database: Database) -> None:
    """So many that a page can hold them, and how many there are in all."""
    report = add_shared(database, alice_of(database), now_ms=NOW_MS, outcome=seen())
    for _ in range(MAX_RUNS + 1):
        report = finish(database, run_again(database, report, now_ms=NOW_MS), seen(), now_ms=NOW_MS)
    view = viewed(database, report)

    assert [run.number for run in view.runs] == list(range(MAX_RUNS + 2, 2, -1))
    assert view.total_runs == MAX_RUNS + 2


def test_what_changed_is_masked_for_others(database: Database) -> None:
    """And the same changes otherwise."""
    later = seen()
    before = replace(later, results=(make_passed(later.results[0].check), *later.results[1:]))
    report = add_shared(database, alice_of(database), now_ms=NOW_MS, outcome=before)
    report = finish(database, run_again(database, report, now_ms=NOW_MS), later, now_ms=NOW_MS)
    two = database.read_here(lambda tx: find_two(tx, report))
    others, own = compare_two(two, masked=True), compare_two(two, masked=False)

    assert (two.before.number, two.after.number) == (1, 2)
    assert "s3cr3t" in str(own)
    assert "s3cr3t" not in str(others)
    assert len(others.new) == len(own.new)


def test_only_an_analysis_under_way_is_waited_for(tmp_path: Path) -> None:
    """A finished one has no place; the first one of an account has no usual time."""
    database = make_database(tmp_path)
    try:
        caller = Caller(account=add_owner(database)[0])

        def wait_for(report: StoredReport) -> Wait | None:
            return database.read_here(lambda tx: find_wait(tx, caller, view_found(tx, report, masked=False)))

        first = add_shared(database, caller.account, now_ms=NOW_MS, url="https://a.example/")
        alone = wait_for(first)
        done = finish(database, first, make_report(), now_ms=NOW_MS + 5_000)
        finished = wait_for(done)
        run_again(database, done, now_ms=NOW_MS + 6_000)
        second = add_shared(database, caller.account, now_ms=NOW_MS + 7_000, url="https://b.example/")
        behind = wait_for(second)

        assert alone == Wait(ahead=0, usual_ms=None)
        assert finished is None
        assert behind is not None
        assert behind.ahead == 1
        assert behind.usual_ms is not None
    finally:
        database.close()
