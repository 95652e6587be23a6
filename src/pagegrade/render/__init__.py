"""A Report -> text, JSON, CSV, HTML, PDF, Markdown, prompt, SARIF, JUnit, annotations; and its badge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from pagegrade.model.errors import InvalidInput
from pagegrade.model.report import Report
from pagegrade.report.compare import Comparison
from pagegrade.report.gates import Verdict

if TYPE_CHECKING:
    from pagegrade.render.sarif import Source

FORMATS: Final[dict[str, str]] = {
    "text": "for people, at a terminal",
    "json": "the report object of the HTTP interface; a list of them for several pages",
    "jsonl": "one JSON object a line",
    "csv": "for spreadsheets, one row a check",
    "markdown": "for wikis and files",
    "comment": "Markdown of at most 65,536 characters, for a comment on a pull request",
    "prompt": "for coding agents: what to fix and how to verify it, in at most 8,000 tokens",
    "html": "one self-contained page without scripts",
    "conformance": "accessibility conformance report by criteria of WCAG 2.2 and EN 301 549, an HTML page to print",
    "criteria": "the same as CSV, one row a criterion",
    "earl": "the same as EARL in JSON-LD, for accessibility tools",
    "statement": "draft of an accessibility statement of a public body, an HTML page to complete",
    "sarif": "SARIF 2.1.0, for code scanning",
    "junit": "JUnit XML, for build servers",
    "github": "annotations in a GitHub Actions log",
}
"""Name of a format -> what it is for."""


class RenderOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a rendering that the format supports."""

    width: int = 80
    """Columns, for text."""
    color: bool = False
    """ANSI colors, for text."""
    ascii_only: bool = False
    """For text: the output cannot encode more than ASCII."""
    quiet: bool = False
    """One line a report, for text."""
    comparisons: tuple[Comparison | None, ...] = ()
    """To the report at the same place, the difference from an older one (text, Markdown, HTML)."""
    verdicts: tuple[tuple[Verdict, ...], ...] = ()
    """To the report at the same place, the conditions of the build (Markdown, JUnit, annotations)."""
    sources: tuple[Source, ...] = ()
    """Source folders of the pages, for SARIF."""


def render(report_or_reports: Report | Sequence[Report], format_name: str, options: RenderOptions | None = None) -> str:
    """One report or several in one of ``FORMATS``, ending in a line break.

    Only the renderer that is asked for is loaded.

    Raises:
        InvalidInput: There is no such format.
    """
    reports = (report_or_reports,) if isinstance(report_or_reports, Report) else tuple(report_or_reports)
    chosen = options or RenderOptions()
    match format_name:
        case "text":
            from pagegrade.render.text import render_text

            return render_text(
                reports,
                width=chosen.width,
                color=chosen.color,
                ascii_only=chosen.ascii_only,
                quiet=chosen.quiet,
                comparisons=chosen.comparisons,
            )
        case "json" | "jsonl":
            from pagegrade.render.jsonl import render_json, render_jsonl

            return (render_json if format_name == "json" else render_jsonl)(reports)
        case "csv":
            from pagegrade.render.csv import render_csv

            return render_csv(reports)
        case "markdown":
            from pagegrade.render.markdown import render_markdown

            return render_markdown(reports, comparisons=chosen.comparisons, verdicts=chosen.verdicts)
        case "comment":
            from pagegrade.render.markdown import COMMENT_CHARS, render_markdown

            return render_markdown(
                reports, comparisons=chosen.comparisons, verdicts=chosen.verdicts, max_chars=COMMENT_CHARS
            )
        case "prompt":
            from pagegrade.render.prompt import render_prompt

            return render_prompt(reports)
        case "html":
            from pagegrade.render.html import render_html

            return render_html(reports, comparisons=chosen.comparisons)
        case "conformance" | "criteria" | "earl" | "statement":
            from pagegrade.render.conformance import RENDERERS

            return RENDERERS[format_name](reports)
        case "sarif":
            from pagegrade.render.sarif import render_sarif

            return render_sarif(reports, sources=chosen.sources)
        case "junit":
            from pagegrade.render.junit import render_junit

            return render_junit(reports, verdicts=chosen.verdicts)
        case "github":
            from pagegrade.render.github import render_github

            return render_github(reports, verdicts=chosen.verdicts)
        case _:
            raise InvalidInput(f"There is no format {format_name!r}. Use one of {', '.join(FORMATS)}.")
