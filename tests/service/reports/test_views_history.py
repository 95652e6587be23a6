"""Use cases of the runs of a report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pagegrade.model.errors import NotFound, ValidationFailed
from pagegrade.report.codec import pack_report
from pagegrade.report.serialize import report_to_dict
from pagegrade.service.reports.views import compare_runs, list_runs, show_run
from pagegrade.web.schemas.report import comparison_object, run_item, run_object
from tests.report_builders import make_failed_report, make_passed, make_report, make_result
from tests.service.instance import Instance, caller_of
from tests.store_builders import NOW_MS, add_owner, make_database

GOOD = make_report(make_passed("language"), make_passed("title-length"))
BAD = make_report(make_passed("language"), make_result("title-length"))


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """Report 1 of Alice with four runs: bad, failed, good, and one that waits."""
    database = make_database(tmp_path)
    instance = Instance(database, caller_of(add_owner(database)[0]), caller_of(add_owner(database, "Bob")[0]))
    made = instance.create().report
    for report in (BAD, make_failed_report(), GOOD):
        instance.finish(pack_report(report))
        instance.update(made.id, results=1)
    yield instance
    database.close()


def compared(
    instance: Instance, before: int | None = None, after: int | None = None, report_id: int = 1
) -> dict[str, Any]:
    """The changes, as the API sends them."""
    compared = instance.database.read_here(
        lambda tx: compare_runs(tx, instance.alice, report_id, instance.options, NOW_MS, before=before, after=after)
    )
    found: dict[str, Any] = msgspec.json.decode(comparison_object(compared))
    return found


def test_runs_are_listed_newest_first_without_results(instance: Instance) -> None:
    """Every run with its own state, result and error."""
    listed = instance.database.read_here(
        lambda tx: list_runs(tx, instance.alice, 1, instance.options, NOW_MS, per_page=10)
    )
    items = [msgspec.json.decode(run_item(item)) for item in listed.items]

    assert listed.total == 4
    assert [(item["number"], item["state"]) for item in items] == [
        (4, "queued"), (3, "completed"), (2, "failed"), (1, "completed")
    ]  # fmt: skip
    assert items[2]["error"]["code"] == "blocked"
    assert all("results" not in item for item in items)


def test_an_old_run_is_shown_whole(instance: Instance) -> None:
    """With the results it had then."""
    found = instance.database.read_here(lambda tx: show_run(tx, instance.alice, 1, instance.options, NOW_MS, number=1))
    shown = msgspec.json.decode(run_object(found))

    assert (shown["object"], shown["number"], shown["run"]["number"]) == ("run", 1, 1)
    assert shown["results"] == report_to_dict(BAD)["results"]


@pytest.mark.parametrize(("report_id", "number"), [(1, 5), (1, 0), (1, 10**30), (99, 1)])
def test_a_run_that_is_not_there_is_not_found(instance: Instance, report_id: int, number: int) -> None:
    """The report or the run is missing."""
    with pytest.raises(NotFound):
        instance.database.read_here(
            lambda tx: show_run(tx, instance.alice, report_id, instance.options, NOW_MS, number=number)
        )


def test_bob_finds_none_of_alices_runs(instance: Instance) -> None:
    """Not one, not the list, not the comparison."""
    for attempt in (
        lambda: instance.database.read_here(
            lambda tx: show_run(tx, instance.bob, 1, instance.options, NOW_MS, number=1)
        ),
        lambda: instance.database.read_here(lambda tx: list_runs(tx, instance.bob, 1, instance.options, NOW_MS)),
        lambda: instance.database.read_here(lambda tx: compare_runs(tx, instance.bob, 1, instance.options, NOW_MS)),
    ):
        with pytest.raises(NotFound):
            attempt()


def test_by_default_the_last_two_good_runs_are_compared(instance: Instance) -> None:
    """Failed and unfinished ones are passed over."""
    found = compared(instance)

    assert (found["from"], found["to"], found["report_id"]) == (1, 3, 1)
    assert [change["check"] for change in found["fixed"]] == ["title-length"]
    assert found["fixed"][0]["evidence"]["selector"] == "head > title"
    assert (found["new"], found["still"], found["same_ruleset"]) == ([], [], True)


def test_runs_are_compared_in_the_order_asked_for(instance: Instance) -> None:
    """Backwards too: what was fixed is new then."""
    found = compared(instance, before=3, after=1)

    assert (found["from"], found["to"]) == (3, 1)
    assert [change["check"] for change in found["new"]] == ["title-length"]
    assert compared(instance, before=1, after=1)["still"][0]["check"] == "title-length"


@pytest.mark.parametrize(
    ("before", "after", "field", "code"),
    [
        (2, 3, "from", "not_comparable"),
        (1, 4, "to", "not_comparable"),
        (9, 3, "from", "unknown_run"),
        (1, 10**30, "to", "unknown_run"),
        (None, 1, "from", "no_run"),
    ],
)
def test_what_cannot_be_compared_is_a_violation(
    instance: Instance, before: int | None, after: int | None, field: str, code: str
) -> None:
    """The field says which of the two."""
    with pytest.raises(ValidationFailed) as caught:
        compared(instance, before, after)

    assert [(one.field, one.place, one.code) for one in caught.value.violations] == [(field, "query", code)]


def test_a_report_without_good_runs_has_nothing_to_compare(instance: Instance) -> None:
    """It is not an error of the service."""
    other = instance.create("https://example.com/other").report
    with pytest.raises(ValidationFailed) as caught:
        compared(instance, report_id=other.id)

    assert caught.value.violations[0].code == "no_run"
