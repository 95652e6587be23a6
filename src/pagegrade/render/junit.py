"""Reports as JUnit XML, for build servers: a page is a suite, a check or a condition of the build is a case.

GitLab knows a case by its class and name, whatever its suite, so the page is part of the name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree as ET  # lint: allow slow-parser - written only

from pagegrade.model.report import Report, Result
from pagegrade.render.english import ENGLISH
from pagegrade.render.escape import visible
from pagegrade.render.evidence_rows import facts_of, place
from pagegrade.render.view import (
    access_note,
    flat_prose,
    headline,
    plural,
    points,
    reason,
    what_happened,
    what_to_do,
    with_verdicts,
)
from pagegrade.report.gates import Verdict
from pagegrade.report.serialize import format_timestamp

GATE: Final = "gate"
"""Class and type of the failures of conditions; those of findings have a category and a severity."""


def render_junit(reports: Sequence[Report], *, verdicts: Sequence[Sequence[Verdict]] = ()) -> str:
    """Findings are failures, a page that could not be analyzed is an error, all that does not count is skipped.

    Args:
        verdicts: To the report at the same place, the conditions of the build.
    """
    root = ET.Element("testsuites", name="Pagegrade")
    for report, gates in with_verdicts(reports, verdicts):
        root.append(_suite(report, gates))
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(report: Report, gates: Sequence[Verdict]) -> ET.Element:
    page = visible(report.url, 2048)
    suite = ET.Element("testsuite", name=page)
    suite.set("timestamp", format_timestamp(report.generated_at)[:19])
    suite.set("time", f"{(report.run.duration_ms or 0) / 1000:.3f}")
    known = {"access": access_note(report), "final_url": visible(report.led_to or "", 2048)}
    if any(known.values()):
        properties = ET.SubElement(suite, "properties")
        for name, value in known.items():
            if value:
                ET.SubElement(properties, "property", name=name, value=value)
    if report.error is not None:
        case = _case(suite, "analysis", "analysis", page)
        error = ET.SubElement(case, "error", type=report.error.code, message=what_happened(report.error))
        error.text = what_to_do(report.error)
    if report.withheld is not None:
        case = _case(suite, "grade", "grade", page)
        ET.SubElement(case, "skipped", message=f"no grade: {visible(report.withheld.message, 400)}")
    for gate in gates:
        case = _case(suite, GATE, gate.condition, page)
        if gate.failure is not None:
            ET.SubElement(case, "failure", type=GATE, message=visible(gate.failure, 600))
    for result in report.results:
        _describe(_case(suite, result.category, result.check, page), result, is_graded=report.score is not None)
    suite.set("tests", str(len(suite.findall("testcase"))))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    return suite


def _case(suite: ET.Element, kind: str, name: str, page: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=f"pagegrade.{kind}", name=f"{name}: {page}")


def _describe(case: ET.Element, result: Result, *, is_graded: bool) -> None:
    """Say what became of a check; findings of one cause are one failure, as they are one in the counts of a report."""
    if result.passed is False and result.counted_in is not None:
        ET.SubElement(case, "skipped", message=f"counted in {result.counted_in}: {headline(result)}")
    elif result.passed is False:
        message = visible(result.message, 400) or headline(result)
        failure = ET.SubElement(case, "failure", type=result.importance, message=message)
        failure.text = "\n".join(_details(result, is_graded=is_graded))
    elif result.outcome in {"not_applicable", "not_evaluated", "ignored"}:
        ET.SubElement(case, "skipped", message=f"{result.outcome.replace('_', ' ')}: {reason(result)}")


def _details(result: Result, *, is_graded: bool) -> list[str]:
    most = ENGLISH.number(result.price, digits=1)
    cost = f": costs {points(result.lost)} of at most {most}" if is_graded else ""
    lines = [f"{headline(result)}{cost}."]
    if result.fix:
        lines.append(f"Fix: {flat_prose(result.fix)}")
    lines += [
        "- " + " | ".join(part for part in (place(evidence), visible(evidence.snippet), facts_of(evidence)) if part)
        for evidence in result.evidence
    ]
    more = result.evidence_total - len(result.evidence)
    return [*lines, f"and {plural(more, 'place')} more"] if more > 0 else lines
