"""The numbers on the page about the score are those of the code, and its words do not contradict them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from devtools.gen_scoring import MOVING, PAGE_PATH, Catalogue, blocks, fill, lost_by
from devtools.scoring_example import example_report
from pagegrade.checks import all_checks
from pagegrade.model.outcome import Severity
from pagegrade.model.report import CATEGORIES

ROOT = Path(__file__).resolve().parents[2]
MADE = blocks()
PAGE = "Words\n\n<!-- begin one: made from the code, do not edit -->\n{inside}<!-- end one -->\n\nMore words\n"


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
    filled = fill(PAGE.format(inside=inside), {"one": "| new |\n"})

    assert filled == PAGE.format(inside="\n| new |\n\n")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("no markers", {"one": "x"}),
        (PAGE.format(inside=""), {}),
        (PAGE.format(inside="") * 2, {"one": "x"}),
        (PAGE.format(inside=""), {"one": "x", "two": "y"}),
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
