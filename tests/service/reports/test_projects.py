"""Use cases of projects."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine, event, func, select, update

from pagegrade.model.errors import NotFound, ValidationFailed
from pagegrade.model.rendering import Device, LoadMetrics
from pagegrade.model.report import Report
from pagegrade.model.stored import MAX_TAG, MAX_TAGS, SiteQuery, StoredReport
from pagegrade.report.build import rendered_page
from pagegrade.service.reports.projects import (
    ProjectSize,
    delete_project,
    find_named,
    find_project,
    find_projects,
    list_projects,
    list_tags,
    read_tags,
    show_project,
    tag_project,
    tag_projects,
)
from pagegrade.store.engine.database import Database
from pagegrade.store.schema.tables import runs
from tests.rendering_builders import make_rendering
from tests.report_builders import make_failed_report, make_report
from tests.service.instance import Instance, caller_of
from tests.share_builders import DAY_MS, add_shared, finish, run_again
from tests.store_builders import NOW_MS, add_owner, make_database


def moment(at_ms: int) -> datetime:
    """The same as a report has it."""
    return datetime.fromtimestamp(at_ms / 1000, UTC)


def finish_at(database: Database, report: StoredReport, made: Report, at_ms: int) -> StoredReport:
    """The report after its waiting run has ended like this at a time, whatever the clock of the database says."""
    report = finish(database, report, replace(made, generated_at=moment(at_ms)), now_ms=at_ms)
    last = select(func.max(runs.c.number)).where(runs.c.report_id == report.id).scalar_subquery()
    ended = update(runs).where(runs.c.report_id == report.id, runs.c.number == last)
    database.write_here(lambda tx: tx.execute(ended.values(finished_at_ms=at_ms)))
    return report


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """Alice with three reports on two hosts, Bob with one."""
    database = make_database(tmp_path)
    instance = Instance(database, caller_of(add_owner(database)[0]), caller_of(add_owner(database, "Bob")[0]))
    for url in ("https://b.example/1", "https://www.b.example/2", "https://a.example/"):
        instance.create(url)
    instance.create("https://b.example/", who=instance.bob)
    yield instance
    database.close()


def test_projects_are_listed_with_their_reports(instance: Instance) -> None:
    """One's own, by name."""
    listed = instance.database.read_here(lambda tx: list_projects(tx, instance.alice))

    assert listed.items == (
        ProjectSize(name="a.example", reports=1, tags=()),
        ProjectSize(name="b.example", reports=2, tags=()),
    )
    assert listed.total == 2


def test_a_project_is_found_however_it_is_typed(instance: Instance) -> None:
    """And not found where there is no report, or no host."""
    for typed in ("b.example", "WWW.B.Example", "https://b.example/x"):
        project = instance.database.read_here(lambda tx, typed=typed: show_project(tx, instance.alice, typed))  # type: ignore[misc]

        assert project.reports == 2
    for typed in ("c.example", "", "/", "b.example:8080"):
        with pytest.raises(NotFound):
            instance.database.read_here(lambda tx, typed=typed: show_project(tx, instance.alice, typed))  # type: ignore[misc]


def test_projects_come_with_their_results(instance: Instance) -> None:
    """The numbers of good, decent, bad and failed reports, and the date of the last one."""
    instance.finish()
    instance.now_ms = NOW_MS + 5_000
    instance.create("https://b.example/3")
    listed, total = instance.database.read_here(
        lambda tx: find_projects(tx, instance.alice, instance.now_ms, page=1, per_page=10)
    )
    found = [each.figures for each in listed]

    assert total == 2
    assert [each.worse for each in listed] == [0, 0]
    assert [(each.name, each.reports, each.decent, each.failed) for each in found] == [
        ("a.example", 1, 1, 0),
        ("b.example", 3, 2, 0),
    ]
    assert found[1].latest_at_ms == max(found[1].latest_at_ms, NOW_MS + 5_000)


def test_a_listed_project_says_what_became_of_its_pages_in_a_week(tmp_path: Path) -> None:
    """Pages that were not analyzed in it gained nothing; those whose rules changed do not count, and it is said."""
    database = make_database(tmp_path)
    alice = add_owner(database)[0]
    long_ago, now_ms = NOW_MS - 9 * DAY_MS, NOW_MS

    def add(url: str, *scores: tuple[int, int, str]) -> None:
        report = add_shared(database, alice, now_ms=long_ago, url=url)
        for index, (score, at_ms, ruleset) in enumerate(scores):
            if index:
                report = run_again(database, report, now_ms=at_ms)
            made = make_report(score=score, run=replace(make_report().run, ruleset=ruleset))
            report = finish_at(database, report, made, at_ms)

    add("https://a.example/1", (80, long_ago, "1"), (70, now_ms, "1"))
    add("https://a.example/2", (50, long_ago, "1"), (54, now_ms, "1"))
    add("https://a.example/3", (60, long_ago, "1"))
    add("https://a.example/4", (99, now_ms, "1"))
    add("https://a.example/5", (10, long_ago, "1"), (40, now_ms, "2"))
    add("https://b.example/", (10, long_ago, "1"), (40, now_ms, "2"))
    add("https://c.example/", (10, long_ago, "1"))
    add("https://d.example/")
    found, _ = database.read_here(lambda tx: find_projects(tx, caller_of(alice), now_ms, page=1, per_page=10))
    a, b, c, d = found

    assert (a.change, a.worse, a.is_incomparable, a.pages) == ((-10 + 4 + 0) / 3, 1, False, 5)
    assert a.worst is not None
    assert (a.worst.url, a.worst.score) == ("https://a.example/5", 40)
    assert a.severities == {name: 5 * count for name, count in c.severities.items()}
    assert a.figures.average == (70 + 54 + 60 + 99 + 40) / 5
    assert (b.change, b.is_incomparable) == (None, True)
    assert (c.change, c.is_incomparable) == (None, False)
    assert (d.worst, d.severities, d.pages, d.monitors) == (None, {}, 1, 0)
    database.close()


@pytest.mark.parametrize(
    ("analyses", "is_incomparable"),
    [
        # (days ago, score or none, device), the oldest first.
        (((0, 70, None), (0, 60, "mobile")), False),
        (((0, None, None), (0, 50, None)), False),
        (((3, 70, "desktop"), (2, 70, "mobile")), False),
        (((9, None, None), (8, None, None), (1, 50, None)), False),
        (((7, 70, None), (7, 60, "mobile")), False),
        (((8, 70, None), (1, None, None)), False),
        (((9, 70, None), (0, 60, "mobile")), True),
        (((8, 70, None), (8, 60, "mobile"), (0, 70, None), (0, 65, "desktop")), True),
        (((9, 70, "mobile"), (1, None, "mobile"), (0, 60, "desktop")), True),
        (((9, 70, "mobile"), (0, 60, "desktop"), (0, 60, "mobile")), False),
    ],
)
def test_only_what_had_a_score_a_week_ago_is_not_comparable(
    tmp_path: Path, analyses: tuple[tuple[int, int | None, Device | None], ...], *, is_incomparable: bool
) -> None:
    """A new page has two runs as well, the second one in a browser; and one may be read only at the second attempt."""
    database = make_database(tmp_path)
    alice = add_owner(database)[0]
    report = add_shared(database, alice, now_ms=NOW_MS - 10 * DAY_MS, url="https://shop.example/")
    for index, (days, score, device) in enumerate(analyses):
        at_ms = NOW_MS - days * DAY_MS
        if index:
            report = run_again(database, report, now_ms=at_ms)
        drawn = None if device is None else rendered_page(make_rendering(device=device), [], LoadMetrics())
        made = make_failed_report("dns") if score is None else make_report(score=score, rendered=drawn)
        report = finish_at(database, report, made, at_ms)
    found, _ = database.read_here(lambda tx: find_projects(tx, caller_of(alice), NOW_MS, page=1, per_page=10))

    assert found[0].is_incomparable is is_incomparable
    database.close()


def test_the_figures_of_one_project_are_ones_own(instance: Instance) -> None:
    """Bob's report there does not count, and what is not there is not found."""
    found = instance.database.read_here(lambda tx: find_project(tx, instance.bob, "www.b.example"))

    assert (found.name, found.reports, found.good) == ("b.example", 1, 0)
    with pytest.raises(NotFound):
        instance.database.read_here(lambda tx: find_project(tx, instance.bob, "a.example"))


def test_a_project_is_deleted_in_steps(instance: Instance) -> None:
    """So that other accounts do not wait long for the writer; Bob's reports there stay."""
    steps = [
        instance.database.write_here(lambda tx: delete_project(tx, instance.alice, "www.b.example", limit=1))
        for _ in range(3)
    ]

    assert [len(step) for step in steps] == [1, 1, 0]
    assert instance.database.read_here(lambda tx: list_projects(tx, instance.alice)).total == 1
    assert instance.database.read_here(lambda tx: list_projects(tx, instance.bob)).total == 1
    assert instance.database.write_here(lambda tx: delete_project(tx, instance.alice, "")) == ()


def test_tags_are_read_in_one_spelling() -> None:
    """Each once; one more, or one longer, than there may be is refused, and so is a comma."""
    most, longest = [f"t{number}" for number in range(MAX_TAGS)], "x" * MAX_TAG

    assert read_tags([" Client  A", "client a", "", "  "]) == ("client a",)
    assert read_tags([*most, "T0"]) == tuple(most)
    assert read_tags([longest]) == (longest,)
    for refused, code in (([*most, "one"], "too_many"), ([longest + "x"], "too_long"), (["a,b"], "invalid")):
        with pytest.raises(ValidationFailed) as caught:
            read_tags(refused)
        assert [each.code for each in caught.value.violations] == [code]


@pytest.mark.parametrize(
    "tag", ["\u200b", "\u00ad", "\u202e", "\x7f", "\x00", "\ud800", "shop\u200b", "\ufeffshop", "\u200d", "shop\u200c"]
)
def test_a_tag_that_nobody_could_type_again_is_refused(tag: str) -> None:
    """One of nothing visible, and one that looks like another."""
    with pytest.raises(ValidationFailed) as caught:
        read_tags(["blog", tag])

    assert [each.code for each in caught.value.violations] == ["invalid"]


@pytest.mark.parametrize("tag", ["قالب\u200cها", "👩\u200d💻 team", "קידום", "größe", "a\tb", "ไทย", "c++"])
def test_a_tag_may_be_in_any_language(tag: str) -> None:
    """With the joiners that are part of its words."""
    assert read_tags([tag]) == (" ".join(tag.split()),)


def test_tags_belong_to_ones_own_projects(instance: Instance) -> None:
    """Bob's project of the same name has none, and a key of another project cannot give any."""
    database, alice, bob = instance.database, instance.alice, instance.bob
    tagged = database.write_here(lambda tx: tag_project(tx, alice, "WWW.b.example", ("shop",)))

    assert alice.key is not None
    of_a = replace(alice, key=replace(alice.key, project="a.example"))
    with pytest.raises(NotFound):
        database.write_here(lambda tx: tag_project(tx, of_a, "b.example", ("x",)))
    with pytest.raises(NotFound):
        database.write_here(lambda tx: tag_project(tx, bob, "a.example", ("x",)))
    database.write_here(lambda tx: tag_projects(tx, of_a, ("a.example", "b.example"), add=("of a",), remove=("shop",)))

    assert tagged == ProjectSize(name="b.example", reports=2, tags=("shop",))
    assert database.read_here(lambda tx: list_tags(tx, alice)) == ("of a", "shop")
    assert database.read_here(lambda tx: list_tags(tx, bob)) == ()
    for tag, expected in (("of a", ["a.example"]), ("shop", [])):
        query = SiteQuery(tag=tag)
        seen = database.read_here(lambda tx, query=query: list_projects(tx, of_a, query=query))  # type: ignore[misc]
        assert [each.name for each in seen.items] == expected


def test_many_projects_get_and_lose_tags_together(instance: Instance) -> None:
    """Those that are there; where one would have too many, none changes."""
    database, alice = instance.database, instance.alice
    full = tuple(f"t{number}" for number in range(MAX_TAGS))
    sites = ("a.example", "b.example", "a.example", "unknown.example")
    database.write_here(lambda tx: tag_project(tx, alice, "b.example", full))
    with pytest.raises(ValidationFailed):
        database.write_here(lambda tx: tag_projects(tx, alice, sites, add=("new",), remove=()))
    before = database.read_here(lambda tx: find_named(tx, alice, sites))
    database.write_here(lambda tx: tag_projects(tx, alice, sites, add=("new",), remove=("t0", "t1")))
    after = database.read_here(lambda tx: find_named(tx, alice, sites))

    assert [(each.name, len(each.tags)) for each in before] == [("a.example", 0), ("b.example", MAX_TAGS)]
    assert [each.tags for each in after] == [("new",), tuple(sorted((*full[2:], "new")))]


def test_the_statements_for_tags_do_not_grow_with_the_projects(instance: Instance) -> None:
    """The account is held for as long as they take."""
    database, alice = instance.database, instance.alice
    asked: list[str] = []
    for number in range(20):
        instance.create(f"https://{number}.example/")
    names = [f"{number}.example" for number in range(20)]

    def note(*sent: Any) -> None:
        asked.append(sent[2])

    event.listen(Engine, "before_cursor_execute", note)
    try:
        database.write_here(lambda tx: tag_projects(tx, alice, names, add=("new",), remove=()))
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    tagged = database.read_here(lambda tx: find_named(tx, alice, [*names, "", "unknown.example"]))

    assert [(each.name, each.tags) for each in tagged] == [(name, ("new",)) for name in names]
    assert len(asked) < len(names)


def test_a_project_goes_with_its_tags(instance: Instance) -> None:
    """So that a later one of that name has none."""
    database, alice = instance.database, instance.alice
    database.write_here(lambda tx: tag_project(tx, alice, "a.example", ("shop",)))
    database.write_here(lambda tx: delete_project(tx, alice, "a.example"))
    instance.create("https://a.example/again")

    assert database.read_here(lambda tx: show_project(tx, alice, "a.example")).tags == ()
