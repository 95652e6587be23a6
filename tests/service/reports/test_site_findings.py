"""Findings of the pages of a site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.model.errors import NotFound
from pagegrade.report.codec import pack_report
from pagegrade.service.reports import operations, site_findings
from pagegrade.service.reports.site_findings import SiteFindings, find_site_findings
from tests.report_builders import make_failed_report, make_passed, make_report, make_result
from tests.service.instance import Instance, caller_of
from tests.store_builders import add_owner, make_database


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """An empty service with two accounts."""
    database = make_database(tmp_path)
    yield Instance(database, caller_of(add_owner(database)[0]), caller_of(add_owner(database, "Bob")[0]))
    database.close()


def found(instance: Instance, typed: str = "a.example") -> SiteFindings:
    """Return the findings of a site of Alice."""
    return instance.database.read_here(
        lambda tx: find_site_findings(tx, instance.alice, typed, instance.options, instance.now_ms)
    )


def fill(instance: Instance, count: int) -> None:
    """So many pages, each with one finding more than the one before; and a page that could not be read."""
    for number in range(count):
        instance.create(f"https://a.example/{number}")
        results = [
            replace(make_result(f"check-{each}"), lost=each + 1.0, importance="high" if number == 1 else "low")
            for each in range(number + 1)
        ]
        counted = replace(make_result("counted"), counted_in="check-0")
        instance.finish(pack_report(make_report(*results, counted, make_passed("title"))))
    instance.create("https://a.example/failed")
    instance.finish(pack_report(make_failed_report("dns")))
    instance.create("https://a.example/waiting")


def test_findings_come_with_all_their_pages(instance: Instance) -> None:
    """Those of the most pages first; not what another finding is charged for, and no page without results."""
    fill(instance, 3)
    site = found(instance, "https://www.A.example/x")

    assert (site.project, site.pages, site.left) == ("a.example", 3, 0)
    assert [(one.check, one.severity, len(one.pages), one.lost) for one in site.findings] == [
        ("check-0", "high", 3, 3.0),
        ("check-1", "high", 2, 4.0),
        ("check-2", "low", 1, 3.0),
    ]
    assert [page.url for page in site.findings[1].pages] == ["https://a.example/1", "https://a.example/2"]


@pytest.mark.parametrize(("most", "left"), [(5, 0), (2, 3)])
def test_so_many_pages_are_read(instance: Instance, monkeypatch: pytest.MonkeyPatch, most: int, left: int) -> None:
    """And it is said how many were not; they are read some at a time."""
    monkeypatch.setattr(site_findings, "MAX_PAGES", most)
    monkeypatch.setattr(operations, "READ_AT_ONCE", 1)
    monkeypatch.setattr(site_findings, "_AT_ONCE", 2)
    fill(instance, 3)
    site = found(instance)

    assert site.left == left
    assert Counter(len(one.pages) for one in site.findings) == ({3: 1, 2: 1, 1: 1} if not left else {2: 2, 1: 1})


def test_a_site_of_others_is_not_found(instance: Instance) -> None:
    """Nor one that has no report."""
    instance.create("https://b.example/", who=instance.bob)

    for typed in ("b.example", "c.example", ""):
        with pytest.raises(NotFound):
            found(instance, typed)
