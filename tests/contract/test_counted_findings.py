"""Numbers about findings are the same in every place, and a score says how much of its category it is about."""

from __future__ import annotations

import csv
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import pagegrade
from pagegrade.mcp import service_results
from pagegrade.mcp.server import compared, summarize
from pagegrade.model.report import Report
from pagegrade.render import RenderOptions, render, view
from pagegrade.render.csv import BYTE_ORDER_MARK
from pagegrade.render.finding_list import ReportQuery, list_findings
from pagegrade.render.history import RunPoint
from pagegrade.render.html import render_comparison
from pagegrade.render.i18n import Texts
from pagegrade.render.pdf_model import sheet
from pagegrade.report.compare import FINDINGS, compare_reports, count_findings
from pagegrade.report.serialize import report_from_dict
from tests.report_builders import make_images, make_passed, make_report, make_result
from tests.web.calling import REPORTS, Instance, with_instance

URL = "http://shop.example/a"
BAD = (
    b"<html><head><meta name=viewport content='width=device-width,user-scalable=no'></head><body><h1>x</h1>"
    b"<img src=a.png><img src=b.png><form action='http://x.example/'><input><input type=password></form>"
    b"<a href='#'>click here</a><iframe src='http://y.example'></iframe></body>"
)
BETTER = b"<!doctype html><html lang=en><title>A good title of a page</title><h1>A good title</h1><img src=a.png>"


@cache
def evaluated(body: bytes) -> Report:
    """A page that was evaluated by all checks that need nothing but the document."""
    return pagegrade.evaluate_document(body, url=URL)


def said(text: str) -> list[int]:
    """Numbers of findings in a text."""
    return [int(number) for number in re.findall(r"\b(\d+) findings?\b", text)]


@pytest.mark.parametrize("body", [BAD, BETTER])
def test_every_output_of_a_run_counts_alike(body: bytes) -> None:
    """Pages, exports, tools of agents and the documents for build servers: once for each cause."""
    report = evaluated(body)
    listed = list_findings(report, ReportQuery())
    counts = json.loads(render(report, "json"))["counts"]
    summary = summarize(report, "one")
    number = sum(counts[each] for each in ("critical", "high", "medium", "low"))
    pdf = sheet(report, Texts("en"))

    assert any(result.counted_in for result in report.results)
    assert number > 0
    assert listed.total == sum(listed.by_category.values()) == sum(listed.by_severity.values()) == number
    assert sum(category.failed for category in report.categories.values()) == number
    assert len(summary.findings) + summary.findings_not_named == number
    for name in ("text", "markdown", "comment", "prompt", "github"):
        assert said(render(report, name))[0] == number, name

    rows = csv.DictReader(render(report, "csv").removeprefix(BYTE_ORDER_MARK).splitlines())
    own = [row["check"] for row in rows if row["outcome"] in FINDINGS and not row["counted_in"]]
    results = json.loads(render(report, "sarif"))["runs"][0]["results"]

    assert len(own) == number
    # A file lists the others besides, and says of each what it is counted in.
    assert {each["ruleId"] for each in results if "counted_in" not in each["properties"]} == set(own)
    assert {each["properties"].get("counted_in", own[0]) for each in results} <= set(own)
    assert len({each["ruleId"] for each in results}) > number
    assert f'failures="{number}"' in render(report, "junit")
    assert sum(int(each["number"]) for each in pdf["counts"] if each["name"] != "passed") == number


def test_every_output_of_a_comparison_counts_alike() -> None:
    """The page of two runs, text, Markdown and tools: what is new, fixed and still there, once for each cause."""
    before, after = evaluated(BETTER), evaluated(BAD)
    comparison = compare_reports(before, after)
    numbers = [count_findings(each) for each in (comparison.new, comparison.fixed, comparison.still)]
    tool = compared("a", "b", comparison)
    point = RunPoint(number=1, state="completed", result="bad", score=10, ruleset=None, engine=None, at_ms=0)
    page = str(render_comparison(comparison, point, replace(point, number=2), Texts("en")))
    options = RenderOptions(comparisons=(comparison,))

    assert all(numbers)
    assert [tool.new_count, tool.fixed_count, tool.still_count] == numbers
    heads = re.findall(r'<h2 id="(?:new|fixed|still)">[^<]*<span class="count">(\d+)<', page)

    assert [int(each) for each in heads] == numbers
    for name in ("text", "markdown"):
        lines = [
            line for line in render(after, name, options).splitlines() if re.search(r"^\W*(New|Fixed|Still)", line)
        ]
        assert [said(line)[0] for line in lines if said(line)] == numbers, name
    html = render(after, "html", options)

    assert [int(each) for each in re.findall(r"<li><strong>(\d+)</strong> (?:new|fixed|still)", html)] == numbers


def test_an_effect_is_counted_in_what_brings_it_about(tmp_path: Path) -> None:
    """In a comparison as in the report, although the two have different causes."""
    late = make_result("largest-contentful-paint", cause="paint-time", counted_in="render-blocking", lost=0.0)
    report = make_report(make_result("render-blocking", cause="render-blocking-css"), late)
    before = make_report(make_passed("render-blocking"), make_passed("largest-contentful-paint"))
    comparison = compare_reports(before, report)
    point = RunPoint(number=1, state="completed", result="bad", score=10, ruleset=None, engine=None, at_ms=0)
    page = str(render_comparison(comparison, point, replace(point, number=2), Texts("en")))

    async def script(instance: Instance) -> dict[str, Any]:
        await instance.create()
        await instance.finish(before)
        await instance.call("PUT", f"{REPORTS}/1", data={"results": 1})
        await instance.finish(report)
        answer: dict[str, Any] = (await instance.call("GET", f"{REPORTS}/1/compare")).json()["data"]
        return answer

    answer = with_instance(tmp_path, script)

    assert list_findings(report, ReportQuery()).total == count_findings(comparison.new) == 1
    assert re.search(r'<h2 id="new">[^<]*<span class="count">1<', page)
    assert [(each["check"], each["counted_in"]) for each in answer["new"]] == [
        ("render-blocking", None),
        ("largest-contentful-paint", "render-blocking"),
    ]
    assert service_results.compared(answer).new_count == 1  # type: ignore[arg-type]


def test_findings_are_counted_alike_on_pages_and_for_agents(tmp_path: Path) -> None:
    """One that is counted in another is none of its own, and a comparison counts findings, not their places."""
    before = make_report(make_passed("image-alt"), make_passed("h1"))
    after = make_report(
        make_result("image-weight", lost=3.0),
        make_result("image-format", counted_in="image-weight", lost=0.0),
        make_result("image-alt", evidence=make_images(3)),
        make_result("h1"),
    )

    async def script(instance: Instance) -> tuple[dict[str, Any], dict[str, Any], str]:
        await instance.create()
        await instance.finish(before)
        await instance.call("PUT", f"{REPORTS}/1", data={"results": 1})
        await instance.finish(after)
        report = (await instance.call("GET", f"{REPORTS}/1")).json()["data"]
        comparison = (await instance.call("GET", f"{REPORTS}/1/compare")).json()["data"]
        return report, comparison, (await instance.page("GET", "/reports/1/compare")).text

    report, comparison, page = with_instance(tmp_path, script)
    kept = report_from_dict(report)
    of_service = [finding.check for finding in service_results.summarize(report).findings]  # type: ignore[arg-type]

    assert of_service == [finding.result.check for finding in view.findings(kept)]
    assert of_service == [finding.check for finding in summarize(kept, "a").findings]
    assert "image-format" not in of_service
    assert len(comparison["new"]) == 4  # three images and the heading
    assert service_results.compared(comparison).new_count == 2  # type: ignore[arg-type]
    assert re.search(r'<h2 id="new">\s*New <span class="count">2</span>', page)


@pytest.mark.parametrize(("coverage", "shown"), [(0.5, "50% evaluated"), (0.93, "93% evaluated"), (1.0, None)])
def test_a_category_says_how_much_of_it_was_evaluated(coverage: float, shown: str | None) -> None:
    """Beside its score, in every output for people; a whole one says nothing."""
    plain = make_report()
    categories = {name: replace(score, score=100, coverage=coverage) for name, score in plain.categories.items()}
    report = replace(plain, categories=categories)
    outputs = [" ".join(render([report], name, RenderOptions()).split()) for name in ("text", "markdown", "html")]
    outputs.append(json.dumps(sheet(report, Texts("en")), ensure_ascii=False))

    assert [shown is not None and shown in output for output in outputs] == [shown is not None] * 4
    assert shown is not None or not any("100% evaluated" in output for output in outputs)


def test_a_site_counts_what_its_pages_count(tmp_path: Path) -> None:
    """The findings of all pages of a site are those of the lists, the files and the tools of each page together."""

    async def script(instance: Instance) -> None:
        reports = [replace(evaluated(body), url=f"http://shop.example/{at}") for at, body in enumerate((BAD, BETTER))]
        for report in reports:
            await instance.create(report.url)
            await instance.finish(report)
        number = sum(list_findings(report, ReportQuery()).total for report in reports)
        named = [
            summary.findings_not_named + len(summary.findings)
            for report in reports
            for summary in [summarize(report, "x")]
        ]
        rows = csv.DictReader(render(reports[0], "csv").removeprefix(BYTE_ORDER_MARK).splitlines())
        own = {row["check"] for row in rows if row["outcome"] in FINDINGS and not row["counted_in"]}
        page = (await instance.page("GET", "/projects/shop.example/findings")).text
        sites = (await instance.page("GET", "/projects")).text
        pages = [int(each) for each in re.findall(r'data-label="Pages">(\d+)<', page)]
        listed = set(re.findall(r"findings\?check=([a-z0-9-]+)", page))
        one = (await instance.page("GET", f"/projects/shop.example/findings?check={min(own)}")).text

        assert sum(pages) == sum(named) == number > len(listed)
        assert own <= listed
        assert sum(int(each) for each in re.findall(r'<span class="importance \w+">(\d+)<', sites)) == number
        assert f"/reports/1?open={min(own)}#" in one

    with_instance(tmp_path, script)
