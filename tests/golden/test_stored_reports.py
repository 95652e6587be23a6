"""Reports that were stored under ruleset 2026.1 open everywhere with the score and the ruleset they were given.

``stored-2026.1.json`` holds the pieces as the code of that time stored them; ``detail`` is its zstd frame in base64.
"""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import httpx
import pypdf

from pagegrade.checks import all_checks
from pagegrade.model.stored import PackedReport
from pagegrade.report.codec import unpack_detail
from tests.report_builders import make_report
from tests.web.calling import REPORTS, Instance, with_instance

FILE = Path(__file__).with_name("stored-2026.1.json")
SCORE, RULESET = 76, "2026.1"
URL = "https://lamps.example/brass-lamps"


def stored() -> PackedReport:
    """The pieces of the stored report."""
    pieces: dict[str, Any] = json.loads(FILE.read_text())
    return PackedReport(
        **pieces | {"summary": pieces["summary"].encode(), "detail": base64.b64decode(pieces["detail"])}
    )


async def two_runs(instance: Instance) -> None:
    """A report whose first run is of ruleset 2026.1 and whose second is of today."""
    await instance.create(URL)
    await instance.finish(stored())
    await instance.call("PUT", f"{REPORTS}/1", data={"results": "1"})
    await instance.finish(make_report(score=64, uncapped_score=63.8, url=URL, final_url=URL))


def test_the_file_is_of_the_old_ruleset() -> None:
    """It has neither the members of later versions nor their states, so the tests here test what they say."""
    pieces = json.loads(FILE.read_text())
    detail = json.loads(unpack_detail(stored().detail))

    assert (pieces["ruleset"], pieces["score"]) == (RULESET, SCORE)
    assert "withheld" not in json.loads(pieces["summary"])
    assert "counted_in" not in next(iter(detail["results"].values()))
    assert set(detail["results"]) != set(all_checks())


def test_the_interface_gives_it_as_it_was(tmp_path: Path) -> None:
    """The report, its run and the list: score, result, ruleset and every result."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.create(URL)
        await instance.finish(stored())
        return [await instance.call("GET", path) for path in (f"{REPORTS}/1", f"{REPORTS}/1/runs/1", REPORTS)]

    report, run, listed = (answer.json()["data"] for answer in with_instance(tmp_path, script))
    detail = json.loads(unpack_detail(stored().detail))
    shown = [(one["score"], one["result"], one["run"]["ruleset"], one["withheld"]) for one in (report, run, listed[0])]

    assert shown == [(SCORE, "decent", RULESET, None)] * 3
    assert {name: one["lost"] for name, one in report["results"].items()} == {
        name: one["lost"] for name, one in detail["results"].items()
    }


def test_page_list_and_paper_show_its_score_and_ruleset(tmp_path: Path) -> None:
    """The same figure in every form, and by which rules it came to be."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.create(URL)
        await instance.finish(stored())
        paths = ("/reports/1", "/reports", "/reports?result=decent", "/reports/1/export/pdf", "/reports/1/export/csv")
        return [await instance.page("GET", path) for path in paths]

    page, listed, filtered, paper, table = with_instance(tmp_path, script)
    text = "\n".join(one.extract_text() for one in pypdf.PdfReader(io.BytesIO(paper.content)).pages)

    assert [one.status_code for one in (page, listed, filtered, paper, table)] == [200] * 5
    assert RULESET in page.text
    assert f">{SCORE}<" in page.text
    assert "lamps.example" in filtered.text
    assert str(SCORE) in listed.text
    assert str(SCORE) in text
    assert RULESET in text
    assert "html-lang" in table.text


def test_comparison_with_a_run_of_today_says_that_the_rules_differ(tmp_path: Path) -> None:
    """The scores stand side by side, and nothing is called new or fixed."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await two_runs(instance)
        return [await instance.call("GET", f"{REPORTS}/1/compare"), await instance.page("GET", "/reports/1/compare")]

    answer, page = with_instance(tmp_path, script)
    data = answer.json()["data"]

    assert (data["score_before"], data["score_after"], data["same_ruleset"]) == (SCORE, 64, False)
    assert (data["uncapped_score_before"], data["uncapped_score_after"]) == (75.9, 63.8)
    assert (data["new"], data["fixed"]) == ([], [])
    assert "rules" in page.text
