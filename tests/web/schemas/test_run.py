"""The JSON objects of runs and comparisons."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from pagegrade.model.stored import StoredRun
from pagegrade.report.codec import pack_report, unpack_detail
from pagegrade.report.compare import compare_reports
from pagegrade.report.serialize import report_to_dict
from pagegrade.service.reports.views import ComparedRuns, RunResults
from pagegrade.web.schemas.run import comparison_object, run_item, run_object
from tests.report_builders import make_passed, make_report, make_result
from tests.store_builders import NOW_MS


def test_a_run_shows_the_facts_of_its_time() -> None:
    """Waiting, it has none; finished, those it was stored with."""
    waiting = StoredRun(
        id=9, report_id=1042, number=3, state="queued", attempt=0, rating=None, score=None, engine=None, ruleset=None,
        summary=None, error=None, created_at_ms=NOW_MS, started_at_ms=None, finished_at_ms=None,
    )  # fmt: skip
    packed = pack_report(make_report())
    done = replace(waiting, state="completed", rating=2, score=74, summary=packed.summary, started_at_ms=NOW_MS + 5)
    shown = msgspec.json.decode(run_object(RunResults(run=done, detail=unpack_detail(packed.detail))))
    empty = msgspec.json.decode(run_item(waiting))

    assert (shown["object"], shown["report_id"], shown["number"], shown["state"]) == ("run", 1042, 3, "completed")
    assert (shown["result"], shown["score"], shown["run"]["number"]) == ("decent", 74, 3)
    assert shown["results"] == report_to_dict(make_report())["results"]
    assert (shown["started_at"], shown["finished_at"]) == ("2026-01-01T00:00:00.005Z", None)
    assert "results" not in empty
    assert (empty["result"], empty["run"], empty["counts"], empty["caps"]) == (None, None, None, [])


def test_a_comparison_lists_what_came_and_went() -> None:
    """With the evidence of each, and the runs it is between."""
    before, after = (
        make_report(make_passed("language"), make_result("title-length")),
        make_report(make_passed("language")),
    )
    shown = msgspec.json.decode(
        comparison_object(ComparedRuns(report_id=7, before=1, after=2, comparison=compare_reports(before, after)))
    )

    assert (shown["object"], shown["report_id"], shown["from"], shown["to"]) == ("comparison", 7, 1, 2)
    assert shown["same_ruleset"] is True
    assert [one["check"] for one in shown["not_comparable"]] == ["title-length"]
    assert (shown["new"], shown["fixed"], shown["still"]) == ([], [], [])
    assert (shown["worse"], shown["same_final_url"]) == ([], True)
