"""Use cases of projects."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.model.errors import NotFound
from pagegrade.service.reports.projects import (
    ProjectSize,
    delete_project,
    find_project,
    find_projects,
    list_projects,
    show_project,
)
from tests.service.instance import Instance, caller_of
from tests.store_builders import NOW_MS, add_owner, make_database


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

    assert listed.items == (ProjectSize(name="a.example", reports=1), ProjectSize(name="b.example", reports=2))
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
