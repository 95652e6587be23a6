"""Titles of analysed pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.model.report import PageFacts
from pagegrade.report.codec import pack_report
from pagegrade.service.reports.operations import find_report
from pagegrade.service.reports.titles import find_titles
from pagegrade.store.engine.database import Transaction
from tests.report_builders import make_failed_report, make_report
from tests.service.instance import Instance, caller_of
from tests.store_builders import NOW_MS, add_owner, make_database


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """An empty service with two accounts."""
    database = make_database(tmp_path)
    yield Instance(database, caller_of(add_owner(database)[0]), caller_of(add_owner(database, "Bob")[0]))
    database.close()


def test_reports_have_the_titles_of_their_pages(instance: Instance) -> None:
    """One that was never analysed, whose analysis failed, or whose page has none, has none."""
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
