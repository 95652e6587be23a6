"""Titles of analyzed pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.model.report import PageFacts
from pagegrade.report.codec import pack_report
from pagegrade.service.reports.operations import find_report
from pagegrade.service.reports.titles import MAX_SHARED, find_shared_findings, find_titles
from pagegrade.store.engine.database import Transaction
from tests.report_builders import make_failed_report, make_passed, make_report, make_result
from tests.service.instance import Instance, caller_of
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
        return [(one.check, one.pages, one.lost) for one in find_shared_findings(tx, reports)]

    found = instance.database.read_here(work)

    assert len(found) == MAX_SHARED
    assert found[:3] == [("check-01", 3, 3.0), ("check-09", 2, 18.0), ("check-08", 2, 16.0)]
