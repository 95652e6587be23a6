from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pagegrade.model.account import DEFAULT_PLAN
from pagegrade.model.errors import ValidationFailed
from pagegrade.model.monitors import Monitor, PageSet
from pagegrade.model.stored import ListPart, Privacy
from pagegrade.service.monitors import due_runs
from pagegrade.service.monitors.due_runs import find_due, queue_due
from pagegrade.service.monitors.operations import (
    MonitorChange,
    create_monitor,
    delete_monitor,
    find_bad_pages,
    list_monitors,
    read_page_set,
    show_monitor,
    update_monitor,
)
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.batches import find_known
from pagegrade.service.reports.operations import delete_report
from pagegrade.service.reports.projects import delete_project, tag_project
from pagegrade.store.repositories.monitors import add_silence, is_silent, list_of_parent
from tests.service.instance import Instance, caller_of
from tests.store_builders import NOW_MS, add_owner, make_database

DAY_MS = 86_400_000


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """Alice with two reports on one host and one on another, Bob with one; all are finished."""
    database = make_database(tmp_path)
    made = Instance(database, caller_of(add_owner(database)[0]), caller_of(add_owner(database, "Bob")[0]))
    for url in ("https://b.example/1", "https://www.b.example/2", "https://a.example/"):
        made.create(url)
    made.create("https://b.example/", who=made.bob)
    made.finish()
    yield made
    database.close()


def begin(instance: Instance, kind: str, value: str, **change: Any) -> Monitor:
    """A monitor of a set of pages of Alice."""
    pages = read_page_set({kind: value}, instance.options.analyze, [])
    return instance.database.write_here(
        lambda tx: create_monitor(
            tx,
            instance.alice,
            MonitorChange(**change),
            instance.options,
            NOW_MS,
            pages=pages,
        )
    )


def settle(
    instance: Instance,
    now_ms: int = NOW_MS,
    *,
    urls: Sequence[str] | None = None,
    is_partial: bool = False,
    options: ServiceOptions | None = None,
) -> list[tuple[int, str]]:
    """Settle all that is due; (report or 0, what was done)."""
    done = []
    for monitor in instance.database.read_here(lambda tx: find_due(tx, now_ms)):
        one = instance.database.write_here(
            lambda tx, monitor=monitor: queue_due(  # type: ignore[misc]
                tx, monitor, options or instance.options, now_ms, urls=urls, is_partial=is_partial
            )
        )
        done.append((one.report_id or 0, one.outcome))
    return sorted(done)


def children(instance: Instance, monitor: Monitor) -> tuple[Monitor, ...]:
    """Monitors of the pages of the set."""
    return instance.database.read_here(lambda tx: list_of_parent(tx, monitor.id))


def watched(instance: Instance, monitor: Monitor) -> list[int | None]:
    """Reports of the pages of the set."""
    return [each.report_id for each in children(instance, monitor)]


def again(instance: Instance, monitor: Monitor) -> Monitor:
    """As it is now."""
    return instance.database.read_here(lambda tx: show_monitor(tx, instance.alice, monitor.id))


def test_all_pages_of_a_site_are_analyzed_together(instance: Instance) -> None:
    """At once, and again at the next time of the schedule, which all of them share; pages that come later too."""
    monitor = begin(instance, "project", "WWW.b.example", budgets=("score<80",), remind="weekly")

    assert settle(instance) == [(0, "queued")]
    assert watched(instance, monitor) == [1, 2]
    assert settle(instance) == [(1, "queued"), (2, "queued")]
    assert settle(instance) == []
    instance.finish()
    instance.create("https://b.example/late")
    instance.finish()
    due = {each.due_at_ms for each in (again(instance, monitor), *children(instance, monitor))}

    assert len(due) == 1
    assert again(instance, monitor).pages_found == 2
    assert {(each.remind, tuple(b.condition for b in each.budgets)) for each in children(instance, monitor)} == {
        ("weekly", ("score<80",))
    }
    (next_ms,) = due

    assert next_ms <= NOW_MS + DAY_MS
    assert settle(instance, next_ms) == [(0, "queued"), (1, "queued"), (2, "queued")]
    assert settle(instance, next_ms) == [(5, "queued")]


def test_pages_that_left_are_monitored_no_more(instance: Instance) -> None:
    """Of a tag too, by the sites that have it when the monitor is due."""
    monitor = begin(instance, "tag", "Shop")
    instance.database.write_here(lambda tx: tag_project(tx, instance.alice, "b.example", ("shop",)))
    settle(instance)
    before = watched(instance, monitor)
    instance.database.write_here(lambda tx: tag_project(tx, instance.alice, "b.example", ()))
    instance.database.write_here(lambda tx: tag_project(tx, instance.alice, "a.example", ("shop",)))
    settle(instance, again(instance, monitor).due_at_ms)

    assert before == [1, 2]
    assert watched(instance, monitor) == [3]


def test_pages_of_a_sitemap_without_a_report_get_one(instance: Instance) -> None:
    """As the account wants them, but never with a password that nobody chose; their first run is not doubled."""
    instance.options = ServiceOptions(default_privacy=Privacy.PASSWORD)
    monitor = begin(instance, "sitemap", "b.example/sitemap.xml")
    urls = ("https://b.example/1", "https://b.example/new", "http://127.0.0.1/never")
    settle(instance, urls=urls)
    made = instance.database.read_here(lambda tx: find_known(tx, instance.alice, urls, instance.options, 0))

    assert monitor.pages == PageSet(kind="sitemap", value="https://b.example/sitemap.xml")
    assert made == {"https://b.example/1": 1, "https://b.example/new": 5}
    assert watched(instance, monitor) == [1, 5]
    assert again(instance, monitor).pages_found == 3
    assert settle(instance) == [(1, "queued")]


def test_a_sitemap_that_cannot_be_read_changes_nothing(instance: Instance) -> None:
    """But it is said, from the first time on until it can be read again."""
    monitor = begin(instance, "sitemap", "https://b.example/sitemap.xml")
    settle(instance, urls=("https://b.example/1",))
    first = again(instance, monitor).due_at_ms
    settle(instance, first, urls=None)
    second = again(instance, monitor).due_at_ms
    settle(instance, second, urls=None)
    unread = again(instance, monitor)
    kept = watched(instance, monitor)
    settle(instance, unread.due_at_ms, urls=("https://b.example/1",))

    assert unread.unreachable_since_ms == first
    assert kept == [1]
    assert again(instance, monitor).unreachable_since_ms is None


def test_pages_that_could_not_be_read_keep_their_monitors(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all that these know; pages are added up to the most, until the whole sitemap is read again."""
    monkeypatch.setattr(due_runs, "MAX_PAGES", 3)
    monitor = begin(instance, "sitemap", "b.example/sitemap.xml")
    one, two, new, more = (
        "https://b.example/1",
        "https://www.b.example/2",
        "https://a.example/",
        "https://a.example/4",
    )
    instance.create(more)
    instance.finish()
    settle(instance, urls=(one, two))
    before = children(instance, monitor)
    settle(instance, again(instance, monitor).due_at_ms, urls=(two, new, more), is_partial=True)
    kept, found = children(instance, monitor), again(instance, monitor).pages_found
    settle(instance, again(instance, monitor).due_at_ms, urls=(one,), is_partial=True)
    still, last = watched(instance, monitor), again(instance, monitor)
    settle(instance, last.due_at_ms, urls=(two, more))

    assert [each.id for each in kept][:2] == [each.id for each in before]
    assert [each.report_id for each in kept] == still == [1, 2, 3]
    assert (found, last.pages_found) == (3, 3)
    assert watched(instance, monitor) == [2, 5]
    assert again(instance, monitor).pages_found == 2


@pytest.mark.parametrize(("most", "pages"), [(2, [1]), (3, [1, 2]), (9, [1, 2])])
def test_each_page_counts_as_a_monitor(instance: Instance, most: int, pages: list[int]) -> None:
    """As many pages get one as the account may have; how many there are is known."""
    monitor = begin(instance, "project", "b.example")
    settle(instance, options=ServiceOptions(max_monitors=most))

    assert watched(instance, monitor) == pages
    assert again(instance, monitor).pages_found == 2


def test_a_set_has_a_most_of_pages(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    """One past it is left out."""
    monkeypatch.setattr(due_runs, "MAX_PAGES", 1)
    monitor = begin(instance, "project", "b.example")
    settle(instance)

    assert watched(instance, monitor) == [1]


def test_what_a_page_has_is_changed_with_the_set_only(instance: Instance) -> None:
    """All of its pages then have it; one cannot be deleted, and the set takes its pages along."""
    monitor = begin(instance, "project", "b.example")
    settle(instance)
    page = children(instance, monitor)[0]
    change = MonitorChange(schedule="weekly", budgets=("score<50",), paused=True)
    for refused in (
        lambda tx: update_monitor(tx, instance.alice, page.id, change, NOW_MS),
        lambda tx: delete_monitor(tx, instance.alice, page.id),
    ):
        with pytest.raises(ValidationFailed):
            instance.database.write_here(refused)
    instance.database.write_here(lambda tx: update_monitor(tx, instance.alice, monitor.id, change, NOW_MS))
    after = children(instance, monitor)
    instance.database.write_here(lambda tx: delete_monitor(tx, instance.alice, monitor.id))

    assert [(each.schedule, each.paused, len(each.budgets)) for each in after] == [("weekly", True, 1)] * 2
    assert len({each.due_at_ms for each in after}) == 1
    assert children(instance, monitor) == ()


def test_lists_have_the_set_and_reports_their_page_of_it(instance: Instance) -> None:
    """By site as well; the pages are listed for the set."""
    monitor = begin(instance, "project", "b.example")
    settle(instance)

    def ids(**which: object) -> list[int]:
        found = instance.database.read_here(
            lambda tx: list_monitors(tx, instance.alice, ListPart(page=1, per_page=10), **which)  # type: ignore[arg-type]
        )
        return [each.id for each in found.items]

    pages = [each.id for each in children(instance, monitor)]

    assert ids() == ids(project="b.example") == [monitor.id]
    assert ids(project="a.example") == []
    assert ids(parent_id=monitor.id) == pages[::-1]
    assert ids(report_id=1) == [pages[0]]


def test_a_silence_of_the_set_is_one_of_its_pages(instance: Instance) -> None:
    """Not of others."""
    monitor = begin(instance, "project", "b.example")
    settle(instance)
    page = children(instance, monitor)[0]
    of_account = instance.alice.account.id
    instance.database.write_here(
        lambda tx: add_silence(
            tx, instance.alice, monitor_id=monitor.id, project="", reason="x", until_ms=NOW_MS + 9, now_ms=NOW_MS
        )
    )
    silent = [
        instance.database.read_here(
            lambda tx, number=number: is_silent(tx, of_account, monitor_id=number, project="", at_ms=NOW_MS)  # type: ignore[misc]
        )
        for number in (monitor.id, page.id, 99)
    ]

    assert silent == [True, True, False]


def test_the_set_of_a_site_goes_with_the_site(instance: Instance) -> None:
    """And one of its pages with its report."""
    monitor = begin(instance, "project", "b.example")
    settle(instance)
    instance.finish()
    instance.database.write_here(lambda tx: delete_report(tx, instance.alice, 1, instance.options, NOW_MS))
    left = watched(instance, monitor)
    instance.database.write_here(lambda tx: delete_project(tx, instance.alice, "b.example"))
    listed = instance.database.read_here(lambda tx: list_monitors(tx, instance.alice, ListPart(page=1, per_page=10)))

    assert left == [2]
    assert listed.items == ()


def test_pages_get_reports_without_a_browser_when_its_time_is_used_up(instance: Instance) -> None:
    """Also where the installation lets a browser draw every page."""
    instance.options = ServiceOptions(render="always", plans=((DEFAULT_PLAN, {"browser_minutes_per_month": 0}),))
    monitor = begin(instance, "sitemap", "b.example/sitemap.xml")
    settle(instance, urls=("https://b.example/1", "https://b.example/new"))

    assert len(watched(instance, monitor)) == 2


@pytest.mark.parametrize(
    ("sent", "field", "code"),
    [
        ({"project": "a.example", "tag": "x"}, "tag", "conflict"),
        ({"project": "//"}, "project", "invalid"),
        ({"tag": "x" * 41}, "tag", "too_long"),
        ({"tag": "a,b"}, "tag", "invalid"),
        ({"tag": "shop\u200b"}, "tag", "invalid"),
        ({"sitemap": "ftp://a.example/"}, "sitemap", "scheme_not_allowed"),
        ({"sitemap": "http://127.0.0.1/sitemap.xml"}, "sitemap", "address_not_allowed"),
    ],
)
def test_what_names_no_set_is_refused(sent: dict[str, str | None], field: str, code: str) -> None:
    """A sitemap where we must not go, too; a tag at its limit is one."""
    violations: list[object] = []

    assert read_page_set(sent, ServiceOptions().analyze, violations) is None  # type: ignore[arg-type]
    assert [(each.field, each.code) for each in violations] == [(field, code)]  # type: ignore[attr-defined]
    assert read_page_set({"tag": "x" * 40, "project": " "}, ServiceOptions().analyze, []) is not None
    assert read_page_set({}, ServiceOptions().analyze, []) is None


def test_pages_that_are_bad_are_counted_and_named(instance: Instance) -> None:
    """Of the set that they belong to; a monitor of one page has none."""
    monitor = begin(instance, "project", "b.example", budgets=("score<100",))
    settle(instance)
    settle(instance)
    instance.finish()
    single = instance.database.write_here(
        lambda tx: create_monitor(tx, instance.alice, MonitorChange(), instance.options, NOW_MS, report_id=3)
    )
    counts, named = instance.database.read_here(
        lambda tx: find_bad_pages(tx, instance.alice, instance.options, NOW_MS, (monitor, single), named=1)
    )

    assert (counts[monitor.id], counts.get(single.id)) == (2, None)
    assert named == [(1, "https://b.example/1")]
