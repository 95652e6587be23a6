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
from pagegrade.model.stored import ListQuery, Priority, StoredReport
from pagegrade.report.codec import pack_report
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.batches import find_known
from pagegrade.service.reports.operations import (
    ReportResults,
    create_report,
    find_report,
    list_reports,
    update_report,
)
from pagegrade.service.reports.shares import open_shared, report_of_link
from pagegrade.service.reports.validation import read_change, read_new_report
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.queue.claim import claim_runs
from pagegrade.store.queue.length import count_unfinished
from pagegrade.store.queue.runs import finish_run
from pagegrade.store.repositories.accounts import DAY_MS
from pagegrade.store.repositories.installation import trust_clock
from pagegrade.store.repositories.reports import load_report_by_slug
from pagegrade.store.repositories.run_history import load_run
from pagegrade.store.schema.tables import runs
from tests.database_clock import make_clock, show
from tests.report_builders import make_report
from tests.service.instance import Instance, caller_of
from tests.store_builders import NOW_MS, add_owner, make_database


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """An empty service with two accounts."""
    database = make_database(tmp_path)
    make_clock(database)
    yield Instance(database, caller_of(add_owner(database)[0]), caller_of(add_owner(database, "Bob")[0]))
    database.close()


def test_a_new_report_is_stored_with_its_first_run(instance: Instance) -> None:
    """In one transaction, with an unguessable slug and the project of its host."""
    made = instance.create("www.Example.com:8080/x#y")

    assert made.report.url == "https://www.example.com:8080/x"
    assert (made.report.project, made.report.state, made.report.revision) == ("example.com:8080", "queued", 1)
    assert len(made.report.slug) == 22
    assert [warning.code for warning in made.warnings] == ["scheme_assumed", "fragment_dropped"]
    assert made.run is not None
    assert (made.run.number, made.run.state) == (1, "queued")
    assert instance.create().report.slug != made.report.slug


def test_a_report_is_shown_whole_once_it_is_done(instance: Instance) -> None:
    """Before, everything that is to come is null."""
    made = instance.create().report
    before = instance.show(made.id)
    instance.finish()
    after = instance.show(made.id)

    assert (before["state"], before["results"], before["run"]) == ("queued", None, None)
    assert (after["state"], after["result"], after["run"]["number"]) == ("completed", "decent", 1)
    assert "title-length" in after["results"]
    assert after["page"]["http_status"] == 200


def test_reports_of_other_accounts_are_neither_shown_nor_changed(instance: Instance) -> None:
    """Bob meets Alice's report exactly as one that never was."""
    made = instance.create().report
    refusals = set()
    for report_id in (made.id, 4711, 0, -1, 10**30):
        for attempt in (
            lambda number: instance.show(number, who=instance.bob),
            lambda number: instance.update(number, who=instance.bob, privacy=1, results=1),
            lambda number: instance.delete(number, who=instance.bob),
        ):
            with pytest.raises(NotFound) as caught:
                attempt(report_id)
            refusals.add((caught.value.message, caught.value.retry_after_s))
    listed = instance.database.read_here(
        lambda tx: list_reports(tx, instance.bob, ListQuery(account_id=made.account_id), instance.options, NOW_MS)
    )

    assert len(refusals) == 1
    assert (listed.items, listed.total) == ((), 0)
    assert instance.show(made.id)["privacy"] == 0


def test_an_empty_change_changes_nothing(instance: Instance) -> None:
    """Not even the revision; nor does one to what is there already."""
    made = instance.create(privacy=1).report
    instance.now_ms += 1_000

    assert instance.update(made.id).report == made
    assert instance.update(made.id, privacy=1).report == made
    assert instance.update(made.id).run is None


def test_settings_change_one_by_one(instance: Instance) -> None:
    """Members that are not named stay."""
    made = instance.create(privacy=2, password="one").report
    instance.now_ms += 1_000
    changed = instance.update(made.id, password="two").report

    assert (made.password_hash, made.password_version) == ("hash of one", 1)
    assert (changed.privacy, changed.password_hash, changed.password_version) == (2, "hash of two", 2)
    assert (changed.revision, changed.updated_at_ms, changed.slug) == (2, NOW_MS + 1_000, made.slug)
    assert instance.update(made.id, privacy=2).report == changed


def test_leaving_privacy_2_forgets_the_password(instance: Instance) -> None:
    """And ends the sessions it unlocked; coming back needs a new one."""
    made = instance.create(privacy=2, password="one").report
    left = instance.update(made.id, privacy=0).report

    assert (left.password_hash, left.password_version) == (None, 2)
    with pytest.raises(ValidationFailed) as caught:
        instance.update(made.id, privacy=2)

    assert [(one.field, one.code) for one in caught.value.violations] == [("password", "required")]
    assert instance.update(made.id, privacy=2, password="x").report.password_version == 3


@pytest.mark.parametrize("fields", [{"privacy": 1}, {"privacy": 0}, {}])
def test_a_password_without_its_privacy_is_dropped_and_reported(instance: Instance, fields: dict[str, Any]) -> None:
    """Real clients send the field with every request."""
    made = instance.create().report
    changed = instance.update(made.id, password="x", **fields)

    assert [warning.code for warning in changed.warnings] == ["password_ignored"]
    assert changed.report.password_hash is None
    assert changed.report.password_version == 0


def test_a_hash_must_come_with_its_password(instance: Instance) -> None:
    """A caller that forgot to hash must not make an open report."""
    new_report = read_new_report(
        "https://example.com/", privacy=2, password="x", account=instance.alice.account, options=instance.options
    )
    made = instance.create().report
    change = read_change(privacy=2, password="x")

    with pytest.raises(ValueError, match="hash"):
        instance.database.write_here(lambda tx: create_report(tx, instance.alice, new_report, instance.options, NOW_MS))
    with pytest.raises(ValueError, match="hash"):
        instance.database.write_here(
            lambda tx: update_report(tx, instance.alice, made.id, instance.options, NOW_MS, change=change)
        )


def test_running_again_joins_a_run_under_way(instance: Instance) -> None:
    """And makes a new one only after the last has ended."""
    made = instance.create().report
    joined = instance.update(made.id, results=1)
    instance.finish()
    again = instance.update(made.id, results=1)

    assert joined.run is not None
    assert joined.run.number == 1
    assert again.run is not None
    assert (again.run.number, again.report.state, again.report.result) == (2, "queued", "decent")
    assert instance.database.read_here(lambda tx: count_unfinished(tx, instance.alice.account.id)) == 1


def test_a_re_run_waits_behind_new_reports(instance: Instance) -> None:
    """A person waits for the new ones."""
    made = instance.create().report
    instance.finish()
    instance.update(made.id, results=1)

    def priority(number: int) -> int:
        asked = select(runs.c.priority).where(runs.c.number == number)
        return int(instance.database.read_here(lambda tx: tx.execute(asked).scalar_one()))

    assert (priority(1), priority(2)) == (Priority.INTERACTIVE, Priority.RERUN)


def test_deleting_takes_everything_along(instance: Instance) -> None:
    """The report, its link and its runs; what a run under way brings home is dropped."""
    made = instance.create().report
    claimed = instance.database.write_here(
        lambda tx: claim_runs(
            tx, worker="w", count=1, now_ms=NOW_MS, lease_ms=1_000, target_runs=2, target_runs_per_minute=20
        )
    )
    instance.delete(made.id)

    assert instance.database.write_here(lambda tx: finish_run(tx, claimed[0], pack_report(make_report()), NOW_MS)) == ()
    assert instance.database.read_here(lambda tx: load_report_by_slug(tx, made.slug)) is None
    assert instance.database.read_here(lambda tx: load_run(tx, made.id, 1)) is None
    with pytest.raises(NotFound):
        instance.show(made.id)
    with pytest.raises(NotFound):
        instance.delete(made.id)


def test_privacy_changed_while_results_are_written_stays(instance: Instance) -> None:
    """A run that was claimed before knows the old settings, and writes none."""
    made = instance.create().report
    claimed = instance.database.write_here(
        lambda tx: claim_runs(
            tx, worker="w", count=1, now_ms=NOW_MS, lease_ms=1_000, target_runs=2, target_runs_per_minute=20
        )
    )
    instance.update(made.id, privacy=2, password="x")
    instance.database.write_here(lambda tx: finish_run(tx, claimed[0], pack_report(make_report()), NOW_MS))
    shown = instance.show(made.id)

    assert (shown["privacy"], shown["password"], shown["state"]) == (2, True, "completed")


def test_the_number_of_reports_is_limited_exactly(instance: Instance) -> None:
    """Fifty want in where ten may: ten are in; others' reports do not count, and a deleted one makes room."""
    instance.options = ServiceOptions(max_reports=10)
    instance.create(who=instance.bob)
    accepted = []
    for number in range(50):
        try:
            accepted.append(instance.create(f"https://example.com/{number}").report.id)
        except QuotaExceeded:
            continue
    instance.delete(accepted[0])

    assert len(accepted) == 10
    assert instance.create().report.id > accepted[-1]


def test_concurrent_creations_pass_the_limit_no_more_than_others(instance: Instance) -> None:
    """The writer takes one after the other, however many ask at the same time."""
    instance.options = ServiceOptions(max_reports=10)
    new_report = read_new_report(
        "https://example.com/", privacy=0, password=None, account=instance.alice.account, options=instance.options
    )

    def create(tx: Transaction) -> None:
        # As every writer for an account does.
        hold_account(tx, instance.alice.account.id)
        create_report(tx, instance.alice, new_report, instance.options, NOW_MS)

    promises = [instance.database.submit(create) for _ in range(50)]
    refused = [isinstance(promise.exception(), QuotaExceeded) for promise in promises]
    listed = instance.database.read_here(
        lambda tx: list_reports(tx, instance.alice, ListQuery(account_id=0), instance.options, NOW_MS)
    )

    assert refused.count(True) == 40
    assert listed.total == 10


def test_an_account_may_queue_so_much_and_no_more(instance: Instance) -> None:
    """New reports and re-runs alike; joining a run under way is no more work."""
    instance.options = replace(instance.options, account_queue=2)
    first = instance.create().report
    instance.finish()
    second = instance.create("https://example.com/2").report
    instance.create("https://example.com/3")
    attempts: tuple[Callable[[], object], ...] = (
        lambda: instance.create("https://example.com/4"),
        lambda: instance.update(first.id, results=1),
    )
    for attempt in attempts:
        with pytest.raises(QuotaExceeded) as caught:
            attempt()

        assert caught.value.retry_after_s is not None

    assert instance.update(second.id, results=1).run is not None
    assert instance.show(first.id)["state"] == "completed"
    assert instance.create(who=instance.bob).report.state == "queued"


def test_a_full_queue_refuses_every_account(instance: Instance) -> None:
    """With the time after which trying again makes sense, and nothing stored."""
    instance.options = replace(instance.options, queue=1)
    instance.create()
    with pytest.raises(Unavailable) as caught:
        instance.create(who=instance.bob)
    listed = instance.database.read_here(
        lambda tx: list_reports(tx, instance.bob, ListQuery(account_id=0), instance.options, NOW_MS)
    )

    assert caught.value.retry_after_s is not None
    assert listed.total == 0


def test_lists_take_projects_as_people_type_them(instance: Instance) -> None:
    """A host in any spelling, or a whole URL; what holds no host finds nothing."""
    made = instance.create("https://www.example.com/a").report
    instance.create("https://example.org/b")

    def listed(project: str) -> list[int]:
        query = ListQuery(account_id=0, project=project)
        found = instance.database.read_here(
            lambda tx: list_reports(tx, instance.alice, query, instance.options, NOW_MS)
        )
        return [item.id for item in found.items if isinstance(item, StoredReport)]

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


def test_items_of_a_list_are_whole_on_request(instance: Instance) -> None:
    """Else without results and page; a report without results has none on request either."""
    instance.create()
    instance.finish()
    instance.create("https://example.com/2")
    query = ListQuery(account_id=0, descending=False)
    short, whole = (
        instance.database.read_here(
            lambda tx, more=more: list_reports(  # type: ignore[misc]
                tx, instance.alice, query, instance.options, NOW_MS, with_results=more
            )
        )
        for more in (False, True)
    )
    done, waiting = (item for item in whole.items if isinstance(item, ReportResults))
    detail = msgspec.json.decode(done.detail or b"{}")

    assert short.items == (done.report, waiting.report)
    assert "title-length" in detail["results"]
    assert detail["page"]["http_status"] == 200
    assert waiting.detail is None


def test_an_expired_report_is_gone_before_it_is_pruned(instance: Instance) -> None:
    """From lists, by number, for changes and for the quota."""
    made = instance.create().report
    instance.finish()
    instance.options = ServiceOptions(retention_days=30, max_reports=1)
    trust(instance, make_ms() + 30 * DAY_MS)

    assert instance.show(made.id)["id"] == made.id
    with pytest.raises(QuotaExceeded):
        instance.create()
    trust(instance, instance.now_ms + 1)

    for attempt in (
        lambda: instance.show(made.id),
        lambda: instance.update(made.id, privacy=1),
        lambda: instance.delete(made.id),
        lambda: instance.database.read_here(
            lambda tx: find_report(tx, instance.alice, made.id, instance.options, instance.now_ms)
        ),
    ):
        with pytest.raises(NotFound):
            attempt()
    listed = instance.database.read_here(
        lambda tx: list_reports(tx, instance.alice, ListQuery(account_id=0), instance.options, instance.now_ms)
    )

    assert (listed.items, listed.total) == ((), 0)
    assert instance.create().report.id > made.id


def trust(instance: Instance, now_ms: int) -> None:
    """The clock says so, and is right."""
    instance.now_ms = now_ms
    show(instance.database, now_ms)
    instance.database.write_here(lambda tx: trust_clock(tx, now_ms))


def test_a_clock_that_jumped_hides_nothing(instance: Instance) -> None:
    """Reports that it does not delete are shown: in lists, by number, by address, by link and for the quota."""
    made = instance.create(privacy=1).report
    instance.finish()
    instance.options = ServiceOptions(retention_days=30, max_reports=1)
    trust(instance, make_ms())
    instance.now_ms = make_ms() + 400 * DAY_MS
    show(instance.database, instance.now_ms)
    found = instance.database.read_here(
        lambda tx: (
            list_reports(tx, instance.alice, ListQuery(account_id=0), instance.options, instance.now_ms).total,
            find_known(tx, instance.alice, [made.url], instance.options, instance.now_ms),
            open_shared(
                tx, made.slug, report_of_link, visitor=instance.alice, tokens=(), options=instance.options,
                now_ms=instance.now_ms,
            ),
        )
    )  # fmt: skip

    assert instance.show(made.id)["id"] == made.id
    assert found[0] == 1
    assert found[1] == {made.url: made.id}
    assert found[2] is not None
    with pytest.raises(QuotaExceeded):
        instance.create()


def make_ms() -> int:
    """When the results of the builders were made."""
    return pack_report(make_report()).generated_at_ms
