"""A check that is added for a try, seen through the API: it has a price of its own and changes nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagegrade.checks import all_checks
from pagegrade.model.outcome import Severity
from pagegrade.scoring import rules_of
from pagegrade.service.runs import evaluation
from tests.builders import make_artifacts
from tests.web.calling import REPORTS, Instance, with_instance

PAGE = "<!doctype html><title>Brass lamps for ships</title><img src=/a.png><p>Lamps."
TRIAL = "a-new-check"


@pytest.mark.parametrize(("html", "outcome"), [(PAGE, "passed"), (PAGE.replace("Brass lamps for ships", ""), "failed")])
def test_report_of_the_api_differs_by_the_new_check_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, html: str, outcome: str
) -> None:
    """Every score stays if it passes, and every other result if it fails."""
    before = reported(tmp_path / "before", html)
    checks = all_checks()
    new = replace(checks["title"], id=TRIAL, severity=Severity.MEDIUM, category="content", cause=None, caps=())
    registry = {**checks, TRIAL: new}
    monkeypatch.setattr(evaluation, "_rules", lambda: (registry, rules_of(registry.values())))
    after = reported(tmp_path / "after", html)
    trial = after["results"].pop(TRIAL)

    assert (trial["outcome"], trial["price"]) == (outcome, 3.0)
    assert after["results"] == before["results"]
    assert after["caps"] == before["caps"]
    if outcome == "passed":
        assert (after["score"], after["uncapped_score"]) == (before["score"], before["uncapped_score"])
        assert scores(after) == scores(before)
    else:
        assert trial["lost"] == 3.0
        assert after["uncapped_score"] == pytest.approx(before["uncapped_score"] - 3.0)
        assert scores(after) | {"content": 0} == scores(before) | {"content": 0}


def reported(folder: Path, html: str) -> dict[str, Any]:
    """The report of that page as the API returns it."""
    folder.mkdir()

    async def script(instance: Instance) -> httpx.Response:
        await instance.create()
        await instance.finish(evaluation.evaluate_artifacts(make_artifacts(html)))
        return await instance.call("GET", f"{REPORTS}/1")

    data: dict[str, Any] = with_instance(folder, script).json()["data"]
    return data


def scores(report: dict[str, Any]) -> dict[str, int]:
    """Category -> its score."""
    return {name: category["score"] for name, category in report["categories"].items()}
