"""Reports as JUnit XML, for build servers: a page is a suite, a check is a case."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET  # lint: allow slow-parser - written only

from pagegrade.model.report import Report, Result
from pagegrade.render.english import ENGLISH
from pagegrade.render.escape import visible
from pagegrade.render.evidence_rows import facts_of, place
from pagegrade.render.view import flat_prose, headline, plural, points, reason, what_happened, what_to_do
from pagegrade.report.serialize import format_timestamp


def render_junit(reports: Sequence[Report]) -> str:
    """Findings are failures, a page that could not be analyzed is an error, all that does not count is skipped."""
    root = ET.Element("testsuites", name="Pagegrade")
    for report in reports:
        root.append(_suite(report))
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(report: Report) -> ET.Element:
    suite = ET.Element("testsuite", name=visible(report.url, 2048))
    suite.set("timestamp", format_timestamp(report.generated_at)[:19])
    suite.set("time", f"{(report.run.duration_ms or 0) / 1000:.3f}")
    if report.error is not None:
        case = ET.SubElement(suite, "testcase", classname="pagegrade", name="analysis")
        error = ET.SubElement(case, "error", type=report.error.code, message=what_happened(report.error))
        error.text = what_to_do(report.error)
    if report.withheld is not None:
        case = ET.SubElement(suite, "testcase", classname="pagegrade", name="grade")
        ET.SubElement(case, "skipped", message=f"no grade: {visible(report.withheld.message, 400)}")
    for result in report.results:
        suite.append(_case(result, is_graded=report.score is not None))
    suite.set("tests", str(len(suite)))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    return suite


def _case(result: Result, *, is_graded: bool) -> ET.Element:
    case = ET.Element("testcase", classname=f"pagegrade.{result.category}", name=result.check)
    if result.passed is False:
        message = visible(result.message, 400) or headline(result)
        failure = ET.SubElement(case, "failure", type=result.importance, message=message)
        failure.text = "\n".join(_details(result, is_graded=is_graded))
    elif result.outcome in {"not_applicable", "not_evaluated", "ignored"}:
        ET.SubElement(case, "skipped", message=f"{result.outcome.replace('_', ' ')}: {reason(result)}")
    return case


def _details(result: Result, *, is_graded: bool) -> list[str]:
    if not is_graded:
        cost = ""
    elif result.counted_in is not None:
        cost = f": counted in {result.counted_in}"
    else:
        cost = f": costs {points(result.lost)} of at most {ENGLISH.number(result.price, digits=1)}"
    lines = [f"{headline(result)}{cost}."]
    if result.fix:
        lines.append(f"Fix: {flat_prose(result.fix)}")
    lines += [
        "- " + " | ".join(part for part in (place(evidence), visible(evidence.snippet), facts_of(evidence)) if part)
        for evidence in result.evidence
    ]
    more = result.evidence_total - len(result.evidence)
    return [*lines, f"and {plural(more, 'place')} more"] if more > 0 else lines
