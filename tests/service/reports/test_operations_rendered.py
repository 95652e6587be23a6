"""Reports that a browser draws, on both kinds of databases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pagegrade.model.rendering import Device
from pagegrade.service.options import RenderDefault, ServiceOptions
from pagegrade.store.repositories.processes import Process, beat, forget
from tests.service.instance import Instance, caller_of
from tests.store_builders import BACKENDS, NOW_MS, Backend, add_owner, make_database, on

BROWSER = Path("/usr/bin/a-browser")


@pytest.fixture(params=BACKENDS)
def instance(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Instance]:
    """An empty service on either kind of database."""
    backend: Backend = request.param
    with on(backend):
        database = make_database(tmp_path)
    yield Instance(database, caller_of(add_owner(database)[0]), caller_of(add_owner(database, "Bob")[0]))
    database.close()


def device_of(instance: Instance, report_id: int) -> str:
    """The device of the newest run of a report."""

    def look(tx: object) -> str:
        row = tx.exec_driver_sql(  # type: ignore[attr-defined]
            f"SELECT device FROM runs WHERE report_id = {report_id} ORDER BY number DESC LIMIT 1"  # noqa: S608
        )
        return str(row.scalar_one())

    return instance.database.read_here(look)


@pytest.mark.parametrize(
    ("installation", "asked", "expected"),
    [
        (("auto", None), (None, None), "none"),
        (("auto", BROWSER), (None, None), "mobile"),
        (("auto", BROWSER), (None, "desktop"), "desktop"),
        (("auto", BROWSER), (0, "desktop"), "none"),
        (("auto", None), (1, None), "mobile"),
        (("always", None), (None, "desktop"), "desktop"),
        (("always", BROWSER), (0, None), "none"),
        (("never", None), (None, None), "none"),
        (("never", None), (1, "desktop"), "desktop"),
    ],
)
def test_the_report_decides_then_the_installation(
    instance: Instance,
    installation: tuple[RenderDefault, Path | None],
    asked: tuple[int | None, Device | None],
    expected: str,
) -> None:
    """A report that asks for a browser gets a run for one, even where there is none: then its report says so."""
    default, browser = installation
    instance.options = ServiceOptions(render=default, browser=browser)
    report = instance.create(render=asked[0], device=asked[1]).report

    assert device_of(instance, report.id) == expected
    assert (report.render, report.device) == asked


def test_a_browser_of_another_process_counts_while_it_lives(instance: Instance) -> None:
    """The process that answers requests needs none itself; an SQLite database has no other processes."""
    worker = Process(name="w", kind="worker", version="1", host="h", pid=1, has_browser=True)
    instance.database.write_here(lambda tx: beat(tx, worker, NOW_MS))
    with_one = instance.create("https://a.example/").report
    instance.database.write_here(lambda tx: forget(tx, "w"))
    without = instance.create("https://b.example/").report

    expected = "mobile" if instance.database.shared else "none"

    assert (device_of(instance, with_one.id), device_of(instance, without.id)) == (expected, "none")


def test_a_change_holds_from_the_next_analysis_on(instance: Instance) -> None:
    """It is another revision; what was not sent stays; the same again changes nothing."""
    report = instance.create(render=0).report
    instance.finish()
    changed = instance.update(report.id, render=1, device="desktop").report
    same = instance.update(report.id, render=1).report
    before = device_of(instance, report.id)
    instance.update(report.id, results=1)

    assert (changed.render, changed.device) == (1, "desktop")
    assert same.revision == changed.revision
    assert (before, device_of(instance, report.id)) == ("none", "desktop")


def test_an_analysis_under_way_keeps_its_engine_and_the_caller_is_warned(instance: Instance) -> None:
    """Joining it would otherwise look as if the new setting had been used."""
    report = instance.create(render=0).report
    joined = instance.update(report.id, render=1, results=1)
    again = instance.update(report.id, render=1, results=1)

    assert [warning.code for warning in joined.warnings] == ["analysis_under_way"]
    assert again.warnings == ()
    assert device_of(instance, report.id) == "none"


def test_answers_show_what_the_report_decides(instance: Instance) -> None:
    """Null where the installation decides."""
    asked = instance.create("https://a.example/", render=1, device="desktop").report
    silent = instance.create("https://b.example/").report
    instance.options = replace(instance.options, render="never")

    assert [instance.show(asked.id)[name] for name in ("render", "device")] == [1, "desktop"]
    assert [instance.show(silent.id)[name] for name in ("render", "device")] == [None, None]
