"""Reports in the database: whose they are, and what a run does to them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import func, select

from pagegrade.model.stored import PackedReport, StoredReport
from pagegrade.report.codec import pack_report
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.reports import (
    GREATEST_ID,
    add_batch,
    add_report,
    delete_batch,
    delete_report,
    delete_reports,
    list_batches,
    load_batch,
    load_batch_reports,
    load_report,
    load_report_by_slug,
    mark_report,
    save_settings,
)
from pagegrade.store.schema.tables import batch_reports
from tests.report_builders import make_failed_report, make_report
from tests.store_builders import NOW_MS, add_owner, make_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated database with Alice (account 1) and Bob (account 2)."""
    database = make_database(tmp_path)
    add_owner(database)
    add_owner(database, "Bob")
    yield database
    database.close()


def add(tx: Transaction, account_id: int = 1, slug: str = "s" * 22, password_hash: str | None = None) -> StoredReport:
    """A new report."""
    return add_report(
        tx, account_id=account_id, url="https://example.com/", project="example.com", privacy=0,
        password_hash=password_hash, slug=slug, now_ms=NOW_MS,
    )  # fmt: skip


def good(score: int = 90, made_ms: int = NOW_MS + 500) -> PackedReport:
    """A run that succeeded."""
    return replace(pack_report(make_report()), rating=3, score=score, generated_at_ms=made_ms)


def load(tx: Transaction, report_id: int) -> StoredReport:
    """Alice's report, which is there."""
    report = load_report(tx, 1, report_id)

    assert report is not None
    return report


def test_a_new_report_waits_and_shows_nothing(database: Database) -> None:
    """Before the first run there is no result, score, run or date."""
    report = database.write_here(add)

    assert (report.state, report.rating, report.score, report.run_number) == ("queued", None, None, None)
    assert (report.summary, report.error, report.generated_at_ms) == (None, None, None)
    assert (report.created_at_ms, report.updated_at_ms, report.revision) == (NOW_MS, NOW_MS, 1)
    assert database.read_here(lambda tx: load(tx, report.id)) == report


@pytest.mark.parametrize("report_id", [0, -1, 99, GREATEST_ID, GREATEST_ID + 1, 10**40])
def test_a_number_that_names_nothing_finds_nothing(database: Database, report_id: int) -> None:
    """Numbers the database could not even hold are unknown, not errors."""
    database.write_here(add)

    assert database.read_here(lambda tx: load_report(tx, 1, report_id)) is None
    assert not database.write_here(lambda tx: delete_report(tx, 1, report_id))


def test_bob_neither_reads_nor_deletes_what_is_alices(database: Database) -> None:
    """A report exists for its account only."""
    report = database.write_here(add)

    assert database.read_here(lambda tx: load_report(tx, 2, report.id)) is None
    assert not database.write_here(lambda tx: delete_report(tx, 2, report.id))
    assert database.read_here(lambda tx: load(tx, report.id)) == report


def test_a_share_link_finds_its_report_for_every_client(database: Database) -> None:
    """The slug is the permission; another one finds nothing."""
    report = database.write_here(lambda tx: add(tx, account_id=2))

    assert database.read_here(lambda tx: load_report_by_slug(tx, report.slug)) == report
    assert database.read_here(lambda tx: load_report_by_slug(tx, report.slug.upper())) is None
    assert database.read_here(lambda tx: load_report_by_slug(tx, "")) is None


def test_an_expired_report_is_not_there(database: Database) -> None:
    """Even before it is pruned, by number and by link."""
    report = database.write_here(add)
    database.write_here(
        lambda tx: mark_report(
            tx, report.id, state="completed", now_ms=NOW_MS, packed=good(made_ms=NOW_MS), run_number=1
        )
    )

    for before, there in ((NOW_MS, True), (NOW_MS + 1, False)):
        assert is_there(database, report, before) == (there, there)


def test_an_unfinished_report_does_not_expire(database: Database) -> None:
    """Else it would vanish in the middle of its analysis, and come back with the results."""
    report = database.write_here(add)

    assert is_there(database, report, NOW_MS + 1) == (True, True)


def is_there(database: Database, report: StoredReport, before_ms: int) -> tuple[bool, bool]:
    """Return whether a report is found by its number, and by its link."""

    def work(tx: Transaction) -> tuple[bool, bool]:
        return (
            load_report(tx, 1, report.id, expired_before_ms=before_ms) is not None,
            load_report_by_slug(tx, report.slug, expired_before_ms=before_ms) is not None,
        )

    return database.read_here(work)


def test_an_id_is_never_used_again(database: Database) -> None:
    """The newest report is deleted, and the next one still gets a greater number."""
    first = database.write_here(add)
    database.write_here(lambda tx: delete_report(tx, 1, first.id))

    assert database.write_here(add).id > first.id


def test_good_results_are_shown(database: Database) -> None:
    """A run that succeeds fills result, score, summary and date, and clears the error."""
    packed = good()

    def work(tx: Transaction) -> StoredReport:
        report = add(tx)
        mark_report(tx, report.id, state="running", now_ms=NOW_MS + 1)
        mark_report(tx, report.id, state="completed", now_ms=NOW_MS + 600, packed=packed, run_number=1)
        return load(tx, report.id)

    report = database.write_here(work)

    assert (report.state, report.result, report.score, report.run_number) == ("completed", "good", 90, 1)
    assert (report.summary, report.error, report.generated_at_ms) == (packed.summary, None, NOW_MS + 500)
    assert (report.revision, report.updated_at_ms) == (3, NOW_MS + 600)


def test_a_failed_first_run_shows_what_was_seen_and_no_result(database: Database) -> None:
    """The error is shown; the facts of that run stand until the next one begins."""
    failed = pack_report(make_failed_report())

    def work(tx: Transaction) -> tuple[StoredReport, StoredReport]:
        report = add(tx)
        mark_report(tx, report.id, state="failed", now_ms=NOW_MS + 1, packed=failed, run_number=1)
        before = load(tx, report.id)
        mark_report(tx, report.id, state="queued", now_ms=NOW_MS + 2)
        return before, load(tx, report.id)

    before, after = database.write_here(work)

    assert (before.state, before.error, before.summary, before.run_number) == (
        "failed",
        failed.error,
        failed.summary,
        1,
    )
    assert (before.result, before.score, before.generated_at_ms) == (None, None, None)
    assert (after.state, after.error, after.summary, after.run_number) == ("queued", None, None, None)


def test_a_failed_re_run_keeps_the_last_good_results(database: Database) -> None:
    """State and error speak of the new run, everything else of the old one, also while the next is under way."""
    failed = pack_report(make_failed_report())

    def work(tx: Transaction) -> tuple[StoredReport, StoredReport]:
        report = add(tx)
        mark_report(tx, report.id, state="completed", now_ms=NOW_MS + 1, packed=good(), run_number=1)
        mark_report(tx, report.id, state="failed", now_ms=NOW_MS + 2, packed=failed, run_number=2)
        before = load(tx, report.id)
        mark_report(tx, report.id, state="running", now_ms=NOW_MS + 3)
        return before, load(tx, report.id)

    before, after = database.write_here(work)

    assert (before.state, before.error) == ("failed", failed.error)
    assert (before.result, before.score, before.run_number, before.generated_at_ms) == ("good", 90, 1, NOW_MS + 500)
    assert (after.state, after.error) == ("running", None)
    assert (after.result, after.score, after.run_number, after.summary) == ("good", 90, 1, before.summary)


def test_the_same_state_again_changes_nothing(database: Database) -> None:
    """Readers who hold the report need not fetch it again."""

    def work(tx: Transaction) -> StoredReport:
        report = add(tx)
        mark_report(tx, report.id, state="queued", now_ms=NOW_MS + 9)
        return load(tx, report.id)

    assert database.write_here(work).revision == 1


def test_a_run_that_ends_after_the_report_was_deleted_leaves_nothing(database: Database) -> None:
    """Its outcome is dropped, and the report stays deleted."""

    def work(tx: Transaction) -> bool:
        report = add(tx)
        delete_report(tx, 1, report.id)
        there = mark_report(tx, report.id, state="completed", now_ms=NOW_MS + 1, packed=good(), run_number=1)

        assert load_report(tx, 1, report.id) is None
        return there

    assert database.write_here(work) is False


@pytest.mark.parametrize(("state", "packed"), [("completed", None), ("queued", good())])
def test_a_state_and_an_outcome_must_fit(database: Database, state: str, packed: PackedReport | None) -> None:
    """A mistake of the caller is not stored."""
    report = database.write_here(add)

    with pytest.raises(ValueError, match="outcome"):
        database.write_here(lambda tx: mark_report(tx, report.id, state=state, now_ms=NOW_MS, packed=packed))  # type: ignore[arg-type]


def test_settings_change_with_a_revision_and_equal_ones_without(database: Database) -> None:
    """Saving what is stored already is no change."""

    def work(tx: Transaction) -> tuple[StoredReport, StoredReport]:
        report = add(tx)
        one = save_settings(tx, report, privacy=2, password_hash="h", password_version=1, now_ms=NOW_MS + 5)
        return one, save_settings(tx, one, privacy=2, password_hash="h", password_version=1, now_ms=NOW_MS + 9)

    one, two = database.write_here(work)

    assert (one.privacy, one.password_hash, one.revision, one.updated_at_ms) == (2, "h", 2, NOW_MS + 5)
    assert two == one


def test_settings_survive_results_written_at_the_same_time(database: Database) -> None:
    """A run that ends knows nothing of privacy, and cannot put an old one back (and the other way round)."""

    def work(tx: Transaction) -> StoredReport:
        read_before = add(tx)
        mark_report(tx, read_before.id, state="completed", now_ms=NOW_MS + 1, packed=good(), run_number=1)
        save_settings(tx, read_before, privacy=1, password_hash=None, password_version=0, now_ms=NOW_MS + 2)
        mark_report(tx, read_before.id, state="queued", now_ms=NOW_MS + 3)
        return load(tx, read_before.id)

    report = database.write_here(work)

    assert (report.privacy, report.result, report.state, report.revision) == (1, "good", "queued", 4)


def test_many_reports_are_deleted_at_once(database: Database) -> None:
    """Those that are gone already do not count, and of whom they are does not matter."""

    def work(tx: Transaction) -> int:
        ids = tuple(add(tx, account_id=1 + number % 2, slug=str(number)).id for number in range(5))
        return delete_reports(tx, (*ids, 77)) * 10 + delete_reports(tx, ids) + delete_reports(tx, ())

    assert database.write_here(work) == 50


@pytest.fixture
def empty_database(tmp_path: Path) -> Iterator[Database]:
    """Two accounts."""
    made = make_database(tmp_path)
    add_owner(made)
    add_owner(made, "Bob")
    yield made
    made.close()


def fill(empty_database: Database, *, account_id: int = 1) -> tuple[int, list[int]]:
    """(a batch, its reports)."""
    ids = [
        empty_database.write_here(
            lambda tx, number=number: add_report(  # type: ignore[misc]
                tx, account_id=account_id, url=f"https://a.example/{number}", project="a.example", privacy=0,
                password_hash=None, slug=f"{account_id}-{number}", now_ms=NOW_MS,
            )
        ).id
        for number in range(3)
    ]  # fmt: skip
    ids.reverse()
    batch = empty_database.write_here(lambda tx: add_batch(tx, account_id, ids, refused=b"[]", now_ms=NOW_MS))
    return batch, ids


def test_reports_come_in_the_order_in_which_they_were_asked_for(empty_database: Database) -> None:
    """Whatever their numbers are."""
    batch, ids = fill(empty_database)
    found = empty_database.read_here(lambda tx: load_batch_reports(tx, (batch,), expired_before_ms=None))

    assert [report.id for report in found[batch]] == ids
    assert {report.state for report in found[batch]} == {"queued"}


def test_what_is_deleted_is_gone_from_its_batch(empty_database: Database) -> None:
    """A report from the list, a batch without its reports."""
    batch, ids = fill(empty_database)
    empty_database.write_here(lambda tx: delete_report(tx, 1, ids[0]))
    left = empty_database.read_here(lambda tx: load_batch_reports(tx, (batch,), expired_before_ms=None))[batch]
    deleted = [empty_database.write_here(lambda tx: delete_batch(tx, 1, batch)) for _ in range(2)]
    rows = empty_database.read_here(lambda tx: tx.execute(select(func.count()).select_from(batch_reports)).scalar_one())

    assert [report.id for report in left] == ids[1:]
    assert deleted == [True, False]
    assert rows == 0
    assert empty_database.read_here(lambda tx: load_report(tx, 1, ids[1])) is not None


def test_batches_of_others_are_not_there(empty_database: Database) -> None:
    """Neither to be seen nor to be deleted; nor are numbers that no database counts to."""
    batch, _ = fill(empty_database)
    others = ((2, batch), (1, batch + 1), (1, 2**63), (1, 0))
    seen = [empty_database.read_here(lambda tx, w=where: load_batch(tx, *w)) for where in others]  # type: ignore[misc]
    deleted = [empty_database.write_here(lambda tx, w=where: delete_batch(tx, *w)) for where in others]  # type: ignore[misc]

    assert (seen, deleted) == ([None] * 4, [False] * 4)
    assert empty_database.read_here(lambda tx: list_batches(tx, 2, 1, 10)) == ((), 0)
    assert empty_database.read_here(lambda tx: load_batch(tx, 1, batch)) is not None


def test_batches_are_listed_newest_first_in_pages(empty_database: Database) -> None:
    """Numbers are never used again."""
    numbers = []
    for _ in range(5):
        batch = empty_database.write_here(lambda tx: add_batch(tx, 1, [], refused=b"[]", now_ms=NOW_MS))
        numbers.append(batch)
    empty_database.write_here(lambda tx: delete_batch(tx, 1, numbers[-1]))
    numbers[-1] = empty_database.write_here(lambda tx: add_batch(tx, 1, [], refused=b"[]", now_ms=NOW_MS))
    pages = [empty_database.read_here(lambda tx, page=page: list_batches(tx, 1, page, 2)) for page in (1, 3, 4)]  # type: ignore[misc]

    assert numbers == [1, 2, 3, 4, 6]
    assert [[batch.id for batch in found] for found, _ in pages] == [[6, 4], [1], []]
    assert {total for _, total in pages} == {5}
