"""The numbers on the page about the score are those of the code, and its words do not contradict them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from devtools.gen_scoring import MOVING, NEVER_SCORED, PAGE_PATH, Catalogue, blocks, fill, lost_by
from devtools.scoring_example import example_report
from pagegrade.checks import all_checks
from pagegrade.model.outcome import Severity
from pagegrade.model.report import CATEGORIES

ROOT = Path(__file__).resolve().parents[2]
MADE = blocks()
PAGE = "Words\n\n<!-- begin one: made from the code, do not edit -->\n{inside}<!-- end one -->\n\nMore words\n"


def test_every_scored_check_has_its_price() -> None:
    """With its states that cost something; and every other one is said to be free."""
    catalogue = Catalogue(all_checks())
    table = MADE["prices"]
    for check in catalogue.scored:
        row = next(line for line in table.splitlines() if line.startswith(f"| `{check.id}` |"))

        assert f"| {check.severity.value} | {catalogue.prices[check.id]:.2f} |" in row
        assert all(f"`{state.name}`" in row for state in check.states if state.highest > 0)

    assert [name for name in all_checks() if f"`{name}`" not in table] == []


def test_the_prices_of_a_category_add_up_to_its_points() -> None:
    """As far as two digits can show it."""
    for part in MADE["prices"].split("### ")[1:]:
        points = int(part.splitlines()[0].split(": ")[1].split()[0])
        shown = [float(line.split("|")[4]) for line in part.splitlines() if line.startswith("| `")]

        assert sum(shown) == pytest.approx(points, abs=0.01 * len(shown))


def test_the_losses_of_the_example_add_up() -> None:
    """A reader can take them from a hundred."""
    table, _, steps = MADE["example"].partition("| **all of them** |")
    shown = [float(line.split("|")[6]) for line in table.splitlines() if line.startswith("| `")]
    total = float(steps.partition("**")[2].partition("**")[0])

    assert sum(shown) == pytest.approx(total, abs=0.05)
    assert f"100 - {total:.2f} = {100 - total:.2f}" in steps
    assert f"**{example_report().score}**" in steps


def test_severities_and_categories_cover_all_points() -> None:
    """A hundred of them."""
    points = [float(line.split("|")[4]) for line in MADE["severities"].splitlines()[2:]]

    assert sum(points) == pytest.approx(100, abs=0.2)
    assert [f"| {value} |" in MADE["categories"] for value in CATEGORIES.values()] == [True] * len(CATEGORIES)


def test_what_fails_alone_costs_its_heirs_too() -> None:
    """Its own price, theirs, and its cap."""
    catalogue = Catalogue(all_checks())
    lost, score, heirs = catalogue.failing("https")

    assert lost == pytest.approx(catalogue.prices["https"] + sum(catalogue.prices[heir] for heir in heirs))
    assert score == catalogue.weighed["https"].cap
    assert f"| `https` | {catalogue.prices['https']:.2f} | {lost:.2f} | {score} |" in MADE["bounds"]
    assert NEVER_SCORED in catalogue.prices
    assert f"`{NEVER_SCORED}`" not in MADE["bounds"]


def test_every_cap_and_every_requirement_is_shown() -> None:
    """None is a surprise in a report."""
    checks = all_checks().values()

    assert all(f"| `{check.id}` | {check.cap.max_score} |" in MADE["caps"] for check in checks if check.cap)
    assert all(f"| `{name}` |" in MADE["inherited"] for check in checks for name in check.requires)


def test_checks_that_move_exist() -> None:
    """Each with what it can cost."""
    assert set(MOVING) <= set(all_checks())
    assert all(f"`{name}`" in MADE["moving"] for name in MOVING)


def test_what_the_words_claim_of_checks_is_so() -> None:
    """The two that are high although nobody is shut out; times; and what a header is worth."""
    severity = {name: check.severity for name, check in all_checks().items()}

    assert severity["text-compression"] is severity["not-found-page"] is Severity.HIGH
    assert severity["load-time"] is severity["ttfb"] is Severity.MEDIUM
    assert severity["csp"] is severity["hsts"] is severity["clickjacking"] is Severity.MEDIUM
    assert severity["x-content-type-options"] is Severity.LOW


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
