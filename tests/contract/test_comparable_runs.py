"""Runs of different engines, devices or rulesets are never compared: every place that compares two runs is a row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace
from sqlalchemy import text as sql

from pagegrade.cli.output import Criteria, report_verdicts
from pagegrade.mcp.server import compared
from pagegrade.model.rendering import LoadMetrics
from pagegrade.model.report import Basis, Report
from pagegrade.render import RenderOptions, render
from pagegrade.report.build import rendered_page
from pagegrade.report.compare import compare_reports
from pagegrade.report.gates import parse_gate
from tests.rendering_builders import make_rendering
from tests.report_builders import make_passed, make_report, make_result
from tests.web.calling import REPORTS, Instance, with_instance

STATIC: Final = Basis("2026.2", None)
MOBILE: Final = Basis("2026.2", "mobile")
DESKTOP: Final = Basis("2026.2", "desktop")
LATER: Final = Basis("2027.1", None)
DIFFERENT: Final = [
    (STATIC, MOBILE, ["engine"], "Only the newer one saw the page in a browser."),
    (MOBILE, STATIC, ["engine"], "Only the older one saw the page in a browser."),
    (MOBILE, DESKTOP, ["device"], "The browser imitated different devices"),
    (STATIC, LATER, ["ruleset"], "Different rules evaluated the page"),
    (MOBILE, LATER, ["engine", "ruleset"], "Different rules evaluated the page"),
]
SAME: Final = [(basis, basis) for basis in (STATIC, MOBILE, LATER)]
MOVED: Final = ("7 points down", "Down 7 points", "60 → 53", "▼ 7", "7 points")
"""Forms of the change from 60 to 53, in all the places."""


def report_of(basis: Basis, score: int) -> Report:
    """A report on the basis; with 53 points it has a finding that it does not have with 60."""
    result = make_result("h1") if score == 53 else make_passed("h1")
    drawn = None if basis.device is None else rendered_page(make_rendering(device=basis.device), [], LoadMetrics())
    made = make_report(result, score=score, rendered=drawn)
    return replace(made, run=replace(made.run, ruleset=basis.ruleset))


async def two_runs(instance: Instance, before: Basis, after: Basis) -> None:
    """A monitored report that fell from 60 to 53 points."""
    await instance.create()
    await instance.finish(report_of(before, 60))
    monitor = {"report_id": 1, "schedule": "daily", "budgets": ["score<55", "score drop>=5", "high>0"]}
    assert (await instance.call("POST", "/api/v1/monitors", json=monitor)).status_code == 201
    hook = {"url": "https://hook.example/", "events": ["report.completed", "report.regressed", "report.recovered"]}
    assert (await instance.call("POST", "/api/v1/webhooks", json=hook)).status_code == 201
    for score in (60, 53):
        await instance.call("PUT", f"{REPORTS}/1", data={"results": 1})
        await instance.finish(report_of(before if score == 60 else after, score))


def events_of(instance: Instance) -> list[dict[str, Any]]:
    """The events that wait to be delivered, as (type, data)."""
    rows = instance.services.database.read_here(
        lambda tx: tx.execute(sql("SELECT type, data FROM events ORDER BY id")).all()
    )
    return [{"type": kind, "data": json.loads(data)} for kind, data in rows]


async def places(instance: Instance) -> dict[str, str]:
    """The text of each page that shows a change."""
    found = {}
    for name, path in (
        ("report", "/reports/1"),
        ("comparison", "/reports/1/compare"),
        ("list", "/reports"),
        ("site", "/reports?project=example.com"),
    ):
        answer = await instance.page("GET", path)
        assert answer.status_code == 200
        found[name] = answer.text
    return found


@pytest.mark.parametrize(("before", "after", "differs_in", "why"), DIFFERENT)
def test_no_place_of_the_service_compares_them(
    tmp_path: Path, before: Basis, after: Basis, differs_in: list[str], why: str
) -> None:
    """Each says why instead; budgets do not cross, and events carry no change."""

    async def script(instance: Instance) -> tuple[dict[str, str], dict[str, Any], list[dict[str, Any]]]:
        await two_runs(instance, before, after)
        comparison = (await instance.call("GET", f"{REPORTS}/1/compare")).json()["data"]
        return await places(instance), comparison, events_of(instance)

    pages, comparison, events = with_instance(tmp_path, script)

    assert {name: [form for form in MOVED if form in text] for name, text in pages.items()} == {
        name: [] for name in pages
    }
    assert why in pages["report"]
    assert why in pages["comparison"]
    assert (comparison["comparable"], comparison["differs_in"]) == (False, differs_in)
    assert why in comparison["reason"]
    assert [comparison[name] for name in ("new", "fixed", "still", "worse", "not_comparable")] == [[]] * 5
    assert [event["type"] for event in events] == ["report.completed"] * 2
    assert events[-1]["data"]["change"] == {"score": None, "differs_in": differs_in}


@pytest.mark.parametrize(("before", "after"), SAME)
def test_runs_on_one_basis_are_compared_everywhere(tmp_path: Path, before: Basis, after: Basis) -> None:
    """So the test above looks at the places where a change stands."""

    async def script(instance: Instance) -> tuple[dict[str, str], dict[str, Any], list[dict[str, Any]]]:
        await two_runs(instance, before, after)
        comparison = (await instance.call("GET", f"{REPORTS}/1/compare")).json()["data"]
        return await places(instance), comparison, events_of(instance)

    pages, comparison, events = with_instance(tmp_path, script)

    assert [name for name, text in pages.items() if not any(form in text for form in MOVED)] == []
    assert (comparison["comparable"], comparison["reason"], comparison["differs_in"]) == (True, None, [])
    assert [change["check"] for change in comparison["new"]] == ["h1"]
    assert sorted(event["type"] for event in events) == ["report.completed"] * 2 + ["report.regressed"]
    assert events[-1]["data"]["change"]["score"] == -7


@pytest.mark.parametrize(("before", "after", "differs_in", "why"), DIFFERENT)
def test_no_output_of_the_commands_compares_them(
    before: Basis, after: Basis, differs_in: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Text, Markdown, HTML and the tools of agents say why; a gate about a change does not pass."""
    old, new = report_of(before, 60), report_of(after, 53)
    comparison = compare_reports(old, new)
    outputs = {
        name: render([new], name, RenderOptions(comparisons=(comparison,))) for name in ("text", "markdown", "html")
    }
    answer = compared("a", "b", comparison)
    criteria = Criteria(gates=(parse_gate("score drop>=5"),), baseline=(old,), fail_on_new="high")
    code = report_verdicts(criteria, [new], [comparison], criteria.evaluate([new], [comparison]), quiet=False)
    said = capsys.readouterr().err

    assert comparison.differs_in == tuple(differs_in)
    for text in outputs.values():
        assert why in " ".join(text.split())
        assert "60 → 53" not in text

    assert why in (answer.not_compared or "")
    assert (answer.new_count, answer.fixed_count, answer.still_count) == (0, 0, 0)
    assert code == 1
    assert said.count("Gate failed") == 2
    assert why in said


def test_pages_and_events_say_that_a_run_in_a_browser_follows(tmp_path: Path) -> None:
    """Without a script, for the owner and behind the share link; each run has its own event, and none compares them."""

    async def script(instance: Instance) -> tuple[list[str], list[str], dict[str, Any], list[dict[str, Any]]]:
        hook = {"url": "https://hook.example/", "events": ["report.completed"]}
        assert (await instance.call("POST", "/api/v1/webhooks", json=hook)).status_code == 201
        share = (await instance.create())["share_url"]
        await instance.finish(report_of(STATIC, 60))
        during = [(await instance.page("GET", path)).text for path in ("/reports/1", share, "/reports")]
        listed = (await instance.call("GET", REPORTS)).json()["data"][0]
        await instance.finish(report_of(MOBILE, 53))
        after = [(await instance.page("GET", path)).text for path in ("/reports/1", share, "/reports")]
        return during, after, listed, events_of(instance)

    during, after, listed, events = with_instance(tmp_path, script, browser=Path("/usr/bin/a-browser"))
    notices = ("A browser is analyzing the page, too.", "A browser is analyzing the page, too.", "Browser pending")

    assert [notice in page for notice, page in zip(notices, during, strict=True)] == [True] * 3
    assert [notice in page for notice, page in zip(notices, after, strict=True)] == [False] * 3
    assert listed["rendered"] == {"state": "pending", "run": 2}
    assert [(event["type"], event["data"]["run"]["number"]) for event in events] == [
        ("report.completed", 1), ("report.completed", 2)
    ]  # fmt: skip
    assert events[0]["data"]["rendered"] == {"state": "pending", "run": 2}
    assert "rendered" not in events[1]["data"]
    assert events[1]["data"]["change"] == {"score": None, "differs_in": ["engine"]}
