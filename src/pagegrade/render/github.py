"""Reports as GitHub Actions workflow commands: annotations in the log of a job.

Source: https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pagegrade.model.report import Report
from pagegrade.render.escape import visible
from pagegrade.render.evidence_rows import place
from pagegrade.render.view import counted, findings, flat_prose, grade_word, headline, plural, points, what_happened

_COMMANDS: Final = {"critical": "error", "high": "error", "medium": "warning", "low": "notice", "informative": "notice"}


def render_github(reports: Sequence[Report]) -> str:
    """A command for every finding and one with the verdict of every page; every line is a command of ours."""
    return "".join(f"{line}\n" for report in reports for line in _lines(report))


def _lines(report: Report) -> list[str]:
    url = visible(report.url, 2048)
    if report.error is not None:
        return [_command("error", "Pagegrade: not analyzed", f"{url}: {what_happened(report.error)}")]
    lines = []
    for finding in findings(report):
        result = finding.result
        text = visible(result.message, 400) or headline(result)
        if report.score is not None:
            text += f" Costs {points(finding.lost)}."
        if finding.evidence:
            more = f" and {plural(finding.evidence_not_shown, 'place')} more" if finding.evidence_not_shown else ""
            shown = "; ".join(where for where in map(place, finding.evidence) if where)
            text += f"\n{shown}{more}" if shown else ""
        if result.fix:
            text += f"\nFix: {flat_prose(result.fix, 600)}"
        title = f"{headline(result)} ({result.check})"
        lines.append(_command(_COMMANDS[result.importance], title, f"{url}\n{text}"))
    score = "no score" if report.score is None else f"{report.score} of 100"
    verdict = f"{url}: {score} ({grade_word(report)}), {counted(report)}"
    return [*lines, _command("notice", "Pagegrade", verdict)]


def _command(name: str, title: str, message: str) -> str:
    return f"::{name} title={_escape_property(title)}::{_escape(message)}"


def _escape(text: str) -> str:
    # Per cent first: the others bring their own.
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
