from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from devtools.gen_scoring import (
    MOVING,
    PAGE,
    PAGE_PATH,
    PARAGRAPH,
    Catalogue,
    blocks,
    example_report,
    fill,
    lost_by,
    noindex_report,
)
from pagegrade.checks import all_checks
from pagegrade.model.outcome import Severity
from pagegrade.model.report import CATEGORIES

ROOT = Path(__file__).resolve().parents[2]
MADE = blocks()
WORDS = "Words\n\n<!-- begin one: made from the code, do not edit -->\n{inside}<!-- end one -->\n\nMore words\n"


def test_the_example_can_be_recomputed_from_its_report() -> None:
    """The sum of the categories' losses, from a hundred, rounded."""
    report = example_report()
    taken = sum(category.taken or 0.0 for category in report.categories.values())

    assert report.state == "completed"
    assert report.uncapped_score is not None
    assert math.isclose(report.uncapped_score, 100 - taken, abs_tol=1e-6)
    assert report.score is not None
    assert math.ceil(report.uncapped_score - 0.5) >= report.score


def test_the_example_shows_what_the_page_explains() -> None:
    """Losses of several severities, whole and in part, counted ones, and something that was not seen."""
    results = example_report().results
    found = [result for result in results if result.lost > 0]

    assert {result.importance for result in found} >= {"high", "medium", "low"}
    assert any(result.lost < result.price for result in found)
    assert any(result.counted_in for result in results)
    assert any(result.outcome == "not_evaluated" and result.price > 0 for result in results)
    assert example_report().result is not None


def test_a_forgotten_noindex_puts_its_caps_on_the_page() -> None:
    """The whole score, and that of its category."""
    caps = {cap.category: cap.max_score for cap in noindex_report().caps}

    assert set(caps) == {None, "seo"}
    assert (noindex_report().categories["seo"].score or 0) <= caps["seo"]


def test_the_page_fits_into_the_documentation() -> None:
    """Its long paragraph can be left out."""
    assert PAGE.count(PARAGRAPH) == 3
    assert len(PAGE.replace(PARAGRAPH, "")) < 1_500


def test_the_example_is_the_same_every_time() -> None:
    """Two machines must not fight over the page."""
    assert example_report() == example_report()


def test_every_scored_check_has_its_penalties() -> None:
    """With its states that cost something; and every other one is said to be free."""
    catalogue = Catalogue(all_checks())
    table = MADE["penalties"]
    for check in catalogue.scored:
        row = next(line for line in table.splitlines() if line.startswith(f"| `{check.id}` |"))

        assert f"| {check.severity.label} |" in row
        assert all(f"`{state.name}`" in row for state in check.states if state.highest > 0)

    assert [name for name in all_checks() if f"`{name}`" not in table] == []


def test_the_sum_of_the_example_can_be_done_by_a_reader() -> None:
    """Findings to categories, categories to what is left, to the tenth of a point."""
    sums = MADE["example"]
    rows = [line.split("|") for line in sums.splitlines() if line.startswith("| `")]
    lost: dict[str, float] = {}
    for row in rows:
        if "counted in" not in row[5]:
            lost[row[3].strip()] = round(lost.get(row[3].strip(), 0.0) + float(row[5]), 1)
    lines = [line.split("|") for line in sums.splitlines() if line.startswith(tuple(f"| {name} |" for name in lost))]
    together = float(sums.partition("| **together** |  |  | **")[2].partition("**")[0])

    assert lost
    assert {line[1].strip(): float(line[2]) for line in lines} == lost
    assert round(sum(float(line[4]) for line in lines), 1) == together
    assert f"100 - {together:.1f} = {100 - together:.1f}" in sums
    assert f"**{example_report().score}**" in sums


def test_every_severity_category_cause_and_cap_is_shown() -> None:
    """None is a surprise in a report."""
    catalogue = Catalogue(all_checks())

    assert all(f"| {one.label} | {one.value} |" in MADE["severities"] for one in Severity)
    assert all(f"| {budget} |" in MADE["categories"] for budget in CATEGORIES.values())
    assert all(f"`{check.id}`" in MADE["causes"] for check in catalogue.checks.values() if check.cause)
    assert all(f"| `{check.id}` |" in MADE["caps"] for check in catalogue.checks.values() if check.caps)
    assert all(len(checks) > 1 for checks in catalogue.causes().values())


def test_checks_that_move_exist() -> None:
    """Each with what it can cost."""
    assert set(MOVING) <= set(all_checks())
    assert all(f"`{name}`" in MADE["moving"] for name in MOVING)


def test_what_the_words_claim_of_checks_is_so() -> None:
    """The load time is at most medium, a first byte after seconds is high, and a content security policy is low."""
    severity = {name: check.severity for name, check in all_checks().items()}

    assert severity["load-time"].value <= Severity.MEDIUM.value
    assert severity["ttfb"] is Severity.HIGH
    assert severity["csp"] is Severity.LOW


def test_what_is_said_not_to_be_measured_is_not() -> None:
    """A check that is added later must leave that part of the page."""
    text = (ROOT / PAGE_PATH).read_text(encoding="utf-8")
    part = text.partition("## What is not measured")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([a-z-]+)`", part)) - {"html-lang"}

    assert named == {"geolocation-notification-on-load", "safe-browsing", "html-lang-valid"}
    assert named & set(all_checks()) == set()
    assert "html-lang" in all_checks()


def test_the_committed_page_has_every_block_once() -> None:
    """And filling it a second time changes nothing."""
    text = (ROOT / PAGE_PATH).read_text(encoding="utf-8")
    filled = fill(text, MADE)

    assert all(block in filled for block in MADE.values())
    assert fill(filled, MADE) == filled


@pytest.mark.parametrize("inside", ["", "old\n", "\n| old |\n\n"])
def test_what_stands_between_the_markers_is_replaced(inside: str) -> None:
    """And nothing else."""
    filled = fill(WORDS.format(inside=inside), {"one": "| new |\n"})

    assert filled == WORDS.format(inside="\n| new |\n\n")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("no markers", {"one": "x"}),
        (WORDS.format(inside=""), {}),
        (WORDS.format(inside="") * 2, {"one": "x"}),
        (WORDS.format(inside=""), {"one": "x", "two": "y"}),
        ("<!-- begin one: made from the code, do not edit -->\n<!-- end two -->", {"one": "x"}),
    ],
)
def test_a_block_without_its_place_is_refused(text: str, made: dict[str, str]) -> None:
    """A lost marker would leave old numbers standing."""
    with pytest.raises(ValueError, match="blocks"):
        fill(text, made)


def test_the_same_code_makes_the_same_page() -> None:
    """Two machines must not fight over it."""
    assert blocks() == MADE


def test_a_loss_is_found_by_its_check() -> None:
    """For the sentences about single checks."""
    report = example_report()

    assert lost_by(report, "csp") == next(result.lost for result in report.results if result.check == "csp")
