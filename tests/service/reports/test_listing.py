"""The list of reports as pages need it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.model.stored import ListQuery
from pagegrade.report.codec import pack_report
from pagegrade.service.reports.listing import MAX_SCORES, Rows, find_existing, find_rows, find_states
from tests.report_builders import make_report
from tests.service.instance import Instance, caller_of
from tests.share_builders import run_again
from tests.store_builders import add_owner, make_database


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """An empty service with two accounts."""
    database = make_database(tmp_path)
    yield Instance(database, caller_of(add_owner(database)[0]), caller_of(add_owner(database, "Bob")[0]))
    database.close()


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
    assert {one.pages for one in rows(project="a.example").shared} == {2}
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
