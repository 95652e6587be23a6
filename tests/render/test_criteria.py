"""The criteria of WCAG 2.2 and what a report says about each."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.checks import all_checks
from pagegrade.model.outcome import DOUBTS
from pagegrade.model.report import CategoryScore, Withheld
from pagegrade.render.criteria import (
    CRITERIA,
    LINKS,
    CriterionResult,
    by_criterion,
    category_note,
    links_of,
    machine_count,
    remark,
)
from pagegrade.render.finding_texts import in_language
from tests.report_builders import make_passed, make_report, make_result

BEST_PRACTICE = {
    "accesskeys": "No criterion forbids that elements share an access key.",
    "aria-deprecated-role": "Deprecated roles still work.",
    "image-alt-length": "No criterion limits the length of an alternative text.",
    "landmark-main": "Landmarks are one of several ways to meet 1.3.1 and 2.4.1.",
    "legible-text": "No criterion names a smallest size of text.",
}
"""Checks of accessibility that test no criterion A or AA -> the reason."""


def result_of(number: str, *results: Any, **more: Any) -> CriterionResult:
    """The result for a criterion in a report with these results."""
    report = make_report(*results, **more)
    return next(one for one in by_criterion(report) if one.criterion.number == number)


def test_all_criteria_a_and_aa_are_there() -> None:
    """WCAG 2.2 has 31 of level A and 24 of level AA; 37 are of WCAG 2.0, without 4.1.1, and 12 of WCAG 2.1."""
    versions = [one.since for one in CRITERIA]

    assert [sum(one.level == level for one in CRITERIA) for level in ("A", "AA")] == [31, 24]
    assert [versions.count(version) for version in ("2.0", "2.1", "2.2")] == [37, 12, 6]
    assert sorted(CRITERIA, key=lambda one: [int(part) for part in one.number.split(".")]) == list(CRITERIA)


def test_clauses_follow_the_version() -> None:
    """EN 301 549 V3.2.1 has no criterion of WCAG 2.2, and Section 508 none of WCAG 2.1."""
    known = {one.number: (one.en_clause, one.section_508) for one in CRITERIA}

    assert known["1.4.3"] == ("9.1.4.3", "E205.4")
    assert known["1.4.10"] == ("9.1.4.10", "")
    assert known["2.5.8"] == ("", "")


def test_every_check_of_accessibility_names_its_criteria() -> None:
    """Or the reason why it tests none; and both name checks that exist."""
    checks = all_checks()
    of_accessibility = {check.id for check in checks.values() if check.category == "accessibility"}

    assert of_accessibility - {link.check for link in LINKS} == set(BEST_PRACTICE)
    assert {link.check for link in LINKS} <= set(checks)
    assert {link.criterion for link in LINKS} <= {one.number for one in CRITERIA}


@pytest.mark.parametrize("check", [check for check in all_checks().values() if links_of(check.id)], ids=lambda c: c.id)
def test_states_are_those_of_the_check(check: Any) -> None:
    """Each exists, and each of a check of accessibility that has advice is in the table."""
    named = {state for link in links_of(check.id) for state in (*link.failed, *link.person)}
    # A redirect without delay breaks no criterion.
    advised = {state.name for state in check.states if state.title} - {"redirect"}

    assert named <= {state.name for state in check.states}
    assert check.category != "accessibility" or advised <= named


def test_a_finding_fails_its_criterion() -> None:
    """Also the one that is counted in another finding."""
    failed = make_result("image-alt", state="missing", counted_in="svg-img-alt")
    one = result_of("1.1.1", failed, make_passed("object-alt", state="named"))

    assert (one.status, one.found, [result.check for result in one.passed]) == ("failed", (failed,), ["object-alt"])


@pytest.mark.parametrize(
    ("result", "because"),
    [
        (make_result("image-alt", state="poor"), "found what may be"),
        (make_result("image-alt", state="missing", outcome="ignored"), "found what may be"),
        (make_passed("image-alt", outcome="not_applicable", state=None), "nothing that the tests apply to"),
    ],
    ids=["may be a failure", "ignored", "nothing to test"],
)
def test_what_is_not_certain_needs_a_person(result: Any, because: str) -> None:
    """Automatic tests neither fail nor pass the criterion."""
    one = result_of("1.1.1", result)

    assert one.status == "needs_person"
    assert because in remark(one)


@pytest.mark.parametrize("tag", ["en", "de"])
@pytest.mark.parametrize("doubt", DOUBTS)
def test_what_may_be_hidden_fails_nothing(doubt: str, tag: str) -> None:
    """A finding about what may not be rendered is for a person, in every language of the report."""
    message = f"Images have no alternative text. {doubt}"
    report = in_language(make_report(make_result("image-alt", state="missing", message=message)), tag)

    assert by_criterion(report)[0].status == "needs_person"


def test_nothing_found_is_no_proof() -> None:
    """The status names the tests, and the remark says what they are worth."""
    one = result_of("3.1.1", make_passed("html-lang", state="declared"))

    assert (one.status, remark(one)) == ("passed", "No failure was found, which is no proof.")


def test_hints_alone_pass_nothing() -> None:
    """A check that cannot fail a criterion for certain does not evaluate it."""
    one = result_of("2.4.3", make_passed("tabindex", state="natural"))

    assert (one.status, remark(one)) == ("needs_person", "No automatic test decides it.")


def test_what_was_not_evaluated_says_why() -> None:
    """The reason is that of the check."""
    result = make_passed("color-contrast", outcome="not_evaluated", state=None, reason="no_browser: No browser.")
    one = result_of("1.4.3", result)

    assert (one.status, remark(one)) == ("not_evaluated", "No browser.")


def test_another_page_says_nothing() -> None:
    """Of what was served in place of the page nothing counts."""
    withheld = Withheld(kind="challenge", message="A challenge was served.", fix="Allow Pagegrade.")
    report = make_report(make_passed("html-lang", state="declared"), score=None, result=None, withheld=withheld)

    assert machine_count(report) == 0
    assert {one.status for one in by_criterion(report)} == {"not_evaluated", "needs_person"}


def test_a_score_of_accessibility_has_its_share_beside_it() -> None:
    """Also the best one, for which everything was evaluated."""
    best = CategoryScore(score=100, result="good", passed=1, failed=0, coverage=1.0)
    report = make_report(make_passed("html-lang", state="declared"), categories={"accessibility": best, "seo": best})

    assert category_note(report, "accessibility") == "1 of 55 criteria A and AA evaluated by machine"
    assert category_note(report, "seo") == ""


def test_the_status_is_of_one_criterion() -> None:
    """A field without a label fails 4.1.2, and a person has to say whether it has a visible label."""
    unlabelled = replace(make_result("form-label"), state="unlabelled")

    assert result_of("4.1.2", unlabelled).status == "failed"
    assert result_of("3.3.2", unlabelled).status == "needs_person"
