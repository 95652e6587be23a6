"""Ignored findings in every format: listed with their reason, counted nowhere."""

from __future__ import annotations

import json

import pytest

from pagegrade.model.report import IgnoredTotal
from pagegrade.render import FORMATS, render
from pagegrade.render.pdf_model import sheet
from pagegrade.render.view import score_steps
from pagegrade.report.masking import mask_report
from tests.report_builders import make_ignored, make_report, make_results

REPORT = make_report(*make_results(), make_ignored(), ignored=IgnoredTotal(findings=1, points=3))
REASON = "The player is replaced in May."


TO_DO = ("github", "prompt")
"""Formats that list what is to be done."""


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in TO_DO])
def test_the_reason_is_in_every_report(name: str) -> None:
    """Whatever its format is."""
    assert REASON in " ".join(render([REPORT], name).split())


def test_the_reason_is_in_the_pdf() -> None:
    """In a list of its own."""
    (found,) = (part for part in sheet(REPORT)["lists"] if part["title"] == "Ignored (1)")

    assert REASON in found["items"][0]["name"].replace("\u200b", "")


def test_nothing_is_to_be_done_about_an_ignored_finding() -> None:
    """Annotations of a build count it, and requests to a coding agent leave it out."""
    texts = [render([REPORT], name) for name in TO_DO]

    assert "1 ignored" in texts[0]
    assert not any("object-alt" in text for text in texts)


def test_the_score_says_how_many_points_are_held_back() -> None:
    """With the other steps of the sum."""
    assert "1 finding is ignored; without the ignore rules the score would be lower by 3 points." in score_steps(REPORT)


def test_sarif_has_it_as_suppressed() -> None:
    """Section 3.35; other results have no suppressions."""
    results = json.loads(render([REPORT], "sarif"))["runs"][0]["results"]
    suppressed = [result for result in results if "suppressions" in result]

    assert {result["ruleId"] for result in suppressed} == {"object-alt"}
    assert suppressed[0]["suppressions"] == [{"kind": "external", "status": "accepted", "justification": REASON}]


def test_others_do_not_see_who_made_the_rule() -> None:
    """Nor its number; the reason belongs to the report."""
    (shown,) = (result.ignored for result in mask_report(REPORT).results if result.ignored is not None)

    assert (shown.reason, shown.author, shown.rules) == (REASON, "", ())
