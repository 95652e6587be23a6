from __future__ import annotations

import json
import re
import unicodedata
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pagegrade.model.account import PDF_SECTIONS, Brand
from pagegrade.model.outcome import Evidence
from pagegrade.model.report import PageFacts, Redirect
from pagegrade.render.escape import visible
from pagegrade.render.history import RunPoint
from pagegrade.render.i18n import texts_for
from pagegrade.render.pdf_model import (
    BREAK,
    MAX_DETAILED,
    MAX_EVIDENCE_CHARACTERS,
    MAX_FINDINGS,
    MAX_HOPS,
    breakable,
    sheet,
    sheet_of_several,
)
from pagegrade.report.sanitize import bound_results
from tests.report_builders import (
    make_failed_report,
    make_hostile_report,
    make_passed,
    make_report,
    make_result,
    poisoned_report,
)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Everyday words stay whole, extraordinarily", ["Everyday words stay whole, extraordinarily"]),
        ("https://example.com/a/b.css", ["https://", "example.", "com/", "a/", "b.", "css"]),
        ("x" * 40, ["x" * 16, "x" * 16, "x" * 8]),
        ("div:nth-of-type(2)>a[href]", ["div:", "nth-", "of-", "type(2)>", "a[href]"]),
        ("a" * 15 + "e\u0301" * 5, ["a" * 15 + "e\u0301", "e\u0301" * 4]),
        ("", [""]),
    ],
)
def test_long_words_may_be_broken(text: str, pieces: list[str]) -> None:
    """Behind punctuation where there is some, else after sixteen characters, never before a mark."""
    assert breakable(text).split(BREAK) == pieces


@settings(max_examples=200, deadline=None)
@given(st.text(st.one_of(st.characters(), st.sampled_from("/?&=.-: \u0301\u200d"))))
def test_breaks_change_no_text(text: str) -> None:
    """Copied text is the original, except piled up marks; no run without a break is long."""
    shown = visible(text, 400)
    broken = breakable(shown)

    assert _letters(broken.replace(BREAK, "")) == _letters(shown)
    assert not [part for part in broken.split(BREAK)[1:] if unicodedata.category(part[0]).startswith("M")]
    assert max(map(len, re.split(f"[ {BREAK}]", broken))) <= 24


def _letters(text: str) -> str:
    return "".join(c for c in text if c != "\u200d" and not unicodedata.category(c).startswith("M"))


def test_piled_up_marks_are_thinned() -> None:
    """Hundreds of accents on one letter would cost seconds and cover the lines above."""
    assert breakable("e" + "\u0301" * 500) == "e" + "\u0301" * 8


def test_everything_is_plain_values() -> None:
    """The template gets JSON, whatever a report holds."""
    for report in (make_report(), make_failed_report(), poisoned_report("\x00\ud800\u202e")):
        values = json.loads(json.dumps(sheet(report), allow_nan=False))

        assert values["url"]
        assert "\u202e" not in json.dumps(values, ensure_ascii=False)


def test_a_failed_report_has_no_grades() -> None:
    """Only what happened and what to do."""
    values = sheet(make_failed_report())

    assert "seldom passes by itself" in values["failure"]["retry"]
    assert values["date_and_score"] == "example.com · not analyzed · 5 Jan 2026"
    assert [name for name in ("counts", "categories", "findings", "lists", "strip") if values[name]] == []


def test_a_report_is_dated_in_utc() -> None:
    """The day is the same on every server."""
    assert sheet(make_report(generated_at=datetime(2026, 12, 31, 23, 59, tzinfo=UTC)))["date"] == "31 Dec 2026"


def test_checks_that_share_a_reason_stand_behind_it() -> None:
    """As on the page, however many they are."""
    left_out = [make_passed(f"check-{n}", outcome="not_evaluated", reason="The page was not drawn.") for n in range(30)]

    (shown,) = (part for part in sheet(make_report(*left_out))["lists"] if part["title"] == "Not evaluated (30)")

    assert shown["kind"] == "reasons"
    assert [item["name"] for item in shown["items"]] == ["The page was not drawn."]
    assert shown["items"][0]["text"] == ", ".join(f"Check {n}" for n in range(30))


def test_lists_of_any_length_have_an_end() -> None:
    """Findings, hops and rows are bounded, and what is left out is counted."""
    hops = tuple(Redirect(url=f"https://example.com/{n}", status=301, location="/x") for n in range(50))
    plain = make_report(*(make_result(f"check-{n}") for n in range(MAX_FINDINGS + 3)))
    values = sheet(make_report(*plain.results, page=PageFacts(http_status=200, redirects=hops)))

    assert len(values["findings"]) == MAX_DETAILED
    assert len(values["further"]) == MAX_FINDINGS - MAX_DETAILED
    assert values["findings_left_out"] == "3 more are not listed."
    assert [fact["name"] for fact in values["facts"]].count("Redirect") == MAX_HOPS


@pytest.mark.parametrize(("findings", "further"), [(MAX_DETAILED, []), (MAX_DETAILED + 1, [MAX_DETAILED + 1])])
def test_findings_beyond_the_bound_have_one_line_each(findings: int, further: list[int]) -> None:
    """They keep their rank, title, severity and points, and have no texts."""
    values = sheet(make_report(*(make_result(f"check-{number}") for number in range(findings))))

    assert len(values["findings"]) == MAX_DETAILED
    assert [item["rank"] for item in values["further"]] == further
    assert {frozenset(item) for item in values["further"]} <= {
        frozenset({"rank", "category", "title", "importance", "cost"})
    }


@pytest.mark.parametrize(("findings", "left_out"), [(MAX_FINDINGS, ""), (MAX_FINDINGS + 1, "1 more is not listed.")])
def test_findings_beyond_the_last_line_are_counted(findings: int, left_out: str) -> None:
    """Of as many as there may be, none is left out."""
    values = sheet(make_report(*(make_result(f"check-{number}") for number in range(findings))))

    assert len(values["further"]) == MAX_FINDINGS - MAX_DETAILED
    assert values["findings_left_out"] == left_out


@pytest.mark.parametrize(("length", "ends"), [(250, "x"), (251, "…")])
def test_the_message_of_a_finding_ends_at_its_bound(length: int, ends: str) -> None:
    """Whole at the bound, with an ellipsis one character past it."""
    values = sheet(make_report(make_result(message="x" * length)))

    assert values["findings"][0]["message"][-1] == ends


@pytest.mark.parametrize(("first", "shown", "more"), [(100, 3, ""), (101, 2, "and 1 more")])
def test_evidence_ends_at_its_bound(first: int, shown: int, more: str) -> None:
    """Of all findings together: what fits exactly is shown, with one character more the last entry is only counted."""
    entry = Evidence(snippet="word " * 19 + "words")
    longer = Evidence(snippet=entry.snippet.ljust(first, "s"))
    findings = MAX_EVIDENCE_CHARACTERS // (3 * len(entry.snippet))
    values = sheet(
        make_report(
            make_result("check-00", evidence=(longer, entry, entry)),
            *(make_result(f"check-{number:02}", evidence=(entry,) * 3) for number in range(1, findings)),
        )
    )

    assert [len(finding["evidence"]) for finding in values["findings"]] == [3] * (findings - 1) + [shown]
    assert values["findings"][-1]["more"] == more


def test_a_hostile_report_is_typeset_within_bounds() -> None:
    """Every check fails, and everything is as long as it may be: what takes time to typeset is counted here."""
    report = make_hostile_report()
    values = sheet(replace(report, results=bound_results(report.results)))
    evidence = [text for finding in values["findings"] for entry in finding["evidence"] for text in entry.values()]

    assert sum(map(len, evidence)) <= MAX_EVIDENCE_CHARACTERS
    assert len(values["findings"]) == MAX_DETAILED
    assert len(values["further"]) == MAX_FINDINGS - MAX_DETAILED
    assert values["findings_left_out"].endswith("more are not listed.")
    assert values["findings"][-1]["more"] == "100,000 places, not shown here"
    assert len(json.dumps(values, ensure_ascii=False)) < 70_000


def test_times_are_drawn_and_not_listed_again() -> None:
    """The bars say them already."""
    values = sheet(make_report())

    assert "Timing" not in [fact["name"] for fact in values["facts"]]
    assert [bar["label"] for bar in values["timing"]] == ["DNS", "Connect", "TLS", "First byte", "Download"]


def test_boxes_are_returned_when_asked_for() -> None:
    """The note is the caller's decision."""
    assert sheet(make_report(), boxes=True)["boxes"] is True
    assert sheet(make_report())["boxes"] is False


def test_sections_are_left_out_as_the_look_says() -> None:
    """One by one, and never the findings that matter most; what is not listed is counted."""
    failed = tuple(make_result(f"check-{number}") for number in range(MAX_DETAILED + 3))
    report = make_report(results=(*failed, make_passed()))
    points = tuple(
        RunPoint(number=number, at_ms=0, score=50, result="decent", state="completed", ruleset="1", engine="1")
        for number in (2, 1)
    )
    whole = sheet(report, history=points)
    keys = {"further": ("further",), "lists": ("lists",), "score": ("steps", "strip"), "history": ("history",)}
    for name in PDF_SECTIONS:
        made = sheet(report, history=points, brand=Brand(left_out=name))
        gone = {key for key in whole if whole[key] and not made[key]}

        assert gone == {key for key in keys.get(name, ("facts", "timing")) if whole[key]} != set()
        assert made["findings"] == whole["findings"]

    assert sheet(report, brand=Brand(left_out="further"))["findings_left_out"] == "3 more are not listed."


def test_a_document_of_several_reports_has_one_logo() -> None:
    """It may be a list of 65,536 numbers; name, color and footer are those of each report too."""
    values = sheet_of_several([make_report()] * 3, texts_for("en"), brand=Brand(name="Acme", logo=b"abc"))

    assert values["brand"]["logo"] == [97, 98, 99]
    assert [each["brand"]["logo"] for each in values["contents"]] == [[], [], []]
    assert [each["brand"] | {"logo": [97, 98, 99]} for each in values["contents"]] == [values["brand"]] * 3
