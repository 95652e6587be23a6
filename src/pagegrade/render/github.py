"""Reports as GitHub Actions workflow commands: annotations in the log of a job.

A step shows ten annotations of a kind and drops the others, so the verdict comes first, then the pages from the worst
on, and what is left out is counted.

Source: https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from pagegrade.model.report import Report
from pagegrade.render.escape import visible
from pagegrade.render.evidence_rows import place
from pagegrade.render.view import (
    IMPORTANCE_ORDER,
    Finding,
    access_note,
    counted,
    findings,
    flat_prose,
    grade_word,
    headline,
    plural,
    points,
    what_happened,
    worst_first,
)
from pagegrade.report.gates import Verdict

MAX_OF_A_KIND: Final = 10
"""Annotations with one command that a step shows."""
_COMMANDS: Final = {"critical": "error", "high": "error", "medium": "warning", "low": "notice", "informative": "notice"}


def render_github(reports: Sequence[Report], *, verdicts: Sequence[Sequence[Verdict]] = ()) -> str:
    """One command with the verdict, then one for every failed condition and finding; every line is one of ours.

    Args:
        reports: In any order.
        verdicts: To the report at the same place, the conditions of the build.
    """
    ordered = worst_first(reports, verdicts)
    # The verdict is a notice itself.
    left = {"error": MAX_OF_A_KIND, "warning": MAX_OF_A_KIND, "notice": MAX_OF_A_KIND - 1}
    shown: list[str] = []
    left_out: Counter[str] = Counter()
    for kind, title, message in _annotations(ordered):
        if left[kind]:
            left[kind] -= 1
            shown.append(_command(kind, title, message))
        else:
            left_out[kind] += 1
    lines = [_verdict(report) for report, _ in ordered[:MAX_OF_A_KIND]]
    if len(ordered) > 1:
        failing = sum(any(gate.failure for gate in gates) for _, gates in ordered)
        lines.insert(0, f"{plural(len(ordered), 'page')}, {failing} of them below the conditions, the worst first:")
    if len(ordered) > MAX_OF_A_KIND:
        lines.append(f"and {plural(len(ordered) - MAX_OF_A_KIND, 'more page')}.")
    if left_out:
        counts = ", ".join(plural(number, kind) for kind, number in left_out.items())
        lines.append(f"Not annotated: {counts}. A step shows {MAX_OF_A_KIND} of a kind; the report has them all.")
    return "".join(f"{line}\n" for line in (_command("notice", "Pagegrade", "\n".join(lines)), *shown))


def _verdict(report: Report) -> str:
    url = " → ".join(visible(one, 2048) for one in (report.url, report.led_to) if one is not None)
    note = f". {access_note(report)}" if access_note(report) else ""
    if report.withheld is not None:
        note = f". {visible(report.withheld.message, 400)}{note}"
    if report.error is not None:
        return f"{url}: not analyzed{note}"
    score = "no score" if report.score is None else f"{report.score} of 100"
    return f"{url}: {score} ({grade_word(report)}), {counted(report)}{note}"


def _annotations(ordered: Sequence[tuple[Report, Sequence[Verdict]]]) -> Iterator[tuple[str, str, str]]:
    """(command, title, message): pages that were not analyzed, failed conditions, findings by severity and page."""
    for report, _ in ordered:
        if report.error is not None:
            yield "error", "Pagegrade: not analyzed", f"{visible(report.url, 2048)}: {what_happened(report.error)}"
    for report, gates in ordered:
        for gate in gates:
            if gate.failure is not None:
                message = f"{visible(report.url, 2048)}\n{visible(gate.failure, 600)}"
                yield "error", f"Condition failed: {gate.condition}", message
    found = [(report, finding) for report, _ in ordered for finding in findings(report)]
    for report, finding in sorted(found, key=lambda one: IMPORTANCE_ORDER.index(one[1].result.importance)):
        yield _finding(report, finding)


def _finding(report: Report, finding: Finding) -> tuple[str, str, str]:
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
    return _COMMANDS[result.importance], title, f"{visible(report.url, 2048)}\n{text}"


def _command(name: str, title: str, message: str) -> str:
    return f"::{name} title={_escape_property(title)}::{_escape(message)}"


def _escape(text: str) -> str:
    # Per cent first: the others bring their own.
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
