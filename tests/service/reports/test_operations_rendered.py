"""Reports that a browser draws, on both kinds of databases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import text

from pagegrade.model.errors import QuotaExceeded
from pagegrade.model.rendering import Device, LoadMetrics
from pagegrade.model.report import Basis
from pagegrade.model.stored import PackedReport
from pagegrade.report.build import rendered_page
from pagegrade.report.codec import pack_report
from pagegrade.report.serialize import report_from_dict
from pagegrade.service.monitors.due_runs import queue_due
from pagegrade.service.monitors.operations import MonitorChange, create_monitor
from pagegrade.service.options import RenderDefault, ServiceOptions
from pagegrade.service.reports.operations import is_finished
from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue.claim import claim_runs
from pagegrade.store.queue.length import count_unfinished
from pagegrade.store.queue.runs import finish_run, release_run
from pagegrade.store.repositories.installation import Process, beat, forget
from pagegrade.store.repositories.monitors import load_monitor
from tests.rendering_builders import make_rendering
from tests.report_builders import make_failed_report, make_report
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
    """The device of the newest run of a report, or that of the run which is to follow it."""

    def look(tx: object) -> str:
        row = tx.exec_driver_sql(  # type: ignore[attr-defined]
            f"SELECT COALESCE(follow_device, device) FROM runs WHERE report_id = {report_id} "  # noqa: S608
            "ORDER BY number DESC LIMIT 1"
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


BOTH: Final = ServiceOptions(render="auto", browser=BROWSER)
"""The installation decides, and has a browser."""


def drawn() -> PackedReport:
    """The outcome of a run in a browser."""
    return pack_report(make_report(score=53, rendered=rendered_page(make_rendering(), [], LoadMetrics())))


def end(instance: Instance, packed: PackedReport | None = None) -> int:
    """Let every run end that waits, and some time pass; how many there were."""
    count = instance.finish(packed)
    instance.now_ms += 1_000
    return count


def runs_of(instance: Instance, report_id: int = 1) -> list[tuple[int, str, str]]:
    """(number, state, device) of the runs of a report."""
    rows = instance.database.read_here(
        lambda tx: tx.execute(
            text("SELECT number, state, device FROM runs WHERE report_id = :id ORDER BY number"), {"id": report_id}
        ).all()
    )
    return [(number, state, device) for number, state, device in rows]


def test_a_static_run_answers_and_the_one_in_a_browser_follows(instance: Instance) -> None:
    """The report is completed in between and says what follows; afterwards it shows what the browser saw."""
    instance.options = BOTH
    report = instance.create().report
    waiting = runs_of(instance)
    end(instance)
    between, queued = instance.show(report.id), runs_of(instance)
    end(instance, drawn())
    after = instance.show(report.id)

    assert waiting == [(1, "queued", "none")]
    assert queued == [(1, "completed", "none"), (2, "queued", "mobile")]
    assert (between["state"], between["analysis"]["engine"], between["run"]["number"]) == ("completed", "static", 1)
    assert between["rendered"] == {"state": "pending", "run": 2}
    assert report_from_dict(between).rendered is None
    assert (after["state"], after["analysis"]["engine"], after["run"]["number"]) == ("completed", "rendered", 2)
    assert (after["score"], after["rendered"]["device"]) == (53, "mobile")
    assert runs_of(instance)[1:] == [(2, "completed", "mobile")]


def test_the_beginning_of_a_run_that_follows_changes_nothing(instance: Instance) -> None:
    """Claimed, given back and claimed again: the report stays completed, with the same entity tag."""
    instance.options = BOTH
    report = instance.create().report
    end(instance)
    tags = [instance.show(report.id)["updated_at"]]
    for _ in range(2):
        claimed = instance.database.write_here(
            lambda tx: claim_runs(
                tx, worker="w", count=9, now_ms=NOW_MS + 9, lease_ms=9, target_runs=9, target_runs_per_minute=99
            )
        )
        tags.append(instance.show(report.id)["updated_at"])
        instance.database.write_here(lambda tx, run=claimed[0]: release_run(tx, run, NOW_MS + 9))  # type: ignore[misc]
    shown = instance.show(report.id)

    assert shown["state"] == "completed"
    assert shown["rendered"] == {"state": "pending", "run": 2}
    assert len(set(tags)) == 1


def test_nothing_follows_a_run_that_failed(instance: Instance) -> None:
    """A page that could not be reached is not asked again at once."""
    instance.options = BOTH
    report = instance.create().report
    end(instance, pack_report(make_failed_report("dns")))

    assert runs_of(instance) == [(1, "failed", "none")]
    assert instance.show(report.id)["rendered"] is None


def test_a_run_that_follows_and_fails_keeps_the_static_results(instance: Instance) -> None:
    """As any other run of the report that fails."""
    instance.options = BOTH
    report = instance.create().report
    end(instance)
    end(instance, pack_report(make_failed_report("timeout")))
    shown = instance.show(report.id)

    assert (shown["state"], shown["error"]["code"], shown["run"]["number"]) == ("failed", "timeout", 1)
    assert shown["rendered"] is None


def test_a_request_joins_the_run_that_follows(instance: Instance) -> None:
    """Without a choice of engine the report answers at once; who asks for a browser waits for it."""
    instance.options = BOTH
    report = instance.create().report
    end(instance)
    joined = instance.update(report.id, results=1)
    at_once = instance.database.read_here(lambda tx: is_finished(tx, instance.alice, report.id))
    awaited = instance.update(report.id, render=1, results=1)
    waits = instance.database.read_here(lambda tx: is_finished(tx, instance.alice, report.id))
    end(instance, drawn())

    assert joined.run is not None
    assert awaited.run is not None
    assert (joined.run.number, at_once) == (2, True)
    assert (awaited.run.number, awaited.report.state, waits) == (2, "queued", False)
    assert [run[:2] for run in runs_of(instance)] == [(1, "completed"), (2, "completed")]


def test_a_run_that_follows_is_one_of_the_queue_and_no_report(instance: Instance) -> None:
    """It counts as unfinished, and neither for the reports of the account nor a second time in the queue."""
    instance.options = replace(BOTH, max_reports=1, account_queue=1)
    report = instance.create().report
    end(instance)
    counted = [
        instance.database.read_here(lambda tx, who=who: count_unfinished(tx, who))  # type: ignore[misc]
        for who in (instance.alice.account.id, instance.bob.account.id, None)
    ]
    joined = instance.update(report.id, results=1)
    with pytest.raises(QuotaExceeded, match="may have 1 reports"):
        instance.create("https://b.example/")
    end(instance, drawn())

    assert counted == [1, 0, 1]
    assert joined.run is not None
    assert instance.database.read_here(lambda tx: count_unfinished(tx, None)) == 0


def test_a_deleted_report_has_no_run_that_follows(instance: Instance) -> None:
    """It goes with its report, while it waits and while it is under way."""
    instance.options = BOTH
    report = instance.create().report
    end(instance)
    instance.delete(report.id)

    assert runs_of(instance) == []
    assert end(instance, drawn()) == 0
    assert instance.database.read_here(lambda tx: count_unfinished(tx, None)) == 0


def test_a_crash_leaves_both_or_none(instance: Instance) -> None:
    """The run that follows is queued in the transaction that finishes the static one."""
    instance.options = BOTH
    instance.create()

    def crash(tx: Transaction) -> None:
        (run,) = claim_runs(
            tx, worker="w", count=1, now_ms=NOW_MS, lease_ms=9, target_runs=9, target_runs_per_minute=99
        )
        finish_run(tx, run, pack_report(make_report()), NOW_MS)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        instance.database.write_here(crash)

    assert runs_of(instance) == [(1, "queued", "none")]


def test_reports_of_one_url_share_the_run_in_the_browser_as_well(instance: Instance) -> None:
    """Each has its own run, and the page is drawn once."""
    instance.options = BOTH
    for _ in range(2):
        instance.create()
    drawn_pages = (end(instance), end(instance, drawn()))

    assert drawn_pages == (1, 1)
    assert [runs_of(instance, number)[-1] for number in (1, 2)] == [(2, "completed", "mobile")] * 2


def test_no_client_waits_for_a_run_of_a_monitor(instance: Instance) -> None:
    """So it is one run, in the browser; the static one of a request crosses no budget before the browser's."""
    instance.options = BOTH
    report = instance.create().report
    change = MonitorChange(schedule="hourly", budgets=("score<60",))
    monitor = instance.database.write_here(
        lambda tx: create_monitor(tx, instance.alice, change, instance.options, NOW_MS, report_id=report.id)
    )
    end(instance, pack_report(make_report(score=10)))
    skipped = instance.database.write_here(lambda tx: queue_due(tx, monitor, instance.options, NOW_MS))
    unknown = instance.database.read_here(lambda tx: load_monitor(tx, instance.alice.account.id, monitor.id))
    end(instance, drawn())
    after = instance.database.read_here(lambda tx: load_monitor(tx, instance.alice.account.id, monitor.id))

    assert after is not None
    due = instance.database.write_here(lambda tx: queue_due(tx, after, instance.options, NOW_MS))

    assert unknown is not None
    assert (skipped.outcome, unknown.budgets[0].state) == ("skipped", "unknown")
    assert (after.budgets[0].state, after.budgets[0].basis) == ("breached", make_basis())
    assert due.outcome == "queued"
    assert runs_of(instance)[2:] == [(3, "queued", "mobile")]


def make_basis() -> Basis:
    """The basis of ``drawn``."""
    return Basis(drawn().ruleset, "mobile")
