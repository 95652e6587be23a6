"""Projects are what the reports of an account are about."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import Update, update

from pagegrade.model.account import Account
from pagegrade.model.rendering import LoadMetrics
from pagegrade.model.stored import ListQuery, SiteQuery
from pagegrade.report.build import rendered_page
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories import projects
from pagegrade.store.repositories.projects import (
    MAX_SITES,
    TREND_RUNS,
    average_score,
    changes_since,
    delete_from_project,
    latest_at_ms,
    list_projects,
    list_tags,
    load_project,
    pages_of_projects,
    pages_that_got_worse,
    scores_of_project,
    set_tags,
    tags_of,
)
from pagegrade.store.repositories.report_list import list_reports
from pagegrade.store.repositories.reports import add_report
from pagegrade.store.repositories.run_history import load_recent_scores
from pagegrade.store.schema.tables import reports, runs
from tests.rendering_builders import make_rendering
from tests.report_builders import make_failed_report, make_report
from tests.share_builders import DAY_MS, add_shared, finish, run_again
from tests.store_builders import NOW_MS, add_owner, make_database


def fill(tx: Transaction, account_id: int, project: str, count: int) -> None:
    """So many reports of a project."""
    for number in range(count):
        add_report(
            tx, account_id=account_id, url=f"https://{project}/{number}", project=project, privacy=0,
            password_hash=None, slug=f"{account_id}{project[:14]}{number}", now_ms=NOW_MS,
        )  # fmt: skip


def test_projects_come_by_name_in_pages(tmp_path: Path) -> None:
    """Each host once, with its reports, and the number of all of them on every page."""
    database = make_database(tmp_path)
    add_owner(database)
    add_owner(database, "Bob")

    def work(tx: Transaction) -> None:
        for name, count in (("b.example", 2), ("a.example", 3), ("c.example:8080", 1)):
            fill(tx, 1, name, count)
        fill(tx, 2, "bob.example", 1)
        first, total = list_projects(tx, 1, 1, 2)
        last, _ = list_projects(tx, 1, 2, 2)

        assert total == 3
        assert [(one.name, sum(one.counts.values())) for one in first] == [("a.example", 3), ("b.example", 2)]
        assert [(one.name, sum(one.counts.values())) for one in last] == [("c.example:8080", 1)]
        assert list_projects(tx, 1, 3, 2) == ((), 3)
        assert list_projects(tx, 1, 10**30, 100) == ((), 3)

    database.write_here(work)
    database.close()


def test_a_project_is_there_as_long_as_it_has_a_report(tmp_path: Path) -> None:
    """Deleting goes in steps, oldest first, and touches neither other projects nor other accounts."""
    database = make_database(tmp_path)
    add_owner(database)
    add_owner(database, "Bob")

    def work(tx: Transaction) -> None:
        fill(tx, 1, "a.example", 5)
        fill(tx, 1, "b.example", 1)
        fill(tx, 2, "a.example", 1)

        assert delete_from_project(tx, 1, "a.example", limit=3) == (1, 2, 3)
        assert delete_from_project(tx, 1, "a.example", limit=3) == (4, 5)
        assert delete_from_project(tx, 1, "a.example", limit=3) == ()
        assert load_project(tx, 1, "a.example") is None
        assert load_project(tx, 1, "") is None
        assert load_project(tx, 2, "a.example") is not None
        assert list_reports(tx, ListQuery(account_id=1))[1] == 1

    database.write_here(work)
    database.close()


def test_the_latest_date_of_a_project_is_that_of_its_newest_report(tmp_path: Path) -> None:
    """Of the account's own reports there; none where it has none."""
    database = make_database(tmp_path)
    add_owner(database)

    def work(tx: Transaction) -> None:
        fill(tx, 1, "a.example", 3)

        assert latest_at_ms(tx, 1, "a.example") == NOW_MS
        assert latest_at_ms(tx, 2, "a.example") is None

    database.write_here(work)
    database.close()


WEEK_MS = 7 * DAY_MS


def test_the_average_is_that_of_scored_reports(tmp_path: Path) -> None:
    """Of the account, or of one project; a report without a score changes nothing."""
    database = make_database(tmp_path)
    try:
        alice, bob = add_owner(database)[0], add_owner(database, "Bob")[0]
        for number, score in enumerate((40, 80, 90)):
            url = f"https://{'shop' if number else 'blog'}.example/{number}"
            add_shared(database, alice, now_ms=NOW_MS, url=url, outcome=make_report(score=score))
        add_shared(database, alice, now_ms=NOW_MS, url="https://x.example/", outcome=make_failed_report("dns"))
        add_shared(database, bob, now_ms=NOW_MS, outcome=make_report(score=10))

        assert database.read_here(lambda tx: average_score(tx, alice.id)) == 70.0
        assert database.read_here(lambda tx: average_score(tx, alice.id, "shop.example")) == 85.0
        assert database.read_here(lambda tx: average_score(tx, alice.id, "x.example")) is None
        assert database.read_here(lambda tx: average_score(tx, alice.id, "none.example")) is None
    finally:
        database.close()


def test_the_newest_pages_of_each_project_are_read_at_once(tmp_path: Path) -> None:
    """As many as are looked at, and not one more; of the account alone, and nothing without a name."""
    database = make_database(tmp_path)
    add_owner(database)
    add_owner(database, "Bob")

    def work(tx: Transaction) -> None:
        fill(tx, 1, "a.example", 4)
        fill(tx, 1, "b.example", 5)
        fill(tx, 2, "c.example", 1)
        found = pages_of_projects(tx, 1, ("b.example", "a.example", "c.example"), since_ms=NOW_MS, count=4)

        assert list(found) == ["b.example", "a.example", "c.example"]
        assert [len(pages) for pages in found.values()] == [4, 4, 0]
        assert [page.report_id for page in found["b.example"]] == [9, 8, 7, 6]
        assert found["a.example"][0][3:] == (None, None, False, None, False)
        assert pages_of_projects(tx, 1, (), since_ms=NOW_MS, count=4) == {}
        assert (
            len(pages_of_projects(tx, 1, [f"{n}.example" for n in range(MAX_SITES)], since_ms=0, count=4)) == MAX_SITES
        )

    database.write_here(work)
    database.close()


def test_pages_that_lost_points_are_found_the_worst_first(tmp_path: Path) -> None:
    """Since then, on the same basis, of the account and the project; a failed run between them is passed over."""
    database = make_database(tmp_path)
    try:
        alice, bob = add_owner(database)[0], add_owner(database, "Bob")[0]

        def add(path: str, *outcomes: tuple[int | None, str], owner: Account = alice) -> int:
            report = add_shared(database, owner, now_ms=NOW_MS - DAY_MS, url=f"https://{path}")
            for index, (score, ruleset) in enumerate(outcomes):
                if index:
                    report = run_again(database, report, now_ms=NOW_MS)
                run = replace(make_report().run, ruleset=ruleset)
                made = make_failed_report("dns") if score is None else make_report(score=score, run=run)
                report = finish(database, report, made, now_ms=NOW_MS)
            return report.id

        little = add("a.example/", (80, "1"), (79, "1"))
        much = add("b.example/", (80, "1"), (None, "1"), (30, "1"))
        add("b.example/up", (30, "1"), (80, "1"))
        add("b.example/rules", (80, "1"), (30, "2"))
        add("b.example/once", (30, "1"))
        add("b.example/bob", (80, "1"), (30, "1"), owner=bob)
        old = add("b.example/old", (80, "1"), (30, "1"))
        long_ago = update(runs).where(runs.c.report_id == old).values(finished_at_ms=NOW_MS - 2 * WEEK_MS)
        database.write_here(lambda tx: tx.execute(long_ago))
        since_ms = NOW_MS - WEEK_MS
        found = database.read_here(lambda tx: pages_that_got_worse(tx, alice.id, since_ms=since_ms))
        of_one = database.read_here(
            lambda tx: pages_that_got_worse(tx, alice.id, since_ms=since_ms, project="a.example")
        )

        assert [(page.report_id, page.before, page.after) for page in found] == [(much, 80, 30), (little, 80, 79)]
        assert (found[0].before_number, found[0].after_number) == (1, 3)
        assert [page.report_id for page in of_one] == [little]
    finally:
        database.close()


def test_pages_that_are_analyzed_often_hide_no_other_that_fell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound is one of pages, whose newest runs count, and not one of runs."""
    monkeypatch.setattr(projects, "MAX_PAGES", 2)
    database = make_database(tmp_path)
    try:
        alice = add_owner(database)[0]

        def add(path: str, *scores: int, days: int = 0) -> int:
            at_ms = NOW_MS - days * DAY_MS
            made = partial(make_report, generated_at=datetime.fromtimestamp(at_ms / 1000, UTC))
            report = add_shared(
                database, alice, now_ms=at_ms, url=f"https://b.example/{path}", outcome=made(score=scores[0])
            )
            for score in scores[1:]:
                report = finish(
                    database, run_again(database, report, now_ms=at_ms), made(score=score), now_ms=at_ms + 1
                )
            return report.id

        def found(project: str = "") -> list[int]:
            since_ms = NOW_MS - WEEK_MS
            pages = database.read_here(
                lambda tx: pages_that_got_worse(tx, alice.id, since_ms=since_ms, project=project)
            )
            return [page.report_id for page in pages]

        fell = add("fell", 80, 30, days=3)
        add("often", 70, 70, 70, 70)

        assert found() == found("b.example") == [fell]

        add("third", 70)

        assert found() == found("b.example") == []
    finally:
        database.close()


def test_the_scores_of_a_site_are_those_of_the_newest_runs_of_its_pages(tmp_path: Path) -> None:
    """In order of time; not those of other sites and accounts, nor runs without a score."""
    database = make_database(tmp_path)
    try:
        alice, bob = add_owner(database)[0], add_owner(database, "Bob")[0]
        many = add_shared(database, alice, now_ms=NOW_MS, url="https://shop.example/", outcome=make_report(score=1))
        for number in range(TREND_RUNS):
            again = run_again(database, many, now_ms=NOW_MS + number)
            finish(database, again, make_report(score=2), now_ms=NOW_MS + number)
        few = add_shared(database, alice, now_ms=NOW_MS - 9, url="https://shop.example/a", outcome=make_report(score=3))
        finish(database, run_again(database, few, now_ms=NOW_MS), make_failed_report("dns"), now_ms=NOW_MS)
        add_shared(database, alice, now_ms=NOW_MS, url="https://blog.example/", outcome=make_report(score=4))
        add_shared(database, bob, now_ms=NOW_MS, url="https://shop.example/", outcome=make_report(score=5))
        found = database.read_here(lambda tx: scores_of_project(tx, alice.id, "shop.example"))

        assert sorted((one.report_id, one.score) for one in found) == sorted(
            [(few.id, 3), *[(many.id, 2)] * TREND_RUNS]
        )
        assert [one.at_ms for one in found] == sorted(one.at_ms for one in found)
    finally:
        database.close()


def execute(statement: Update, tx: Transaction) -> None:
    """Change rows."""
    tx.execute(statement)


@pytest.mark.parametrize(
    ("scores", "change"),
    [
        # (days ago, score), the oldest first.
        (((8, 80), (1, 55), (0, 55)), -25),
        (((8, 80), (6, 55), (0, 80)), 0),
        (((30, 90), (8, 80), (3, 20), (0, 85)), 5),
        (((3, 80), (2, 90), (0, 70)), -10),
        (((0, 70),), None),
        (((9, 80), (8, 70)), None),
    ],
)
def test_a_page_is_compared_with_its_score_a_week_ago(
    tmp_path: Path, scores: tuple[tuple[int, int], ...], change: int | None
) -> None:
    """Not with the run before, so a fall stays visible for a week; without so old a run, with the first one since."""
    database = make_database(tmp_path)
    try:
        alice = add_owner(database)[0]
        report = add_shared(database, alice, now_ms=NOW_MS)
        for index, (days, score) in enumerate(scores):
            if index:
                report = run_again(database, report, now_ms=NOW_MS)
            report = finish(database, report, make_report(score=score), now_ms=NOW_MS)
            at = update(runs).where(runs.c.report_id == report.id, runs.c.number == index + 1)
            database.write_here(partial(execute, at.values(finished_at_ms=NOW_MS - days * DAY_MS)))
        since_ms = NOW_MS - WEEK_MS
        found = database.read_here(lambda tx: changes_since(tx, [report], since_ms))
        worse = database.read_here(lambda tx: pages_that_got_worse(tx, alice.id, since_ms=since_ms))

        assert found == ({} if change is None else {report.id: change})
        assert [page.after - page.before for page in worse] == ([change] if (change or 0) < 0 else [])
    finally:
        database.close()


def test_other_engines_are_no_score_of_a_week_ago(tmp_path: Path) -> None:
    """The last run that compares counts, however many others lie between."""
    database = make_database(tmp_path)
    try:
        alice = add_owner(database)[0]
        report = add_shared(database, alice, now_ms=NOW_MS)
        drawn = rendered_page(make_rendering(device="mobile"), [], LoadMetrics())
        for index, (score, rendered) in enumerate(((90, None), (60, drawn), (95, None), (58, drawn))):
            if index:
                report = run_again(database, report, now_ms=NOW_MS)
            report = finish(database, report, make_report(score=score, rendered=rendered), now_ms=NOW_MS + index)

        assert database.read_here(lambda tx: changes_since(tx, [report], NOW_MS - WEEK_MS)) == {report.id: -2}
        assert database.read_here(lambda tx: load_recent_scores(tx, [report], 9)) == {report.id: (60, 58)}
    finally:
        database.close()


def names(tx: Transaction, **asked: Any) -> list[str]:
    """Names of Alice's projects that a query finds, in its order; the number of all of them is as many."""
    found, total = list_projects(tx, 1, 1, 10, SiteQuery(**asked))
    assert total == len(found)
    return [one.name for one in found]


def test_projects_are_found_by_name_and_tag(tmp_path: Path) -> None:
    """Wildcards of SQL mean nothing, and tags of other accounts are not looked at."""
    database = make_database(tmp_path)
    add_owner(database)
    add_owner(database, "Bob")

    def work(tx: Transaction) -> None:
        for name in ("a.example", "b.example", "b_b.example"):
            fill(tx, 1, name, 1)
        fill(tx, 2, "b.example", 1)
        set_tags(tx, 1, {"a.example": ("shop", "a client"), "gone.example": ("nowhere",)})
        set_tags(tx, 2, {"b.example": ("shop", "his")})

        assert names(tx, search="b_") == ["b_b.example"]
        assert names(tx, search="%") == []
        assert names(tx, tag="shop") == ["a.example"]
        assert names(tx, tag="shop", search="b.") == []
        assert names(tx, tag="his") == []
        assert list_tags(tx, 1) == ("a client", "shop")
        project = load_project(tx, 1, "a.example")
        assert project is not None
        assert project.tags == ("a client", "shop")
        assert tags_of(tx, 1, ("a.example", "b.example")) == {"a.example": ("a client", "shop"), "b.example": ()}
        set_tags(tx, 1, {"a.example": ("blog",)})
        assert list_tags(tx, 1) == ("blog",)

    database.write_here(work)
    database.close()


def test_projects_are_sorted_by_name_score_and_last_analysis(tmp_path: Path) -> None:
    """Those without a score come last in both directions, by name."""
    database = make_database(tmp_path)
    add_owner(database)

    def work(tx: Transaction) -> None:
        scores = {"a.example": (50, 70), "b.example": (90,), "c.example": (20, None), "d.example": (None,)}
        for late, (name, of_pages) in enumerate(scores.items()):
            fill(tx, 1, name, len(of_pages))
            for page, score in enumerate(of_pages):
                which = update(reports).where(reports.c.url == f"https://{name}/{page}")
                tx.execute(which.values(score=score, dated_at_ms=NOW_MS - 1_000 * late - page))
        fill(tx, 1, "e.example", 1)

        assert names(tx, descending=True) == ["e.example", "d.example", "c.example", "b.example", "a.example"]
        assert names(tx, sort_by="score") == ["c.example", "a.example", "b.example", "d.example", "e.example"]
        assert names(tx, sort_by="score", descending=True) == [
            "b.example",
            "a.example",
            "c.example",
            "d.example",
            "e.example",
        ]
        assert names(tx, sort_by="analyzed")[:2] == ["d.example", "c.example"]
        assert names(tx, sort_by="analyzed", descending=True) == [
            "a.example",
            "e.example",
            "b.example",
            "c.example",
            "d.example",
        ]

    database.write_here(work)
    database.close()
