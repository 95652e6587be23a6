"""Success criteria: what a report says of each, and the results that persons recorded."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pagegrade.model.manual_results import ManualOutcome
from pagegrade.render.criteria import CriterionResult, Level, Status, remark
from pagegrade.report.serialize import timestamp
from pagegrade.web.schemas.envelope import Answer, Deleted, ListAnswer
from pagegrade.web.schemas.shape import URL, Document, Timestamp, about


class RecordedResult(Document):
    """Result of a criterion on a page, by a person or a program."""

    outcome: ManualOutcome = about("What was found.", "failed")
    note: str = about("Reason for it; empty: none.", "The banner is an image of text.")
    evidence: str = about("Place that shows it, such as an address; empty: none.", "https://example.org/banner.png")
    author: str = about("Present name of the person or the key; empty: it is gone.", "Example")
    recorded_at: Timestamp = about("Time of the record.", "2026-01-05T12:34:56.789Z")
    stale: bool = about("The page, or how it was analyzed, has changed since: it decides nothing.", False)  # noqa: FBT003


class CriterionOfReport(Document):
    """A success criterion of WCAG 2.2 on the page of a report."""

    criterion: str = about("Number of the criterion.", "1.4.5")
    object: Literal["criterion"] = about("The kind of object.", "criterion")
    report_id: int = about("The report.", 1042, ge=1)
    name: str = about("Its name in WCAG.", "Images of Text")
    level: Level = about("Its level.", "AA")
    wcag: Literal["2.0", "2.1", "2.2"] = about("Version of WCAG that introduced it.", "2.0")
    en_301_549: str | None = about("Clause of EN 301 549 V3.2.1; null: none.", "9.1.4.5")
    section_508: str | None = about("Provision of Section 508; null: none.", "E205.4")
    source: URL = about("Explanation by W3C.", "https://www.w3.org/WAI/WCAG22/Understanding/images-of-text.html")
    status: Status = about(
        "The result: that of `manual` unless it is stale or automatic tests found a failure for certain.", "failed"
    )
    by_machine: Status = about("Result of the automatic tests alone.", "needs_person")
    remark: str = about(
        "Reason for the result of the tests; empty where findings give it.", "No automatic test decides it."
    )
    found: list[str] = about("Checks with findings that break it, or that a person has to look at.", [])
    passed: list[str] = about("Checks that found nothing.", [])
    not_evaluated: list[str] = about("Checks that could not be evaluated.", [])
    manual: RecordedResult | None = about("Recorded result; null: none.")


class CriterionAnswer(Answer):
    """One success criterion."""

    data: CriterionOfReport = about("The criterion.")


class CriterionList(ListAnswer):
    """Success criteria."""

    data: list[CriterionOfReport] = about("The criteria of this page.")


class WithdrawnResult(Deleted):
    """Confirmation that the recorded result of a criterion was taken back."""

    criterion: str = about("Number of the criterion.", "1.4.5")
    object: Literal["manual_result"] = about("The kind of object.", "manual_result")
    report_id: int = about("The report.", 1042, ge=1)


def criterion_object(result: CriterionResult, report_id: int) -> bytes:
    """The JSON object of a criterion of a report."""
    criterion, manual = result.criterion, result.manual
    members: dict[str, Any] = {
        "criterion": criterion.number,
        "object": "criterion",
        "report_id": report_id,
        "name": criterion.name,
        "level": criterion.level,
        "wcag": criterion.since,
        "en_301_549": criterion.en_clause or None,
        "section_508": criterion.section_508 or None,
        "source": criterion.source,
        "status": result.status,
        "by_machine": result.by_machine,
        "remark": remark(result),
        "found": [each.check for each in result.found],
        "passed": [each.check for each in result.passed],
        "not_evaluated": [each.check for each in result.not_evaluated],
        "manual": None
        if manual is None
        else {
            "outcome": manual.outcome,
            "note": manual.note,
            "evidence": manual.evidence,
            "author": manual.author,
            "recorded_at": timestamp(manual.at_ms),
            "stale": manual.is_stale,
        },
    }
    return msgspec.json.encode(members)
