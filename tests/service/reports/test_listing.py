from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.model.report import PageFacts
from pagegrade.model.stored import ListQuery
from pagegrade.report.codec import pack_report
from pagegrade.service.reports.listing import (
    DAY_MS,
    MAX_DAYS,
    MAX_SCORES,
    MAX_SHARED,
    Rows,
    TrendDay,
    find_existing,
    find_rows,
    find_shared_findings,
    find_states,
    find_titles,
    site_trend,
)
from pagegrade.service.reports.operations import find_report
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.projects import PageScore
from tests.report_builders import make_failed_report, make_passed, make_report, make_result
from tests.service.instance import Instance, caller_of
from tests.share_builders import run_again
from tests.store_builders import NOW_MS, add_owner, make_database


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """An empty service with two accounts."""
    database = make_database(tmp_path)
    yield Instance(database, caller_of(add_owner(database)[0]), caller_of(add_owner(database, "Bob")[0]))
    database.close()


def test_reports_have_the_titles_of_their_pages(instance: Instance) -> None:
    """One that was never analyzed, whose analysis failed, or whose page has none, has none."""
    titled = instance.create("https://a.example/").report.id
    instance.finish(pack_report(make_report(page=PageFacts(http_status=200, title="<b>Oak</b>"))))
    untitled = instance.create("https://b.example/").report.id
    instance.finish(pack_report(make_report(page=PageFacts(http_status=200))))
    failed = instance.create("https://c.example/").report.id
    instance.finish(pack_report(make_failed_report("dns")))
    waiting = instance.create("https://d.example/").report.id

    def work(tx: Transaction) -> dict[int, str]:
        ids = (titled, untitled, failed, waiting)
        return find_titles(tx, [find_report(tx, instance.alice, each, instance.options, NOW_MS) for each in ids])

    assert instance.database.read_here(work) == {titled: "<b>Oak</b>"}


def test_findings_of_several_pages_are_listed_by_pages_and_points(instance: Instance) -> None:
    """One page's own, and findings that are counted in another one, are left out; the list is bounded."""
    many = [make_result(f"check-{number:02}", lost=number) for number in range(MAX_SHARED + 2)]
    for number, results in enumerate(
        (
            [*many, make_result("only-here", lost=9)],
            [*many, make_result("h1", lost=2), make_result("child", lost=0, counted_in="h1"), make_passed()],
            [make_result("h1", lost=2), make_result("child", lost=0, counted_in="h1"), many[1]],
        )
    ):
        instance.create(f"https://a.example/{number}")
        instance.finish(pack_report(make_report(*results)))

    def work(tx: Transaction) -> list[tuple[str, int, float]]:
        reports = [find_report(tx, instance.alice, each, instance.options, NOW_MS) for each in (1, 2, 3)]
        return [(one.check, len(one.pages), one.lost) for one in find_shared_findings(tx, reports)]

    found = instance.database.read_here(work)

    assert len(found) == MAX_SHARED
    assert found[:3] == [("check-01", 3, 3.0), ("check-09", 2, 18.0), ("check-08", 2, 16.0)]


def test_a_day_has_the_mean_of_the_newest_score_of_each_page() -> None:
    """Also of pages that were not analyzed on that day."""
    scores = [
        PageScore(1, 10, 40, "a"),
        PageScore(1, 20, 60, "a"),
        PageScore(2, DAY_MS, 100, "a"),
        PageScore(1, 3 * DAY_MS + 5, 70, "a"),
    ]

    assert site_trend(scores) == (
        TrendDay(20, 60.0, 1),
        TrendDay(DAY_MS, 80.0, 2),
        TrendDay(3 * DAY_MS + 5, 85.0, 2),
    )


def test_scores_by_other_rules_do_not_count() -> None:
    """The rules of the newest score are those that count."""
    assert site_trend([PageScore(1, 1, 10, "a"), PageScore(2, 2, 50, "b"), PageScore(1, DAY_MS, 70, "b")]) == (
        TrendDay(2, 50.0, 1),
        TrendDay(DAY_MS, 60.0, 2),
    )


def test_only_the_newest_days_are_shown() -> None:
    """However often a site was analyzed; a site without scores has no days."""
    found = site_trend(PageScore(1, day * DAY_MS, 50, "a") for day in range(MAX_DAYS + 1))

    assert [day.at_ms for day in (found[0], found[-1])] == [DAY_MS, MAX_DAYS * DAY_MS]
    assert len(found) == MAX_DAYS
    assert site_trend([]) == ()


def test_rows_come_with_the_counts_of_the_filters(instance: Instance) -> None:
    """Of the whole account, or of the project that the query names."""
    instance.create("https://a.example/")
    instance.create("https://b.example/")
    instance.finish()
    instance.create("https://a.example/two")

    def rows(**query: str) -> tuple[int, int, int, int, bool]:
        asked = ListQuery(**query)  # type: ignore[arg-type]
        found = instance.database.read_here(
            lambda tx: find_rows(tx, instance.alice, asked, instance.options, instance.now_ms)
        )
        return len(found.reports), found.total, found.counts["all"], found.counts["queued"], found.has_any

    assert rows() == (3, 3, 3, 1, True)
    assert rows(project="https://a.example/x") == (2, 2, 2, 1, True)
    assert rows(project="not a host") == (0, 0, 0, 0, True)
    assert rows(search="nothing") == (0, 0, 3, 1, True)


def test_rows_have_their_last_scores(instance: Instance) -> None:
    """Oldest first, up to the shown run, and at most so many; shared findings are read for a project only."""
    report = instance.create("https://a.example/").report
    instance.create("https://a.example/two")
    for score in range(MAX_SCORES + 2):
        if score:
            report = run_again(instance.database, report, now_ms=instance.now_ms)
        instance.finish(pack_report(make_report(score=score)))

    def rows(**query: str | int) -> Rows:
        asked = ListQuery(**query)  # type: ignore[arg-type]
        return instance.database.read_here(
            lambda tx: find_rows(tx, instance.alice, asked, instance.options, instance.now_ms)
        )

    assert rows().scores[report.id] == tuple(range(2, MAX_SCORES + 2))
    assert rows().shared == ()
    assert {len(one.pages) for one in rows(project="a.example").shared} == {2}
    # Whatever page of the list is shown, and whatever it is filtered by.
    assert rows(project="a.example", per_page=1).shared == rows(project="a.example").shared
    assert rows(project="a.example", search="two").shared == rows(project="a.example").shared


def test_gone_reports_and_those_of_others_are_none(instance: Instance) -> None:
    """Pages say so, row by row."""
    mine, other = instance.create().report.id, instance.create(who=instance.bob).report.id
    states, counts = instance.database.read_here(
        lambda tx: find_states(tx, instance.alice, (mine, other, 99), instance.options, instance.now_ms)
    )
    existing = instance.database.read_here(
        lambda tx: find_existing(tx, instance.alice, (99, mine, other), instance.options, instance.now_ms)
    )

    assert [(number, report is None) for number, report in states.items()] == [(mine, False), (other, True), (99, True)]
    assert (counts["all"], [report.id for report in existing]) == (1, [mine])
