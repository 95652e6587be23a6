"""A report whose result is withheld, wherever a running application shows it: no figure, no word of a grade."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import httpx
import pypdf
import pytest

from pagegrade.clock import now_ms
from pagegrade.library import evaluate
from pagegrade.model.report import Report
from pagegrade.model.stored import Privacy
from pagegrade.store.repositories.reports import load_report, save_settings
from tests.contract.test_labelled_pages import Served, artifacts_of
from tests.report_builders import make_report
from tests.web.calling import REPORTS, Instance, with_instance

PARKED = Served(
    html="<!doctype html><html lang=en><title>otterline.example is for sale</title><h1>otterline.example</h1>"
    "<p>This domain is for sale. Buy this domain.</p><a href='https://sedo.com/'>Make an offer</a>"
)
GRADES = re.compile(r"\b(?:good|decent|bad)\b", re.IGNORECASE)


def parked_report() -> Report:
    """The report on a parked domain, by the real checks."""
    report = evaluate(artifacts_of(PARKED))
    if report.withheld is None:
        raise AssertionError("the page is graded")
    return report


async def three_reports(instance: Instance) -> None:
    """Report 1 is good, report 2 is withheld twice, report 3 is bad."""
    await instance.create("https://a.example/")
    await instance.finish(make_report(score=90, result="good"))
    await instance.create("https://www.otterline.example/")
    await instance.finish(parked_report())
    await instance.create("https://c.example/")
    await instance.finish(make_report(score=20, result="bad"))
    await instance.call("PUT", f"{REPORTS}/2", data={"results": "1"})
    await instance.finish(parked_report())


@pytest.mark.parametrize(("result", "found"), [("good", [1]), ("decent", []), ("bad", [3])])
def test_no_filter_by_result_finds_it(tmp_path: Path, result: str, found: list[int]) -> None:
    """In the interface and on the page."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await three_reports(instance)
        return [
            await instance.call("GET", f"{REPORTS}?result={result}"),
            await instance.page("GET", f"/reports?result={result}"),
        ]

    answer, page = with_instance(tmp_path, script)

    assert [one["id"] for one in answer.json()["data"]] == found
    assert "otterline.example" not in page.text


@pytest.mark.parametrize("sort_by", ["score", "result"])
@pytest.mark.parametrize("sort", ["asc", "desc"])
def test_it_is_sorted_behind_every_report_with_a_score(tmp_path: Path, sort_by: str, sort: str) -> None:
    """Whichever way, and without a figure of its own."""

    async def script(instance: Instance) -> httpx.Response:
        await three_reports(instance)
        return await instance.call("GET", f"{REPORTS}?sort_by={sort_by}&sort={sort}")

    rows = with_instance(tmp_path, script).json()["data"]

    assert rows[-1]["id"] == 2
    assert (rows[-1]["score"], rows[-1]["result"], rows[-1]["uncapped_score"]) == (None, None, None)
    assert rows[-1]["withheld"]["kind"] == "parked_domain"


def test_comparison_of_two_has_no_scores(tmp_path: Path) -> None:
    """Neither whole nor exact, nor on the page."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await three_reports(instance)
        return [await instance.call("GET", f"{REPORTS}/2/compare"), await instance.page("GET", "/reports/2/compare")]

    answer, page = with_instance(tmp_path, script)
    data = answer.json()["data"]
    shown = re.sub(r"<[^>]*>", " ", page.text.partition("<main")[2].partition("</main>")[0])

    assert [data[name] for name in data if "score" in name] == [None] * 4
    assert not re.search(r"\d+ (?:of 100|→)|→ \d", shown)
    assert not GRADES.search(shown)


def test_rows_and_statistics_have_no_figure_of_it(tmp_path: Path) -> None:
    """The list, its file and the statistics of the site."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await three_reports(instance)
        paths = ("/reports?search=otterline", "/reports/export.csv", "/projects", "/reports/2")
        return [await instance.page("GET", path) for path in paths]

    listed, table, sites, page = with_instance(tmp_path, script)
    row = next(one for one in csv.DictReader(io.StringIO(table.content.decode("utf-8-sig"))) if "otter" in one["url"])
    line = next(one for one in re.findall(r"<tr.*?</tr>", listed.text, re.DOTALL) if "otterline" in one)
    site = next(one for one in re.findall(r"<tr.*?</tr>|<li.*?</li>", sites.text, re.DOTALL) if "otterline" in one)

    assert (row["score"], row["result"]) == ("", "")
    assert not GRADES.search(_text(line))
    assert not re.search(r"\b\d{1,3}\b", _text(line).partition("otterline.example")[2].partition("20")[0])
    assert not re.search(r"result=(?:good|decent|bad)", site)
    assert "parked" in page.text
    assert not re.search(r"\d+\s*(?:of|/)\s*100", _text(page.text))


@pytest.mark.parametrize(
    "name", ["csv", "md", "prompt", "sarif", "html", "json", "conformance", "criteria", "earl", "statement"]
)
def test_files_of_it_have_no_grade(tmp_path: Path, name: str) -> None:
    """Findings that hold all the same are there, without a cost."""

    async def script(instance: Instance) -> httpx.Response:
        await three_reports(instance)
        return await instance.page("GET", f"/reports/2/export/{name}")

    answer = with_instance(tmp_path, script)
    shown = re.sub(r"<style>.*?</style>|<[^>]*>", " ", answer.text, flags=re.DOTALL)

    assert answer.status_code == 200
    assert not re.search(r"(?:in good shape|is decent|needs work|\d+ of 100|costs \d)", shown)
    assert not re.search(r"\"(?:score|lost|uncapped_score)\": ?[1-9]", answer.text)


def test_start_page_leads_to_a_list_without_a_grade_of_it(tmp_path: Path) -> None:
    """To those who have signed in; to others it shows no report."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await three_reports(instance)
        start = await instance.page("GET", "/")
        return [start, await instance.page("GET", start.headers["location"]), await instance.call("GET", "/", key=None)]

    start, listed, unknown = with_instance(tmp_path, script)
    line = next(one for one in re.findall(r"<tr.*?</tr>", listed.text, re.DOTALL) if "otterline" in one)

    assert start.status_code == 303
    assert "No grade" in _text(line)
    assert not GRADES.search(_text(line))
    assert "otterline" not in unknown.text


def test_paper_has_no_grade(tmp_path: Path) -> None:
    """The text of the real file names the kind and what to do, and no score."""

    async def script(instance: Instance) -> httpx.Response:
        await three_reports(instance)
        return await instance.page("GET", "/reports/2/export/pdf")

    pages = pypdf.PdfReader(io.BytesIO(with_instance(tmp_path, script).content)).pages
    text = " ".join(" ".join(one.extract_text() for one in pages).replace("\u200b", "").split())

    assert "The domain is parked or for sale" in text
    assert "point it to your website" in text
    assert not re.search(r"\d+ of 100|costs \d|in good shape|is decent|needs work", text)


def test_badge_has_no_figure(tmp_path: Path) -> None:
    """Grey, and in words."""

    async def script(instance: Instance) -> httpx.Response:
        await three_reports(instance)
        report = instance.services.database.read_here(lambda tx: load_report(tx, instance.alice.id, 2))
        if report is None:
            raise AssertionError("report 2 is not there")
        instance.services.database.write_here(
            lambda tx: save_settings(
                tx, report, privacy=Privacy.PUBLIC, password_hash=None, password_version=0, now_ms=now_ms()
            )
        )
        return await instance.call("GET", f"/badge/{report.slug}.svg", key=None)

    answer = with_instance(tmp_path, script)
    shown = re.sub(r"<[^>]*>", " ", answer.text)

    assert answer.status_code == 200
    assert "no grade" in shown
    assert not re.search(r"\d", shown)


def _text(markup: str) -> str:
    """The words between tags."""
    return " ".join(re.sub(r"<[^>]*>", " ", markup).split())
