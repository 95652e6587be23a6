from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from pagegrade.web.schemas.report import ComparisonAnswer, RunAnswer, RunList
from tests.api_shapes import assert_described
from tests.report_builders import make_failed_report, make_passed, make_report, make_result
from tests.web.calling import BASE_URL, REPORTS, Instance, with_instance


async def three_runs(instance: Instance) -> str:
    """The path of a report that was analyzed three times: better, then not at all."""
    path = f"{REPORTS}/{(await instance.create())['id']}"
    await instance.finish(make_report(make_result("title-length"), make_passed("language"), score=60))
    for report in (make_report(make_passed("title-length"), make_passed("language"), score=90), make_failed_report()):
        await instance.call("PUT", path, data={"results": "1"})
        await instance.finish(report)
    return path


def test_runs_are_listed_newest_first(tmp_path: Path) -> None:
    """Without their results, and as they are described."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", f"{await three_runs(instance)}/runs")

    answer = with_instance(tmp_path, script)
    body: dict[str, Any] = answer.json()

    assert_described(RunList, body)

    assert [(run["number"], run["state"], run["score"]) for run in body["data"]] == [
        (3, "failed", None),
        (2, "completed", 90),
        (1, "completed", 60),
    ]
    assert "results" not in body["data"][0]
    assert body["meta"]["path"] == f"{BASE_URL}{REPORTS}/1/runs"
    assert body["meta"]["total"] == 3


def test_a_run_is_shown_with_its_results(tmp_path: Path) -> None:
    """Those of then, whatever came after."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", f"{await three_runs(instance)}/runs/1")

    answer = with_instance(tmp_path, script)
    data = answer.json()["data"]

    assert_described(RunAnswer, answer.json())

    assert (data["number"], data["report_id"], data["score"]) == (1, 1, 60)
    assert data["results"]["title-length"]["passed"] is False


@pytest.mark.parametrize("number", ["0", "4", "x", "9999999999", "99999999999999999999", "01", "%00"])
def test_there_is_no_other_run(tmp_path: Path, number: str) -> None:
    """And no other report's."""

    async def script(instance: Instance) -> int:
        return (await instance.call("GET", f"{await three_runs(instance)}/runs/{number}")).status_code

    assert with_instance(tmp_path, script) == 404


def test_two_runs_are_compared(tmp_path: Path) -> None:
    """The last two that succeeded, or those that are named."""

    async def script(instance: Instance) -> list[httpx.Response]:
        path = f"{await three_runs(instance)}/compare"
        return [await instance.call("GET", f"{path}{query}") for query in ("", "?from=1&to=2", "?from=2&to=1")]

    default, named, backwards = with_instance(tmp_path, script)
    data = default.json()["data"]

    assert_described(ComparisonAnswer, default.json())

    assert (data["from"], data["to"], data["score_before"], data["score_after"]) == (1, 2, 60, 90)
    assert {change["check"] for change in data["fixed"]} == {"title-length"}
    assert named.json() == default.json()
    assert {change["check"] for change in backwards.json()["data"]["new"]} == {"title-length"}


@pytest.mark.parametrize(
    ("query", "field"),
    [("?from=7", "from"), ("?to=3", "to"), ("?from=x", "from"), ("?to=0", "to"), ("?from=3", "from")],
)
def test_what_cannot_be_compared_is_named(tmp_path: Path, query: str, field: str) -> None:
    """A run that is not there, that failed, or that is no number."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", f"{await three_runs(instance)}/compare{query}")

    answer = with_instance(tmp_path, script)

    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [field]


def test_charlie_and_bob_see_no_runs(tmp_path: Path) -> None:
    """For other accounts the report is not there; an anonymous client is asked for a key first."""

    async def script(instance: Instance) -> list[int]:
        path = await three_runs(instance)
        bob = instance.add_bob()
        return [
            (await instance.call("GET", f"{path}/{rest}", key=key)).status_code
            for key in (bob, None)
            for rest in ("runs", "runs/1", "compare", "compare?from=1")
        ]

    assert with_instance(tmp_path, script) == [404] * 4 + [401] * 4
