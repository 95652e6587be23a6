"""Use cases of reports, on a real database. Alice owns them, Bob has an account of his own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import select

from pagegrade.model.errors import NotFound, QuotaExceeded, Unavailable, ValidationFailed
from pagegrade.model.stored import Priority
from pagegrade.report.codec import pack_report
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.operations import (
    create_report,
    expired_before_ms,
    find_report,
    list_reports,
    update_report,
)
from pagegrade.service.reports.validation import read_change, read_new_report
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.queue.claim import claim_runs
from pagegrade.store.queue.length import count_unfinished
from pagegrade.store.queue.runs import finish_run
from pagegrade.store.repositories.accounts import DAY_MS
from pagegrade.store.repositories.list_query import ListQuery
from pagegrade.store.repositories.reports import load_report_by_slug
from pagegrade.store.repositories.run_history import load_run
from pagegrade.store.schema.tables import runs
from tests.report_builders import make_report
from tests.service.house import House, caller_of
from tests.store_builders import NOW_MS, add_owner, make_database


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """An empty service with two accounts."""
    database = make_database(tmp_path)
    yield House(database, caller_of(add_owner(database)[0]), caller_of(add_owner(database, "Bob")[0]))
    database.close()


def test_a_new_report_is_stored_with_its_first_run(house: House) -> None:
    """In one transaction, with a slug nobody can guess and the project of its host."""
    made = house.create("www.Example.com:8080/x#y")

    assert made.report.url == "https://www.example.com:8080/x"
    assert (made.report.project, made.report.state, made.report.revision) == ("example.com:8080", "queued", 1)
    assert len(made.report.slug) == 22
    assert [remark.code for remark in made.remarks] == ["scheme_assumed", "fragment_dropped"]
    assert made.run is not None
    assert (made.run.number, made.run.state) == (1, "queued")
    assert house.create().report.slug != made.report.slug


def test_a_report_is_shown_whole_once_it_is_done(house: House) -> None:
    """Before, everything that is to come is null."""
    made = house.create().report
    before = house.show(made.id)
    house.finish()
    after = house.show(made.id)

    assert (before["state"], before["results"], before["run"]) == ("queued", None, None)
    assert (after["state"], after["result"], after["run"]["number"]) == ("completed", "decent", 1)
    assert "title-length" in after["results"]
    assert after["page"]["http_status"] == 200


def test_nobody_sees_or_touches_what_is_not_theirs(house: House) -> None:
    """Bob meets Alice's report exactly as one that never was."""
    made = house.create().report
    told = set()
    for report_id in (made.id, 4711, 0, -1, 10**30):
        for attempt in (
            lambda number: house.show(number, who=house.bob),
            lambda number: house.update(number, who=house.bob, privacy=1, results=1),
            lambda number: house.delete(number, who=house.bob),
        ):
            with pytest.raises(NotFound) as caught:
                attempt(report_id)
            told.add((caught.value.message, caught.value.retry_after_s))
    listed = house.database.read_here(
        lambda tx: list_reports(tx, house.bob, ListQuery(account_id=made.account_id), house.options, NOW_MS)
    )

    assert len(told) == 1
    assert (listed.items, listed.total) == ((), 0)
    assert house.show(made.id)["privacy"] == 0


def test_an_empty_change_changes_nothing(house: House) -> None:
    """Not even the revision; nor does one to what is there already."""
    made = house.create(privacy=1).report
    house.now_ms += 1_000

    assert house.update(made.id).report == made
    assert house.update(made.id, privacy=1).report == made
    assert house.update(made.id).run is None


def test_settings_change_one_by_one(house: House) -> None:
    """What is not named stays."""
    made = house.create(privacy=2, password="one").report
    house.now_ms += 1_000
    changed = house.update(made.id, password="two").report

    assert (made.password_hash, made.password_version) == ("hash of one", 1)
    assert (changed.privacy, changed.password_hash, changed.password_version) == (2, "hash of two", 2)
    assert (changed.revision, changed.updated_at_ms, changed.slug) == (2, NOW_MS + 1_000, made.slug)
    assert house.update(made.id, privacy=2).report == changed


def test_leaving_privacy_2_forgets_the_password(house: House) -> None:
    """And ends the sessions it unlocked; coming back needs a new one."""
    made = house.create(privacy=2, password="one").report
    left = house.update(made.id, privacy=0).report

    assert (left.password_hash, left.password_version) == (None, 2)
    with pytest.raises(ValidationFailed) as caught:
        house.update(made.id, privacy=2)

    assert [(one.field, one.code) for one in caught.value.violations] == [("password", "required")]
    assert house.update(made.id, privacy=2, password="x").report.password_version == 3


@pytest.mark.parametrize("fields", [{"privacy": 1}, {"privacy": 0}, {}])
def test_a_password_without_its_privacy_is_dropped_and_told(house: House, fields: dict[str, Any]) -> None:
    """Real clients send the field with every request."""
    made = house.create().report
    changed = house.update(made.id, password="x", **fields)

    assert [remark.code for remark in changed.remarks] == ["password_ignored"]
    assert changed.report.password_hash is None
    assert changed.report.password_version == 0


def test_a_hash_must_come_with_its_password(house: House) -> None:
    """A caller that forgot to hash must not make an open report."""
    wish = read_new_report(
        "https://example.com/", privacy=2, password="x", account=house.alice.account, options=house.options
    )
    made = house.create().report
    change = read_change(privacy=2, password="x")

    with pytest.raises(ValueError, match="hash"):
        house.database.write_here(lambda tx: create_report(tx, house.alice, wish, house.options, NOW_MS))
    with pytest.raises(ValueError, match="hash"):
        house.database.write_here(
            lambda tx: update_report(tx, house.alice, made.id, house.options, NOW_MS, change=change)
        )


def test_running_again_joins_a_run_under_way(house: House) -> None:
    """And makes a new one only after the last has ended."""
    made = house.create().report
    joined = house.update(made.id, results=1)
    house.finish()
    again = house.update(made.id, results=1)

    assert joined.run is not None
    assert joined.run.number == 1
    assert again.run is not None
    assert (again.run.number, again.report.state, again.report.result) == (2, "queued", "decent")
    assert house.database.read_here(lambda tx: count_unfinished(tx, house.alice.account.id)) == 1


def test_a_re_run_waits_behind_new_reports(house: House) -> None:
    """Somebody is waiting for those."""
    made = house.create().report
    house.finish()
    house.update(made.id, results=1)

    def priority(number: int) -> int:
        asked = select(runs.c.priority).where(runs.c.number == number)
        return int(house.database.read_here(lambda tx: tx.execute(asked).scalar_one()))

    assert (priority(1), priority(2)) == (Priority.INTERACTIVE, Priority.RERUN)


def test_deleting_takes_everything_along(house: House) -> None:
    """The report, its link and its runs; what a run under way brings home is dropped."""
    made = house.create().report
    claimed = house.database.write_here(
        lambda tx: claim_runs(
            tx, worker="w", count=1, now_ms=NOW_MS, lease_ms=1_000, target_runs=2, target_runs_per_minute=20
        )
    )
    house.delete(made.id)

    assert house.database.write_here(lambda tx: finish_run(tx, claimed[0], pack_report(make_report()), NOW_MS)) == ()
    assert house.database.read_here(lambda tx: load_report_by_slug(tx, made.slug)) is None
    assert house.database.read_here(lambda tx: load_run(tx, made.id, 1)) is None
    with pytest.raises(NotFound):
        house.show(made.id)
    with pytest.raises(NotFound):
        house.delete(made.id)


def test_privacy_changed_while_results_are_written_stays(house: House) -> None:
    """A run that was claimed before knows the old settings, and writes none."""
    made = house.create().report
    claimed = house.database.write_here(
        lambda tx: claim_runs(
            tx, worker="w", count=1, now_ms=NOW_MS, lease_ms=1_000, target_runs=2, target_runs_per_minute=20
        )
    )
    house.update(made.id, privacy=2, password="x")
    house.database.write_here(lambda tx: finish_run(tx, claimed[0], pack_report(make_report()), NOW_MS))
    shown = house.show(made.id)

    assert (shown["privacy"], shown["password"], shown["state"]) == (2, True, "completed")


def test_the_number_of_reports_is_limited_exactly(house: House) -> None:
    """Fifty want in where ten may: ten are in; others' reports do not count, and a deleted one makes room."""
    house.options = ServiceOptions(max_reports=10)
    house.create(who=house.bob)
    accepted = []
    for number in range(50):
        try:
            accepted.append(house.create(f"https://example.com/{number}").report.id)
        except QuotaExceeded:
            continue
    house.delete(accepted[0])

    assert len(accepted) == 10
    assert house.create().report.id > accepted[-1]


def test_concurrent_creations_pass_the_limit_no_more_than_others(house: House) -> None:
    """The writer takes one after the other, whoever asks at the same time."""
    house.options = ServiceOptions(max_reports=10)
    wish = read_new_report(
        "https://example.com/", privacy=0, password=None, account=house.alice.account, options=house.options
    )

    def create(tx: Transaction) -> None:
        # As everybody does who writes for an account.
        hold_account(tx, house.alice.account.id)
        create_report(tx, house.alice, wish, house.options, NOW_MS)

    promises = [house.database.submit(create) for _ in range(50)]
    refused = [isinstance(promise.exception(), QuotaExceeded) for promise in promises]
    listed = house.database.read_here(
        lambda tx: list_reports(tx, house.alice, ListQuery(account_id=0), house.options, NOW_MS)
    )

    assert refused.count(True) == 40
    assert listed.total == 10


def test_an_account_may_queue_so_much_and_no_more(house: House) -> None:
    """New reports and re-runs alike; joining a run under way is no more work."""
    house.options = replace(house.options, account_queue=2)
    first = house.create().report
    house.finish()
    second = house.create("https://example.com/2").report
    house.create("https://example.com/3")
    attempts: tuple[Callable[[], object], ...] = (
        lambda: house.create("https://example.com/4"),
        lambda: house.update(first.id, results=1),
    )
    for attempt in attempts:
        with pytest.raises(QuotaExceeded) as caught:
            attempt()

        assert caught.value.retry_after_s is not None

    assert house.update(second.id, results=1).run is not None
    assert house.show(first.id)["state"] == "completed"
    assert house.create(who=house.bob).report.state == "queued"


def test_a_full_queue_is_told_to_everybody(house: House) -> None:
    """With the time after which trying again makes sense, and nothing stored."""
    house.options = replace(house.options, queue=1)
    house.create()
    with pytest.raises(Unavailable) as caught:
        house.create(who=house.bob)
    listed = house.database.read_here(
        lambda tx: list_reports(tx, house.bob, ListQuery(account_id=0), house.options, NOW_MS)
    )

    assert caught.value.retry_after_s is not None
    assert listed.total == 0


def test_lists_take_projects_as_people_type_them(house: House) -> None:
    """A host in any spelling, or a whole URL; what holds no host finds nothing."""
    made = house.create("https://www.example.com/a").report
    house.create("https://example.org/b")

    def listed(project: str) -> list[int]:
        query = ListQuery(account_id=0, project=project)
        found = house.database.read_here(lambda tx: list_reports(tx, house.alice, query, house.options, NOW_MS))
        return [msgspec.json.decode(item)["id"] for item in found.items]

    for typed in (
        "example.com",
        "WWW.Example.com",
        "https://example.com/x",
        "example.com.",
        "https://www.example.com:443",
    ):
        assert listed(typed) == [made.id], typed
    for typed in ("exa mple", "/", "com", "example.com:8080"):
        assert listed(typed) == [], typed


def test_items_of_a_list_are_whole_on_request(house: House) -> None:
    """Else without results and page; a report without results has null for them."""
    house.create()
    house.finish()
    house.create("https://example.com/2")
    query = ListQuery(account_id=0, descending=False)
    short, whole = (
        house.database.read_here(
            lambda tx, more=more: list_reports(  # type: ignore[misc]
                tx, house.alice, query, house.options, NOW_MS, with_results=more
            )
        )
        for more in (False, True)
    )
    done, waiting = (msgspec.json.decode(item) for item in whole.items)

    assert "results" not in msgspec.json.decode(short.items[0])
    assert "title-length" in done["results"]
    assert done["page"]["http_status"] == 200
    assert (waiting["results"], waiting["page"]) == (None, None)


def test_an_expired_report_is_gone_before_it_is_pruned(house: House) -> None:
    """From lists, by number, for changes and for the quota."""
    made = house.create().report
    house.finish()
    house.options = ServiceOptions(retention_days=30, max_reports=1)
    house.now_ms = make_ms() + 30 * DAY_MS

    assert house.show(made.id)["id"] == made.id
    with pytest.raises(QuotaExceeded):
        house.create()
    house.now_ms += 1

    assert expired_before_ms(house.options, house.now_ms) == make_ms() + 1
    for attempt in (
        lambda: house.show(made.id),
        lambda: house.update(made.id, privacy=1),
        lambda: house.delete(made.id),
        lambda: house.database.read_here(lambda tx: find_report(tx, house.alice, made.id, house.options, house.now_ms)),
    ):
        with pytest.raises(NotFound):
            attempt()
    listed = house.database.read_here(
        lambda tx: list_reports(tx, house.alice, ListQuery(account_id=0), house.options, house.now_ms)
    )

    assert (listed.items, listed.total) == ((), 0)
    assert house.create().report.id > made.id


def make_ms() -> int:
    """When the results of the builders were made."""
    return pack_report(make_report()).generated_at_ms


def test_without_retention_nothing_expires() -> None:
    """The check costs nothing where it is not wanted."""
    assert expired_before_ms(ServiceOptions(), NOW_MS) is None
