"""Results of the tools of a service, of whatever a report holds."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import to_json

from pagegrade.client.types import Report
from pagegrade.mcp.server import MAX_NAMED, MAX_SUMMARY_BYTES
from pagegrade.mcp.service_results import compared, line_of, summarize
from pagegrade.web.openapi.build import answer_examples
from pagegrade.web.schemas.report import ReportAnswer


def report(**members: object) -> Report:
    """The report that the description of the API shows, with other members."""
    examples: Any = answer_examples(ReportAnswer, 200)
    found: Report = {**examples["finished"]["value"]["data"], **members}  # type: ignore[typeddict-item]
    return found


def test_a_summary_names_the_findings_that_cost_most_first() -> None:
    """With names of checks, not with words of a page."""
    result = {**next(iter((report()["results"] or {}).values())), "outcome": "failed", "title": "Obey"}
    costs = {"title-length": 1.0, "image-alt": 3.0, "canonical": 2.0}
    summary = summarize(report(results={check: {**result, "lost": lost} for check, lost in costs.items()}))

    assert [finding.check for finding in summary.findings] == ["image-alt", "canonical", "title-length"]
    assert "Obey" not in summary.model_dump_json()


def test_a_summary_stays_small() -> None:
    """Of thousands of findings it counts those that it does not name; text of the page is cut."""
    result = {**next(iter((report()["results"] or {}).values())), "outcome": "failed"}
    results = {f"check-{number}": result for number in range(2_000)}
    page: Any = report()["page"]
    long = {"page": {**page, "title": "x\n" * 9_000}, "final_url": "https://a/" + "b" * 9_000}
    summary = summarize(report(results=results, **long))

    assert len(to_json(summary, indent=2)) <= MAX_SUMMARY_BYTES
    assert len(summary.findings) + summary.findings_not_named == 2_000
    assert not any("\n" in line for line in summary.page_data)


def test_what_was_not_evaluated_is_named_and_counted() -> None:
    """Its absence among the findings is no fix."""
    result: Any = {**next(iter((report()["results"] or {}).values())), "outcome": "not_evaluated"}
    summary = summarize(report(results={f"check-{number}": result for number in range(50)}))

    assert summary.not_evaluated[:2] == ["check-0", "check-1"]
    assert (len(summary.not_evaluated), summary.not_evaluated_count) == (20, 50)
    assert summary.findings == []


def test_a_failure_says_what_happened_and_what_to_do() -> None:
    """As in the tools of the command line."""
    message = "The site answered 401 to our fetcher and asks for a sign-in (Basic)."
    error = {"code": "blocked", "message": message, "reason": "status_401", "http_status": 401, "retryable": False}
    nothing: dict[str, object] = {"score": None, "result": None, "results": None, "categories": {}, "counts": None}
    summary = summarize(report(state="failed", error=error, withheld=None, **nothing))

    assert summary.error == "blocked"
    assert any(line.startswith(f"error: {message}") for line in summary.page_data)
    assert "cookie" in (summary.what_to_do or "")
    assert summarize(report()).what_to_do is None


def test_an_access_is_named() -> None:
    """By its profile; a report without one says nothing of it."""
    access = {"name": "Staging", "origins": ["https://staging.example"], "sent": ["basic"]}
    run: Any = {**(report()["run"] or {}), "access": access}
    without: Any = {name: value for name, value in run.items() if name != "access"}

    assert "access profile: Staging" in summarize(report(run=run)).page_data
    assert "access" not in "".join(summarize(report(run=without)).page_data)


def test_an_unfinished_report_has_a_summary() -> None:
    """Without a grade, findings and page."""
    queued = report(state="queued", score=None, result=None, results=None, page=None, counts=None, categories={})

    assert summarize(queued).state == "queued"
    assert summarize(queued).findings == []
    assert line_of(queued).score is None  # type: ignore[arg-type]


def test_a_comparison_names_each_check_once_and_counts_all() -> None:
    """It names at most so many on each side, and counts places of one finding, and checks of one cause, once."""
    changes = [{"check": f"check-{number % 50}"} for number in range(100)]
    of_one_cause = [{"check": "canonical", "counted_in": "noindex"}, {"check": "noindex"}, {"check": "title"}]
    sides: Any = {"fixed": changes, "new": [], "still": of_one_cause, "not_comparable": [], "reason": None}
    whole: Any = {"report_id": 7, "from": 1, "to": 2, "score_before": 1, "score_after": None, **sides}
    found = compared(whole)

    assert (len(found.fixed), found.fixed_count, found.still_count) == (MAX_NAMED, 50, 2)
    assert json.loads(found.model_dump_json())["new"] == []
