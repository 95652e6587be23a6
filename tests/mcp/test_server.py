from __future__ import annotations

from typing import Any

import pytest
from mcp import Client
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from msgspec.structs import replace
from pydantic_core import to_json

from pagegrade.checks import all_checks, all_site_checks
from pagegrade.mcp.server import MAX_NAMED, MAX_SUMMARY_BYTES, compared, explain_check, list_checks, summarize
from pagegrade.model.outcome import Evidence
from pagegrade.report.compare import compare_reports
from tests.gather.sites import Site
from tests.mcp.test_local_server import text_of, with_agent
from tests.report_builders import make_failed_report, make_report, make_result


@pytest.mark.parametrize("findings", [0, 1, 60, 190])
def test_a_summary_is_bounded_and_counts_what_it_does_not_name(findings: int) -> None:
    """However much was found and however long the texts are."""
    found = [make_result(f"check-{number}", title="Title " * 30) for number in range(findings)]
    page = make_report(*found) if found else make_report(make_result("a", outcome="passed", lost=0.0))
    summary = summarize(replace(page, url="https://example.com/" + "a" * 1_900, final_url="\u4e00" * 900), "r1")

    assert len(to_json(summary, indent=2)) <= MAX_SUMMARY_BYTES
    assert len(summary.findings) + summary.findings_not_named == findings
    assert findings == 0 or summary.findings


def test_a_failed_analysis_says_why_and_what_to_do() -> None:
    """The reason is text that others can influence."""
    summary = summarize(make_failed_report(), "r1")

    assert (summary.state, summary.score, summary.result) == ("failed", None, None)
    assert summary.what_to_do
    assert summary.page_data[-1].startswith("error: ")


def test_a_comparison_names_some_places_and_counts_findings() -> None:
    """However many places a finding has, it is one."""
    places = tuple(Evidence(selector=f"p:nth-of-type({n})", snippet=f"<p>{n}", line=n) for n in range(MAX_NAMED + 1))
    result = make_result("image-alt", evidence=places, evidence_total=len(places), count=len(places))
    passed = make_result("image-alt", outcome="passed", lost=0.0, evidence=(), evidence_total=0)
    before, after = make_report(result), make_report(passed)

    comparison = compare_reports(before, after)
    shown = compared("r1", "r2", comparison)

    assert len(comparison.fixed) > MAX_NAMED
    assert shown.fixed_count == 1
    assert len(shown.fixed) == MAX_NAMED
    assert compared("r2", "r1", compare_reports(after, before)).new_count == shown.fixed_count


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("analyze_url", {}, "url: this argument is missing."),
        ("analyze_url", {"url": 5}, "url: 5 cannot be used. Input should be a valid string."),
        (
            "get_report",
            {"report": "r1", "view": "all"},
            "view: 'all' cannot be used. Input should be 'summary', 'prompt' or 'full'.",
        ),
        (
            "analyze_url",
            {"url": "https://a.example/", "Render": 1},
            "'Render': the tool has no such argument. It has url",
        ),
        ("analyze_url", {"urls": "https://a.example/"}, "'urls': the tool has no such argument. Did you mean url?"),
        ("list_checks", {"catgory": "seo"}, "'catgory': the tool has no such argument. Did you mean category?"),
        ("analyze_url", {"url": "https://a.example/", "engine": "rendered"}, "engine: this server has no browser."),
        ("explain_check", {"check": "x" * 120}, f"check: '{'x' * 99}… cannot be used."),
    ],
)
def test_an_argument_that_cannot_be_used_is_named(tool: str, arguments: dict[str, Any], says: str) -> None:
    """With its value, cut where it is long, and what is allowed; without texts for developers."""

    async def use(client: Client, _: Site) -> CallToolResult:
        return await client.call_tool(tool, arguments)

    answer = with_agent(use)

    assert answer.is_error
    assert text_of(answer).removeprefix(f"Error executing tool {tool}: ").startswith(says)
    assert "pydantic" not in text_of(answer)


def test_all_checks_are_listed_or_those_of_a_category() -> None:
    """With the most that each can cost."""
    found = list_checks("seo")

    assert {line.check for line in list_checks()} == set(all_checks())
    assert {line.category for line in found} == {"seo"}
    assert max(line.points for line in found) > 0
    assert {line.check for line in list_checks("site")} == set(all_site_checks())


@pytest.mark.parametrize("typed", ["image-alt", " Image_Alt ", "image alt"])
def test_a_check_is_explained_in_any_spelling(typed: str) -> None:
    """With its sections, states and sources."""
    explained = explain_check(typed)

    assert explained.check == "image-alt"
    assert explained.documentation
    assert explained.states
    assert explained.sources


def test_a_check_of_a_site_is_explained_as_well() -> None:
    """Findings of audits name them."""
    explained = explain_check("orphan-pages")

    assert (explained.category, bool(explained.documentation), bool(explained.states)) == ("site", True, True)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("orphan-page", "Did you mean orphan-pages"),
        ("image-alts", "Did you mean image-alt"),
        ("\x00" * 80, "list_checks"),
    ],
)
def test_an_unknown_check_has_suggestions(typed: str, expected: str) -> None:
    """An agent can correct itself."""
    with pytest.raises(ToolError, match=expected):
        explain_check(typed)
