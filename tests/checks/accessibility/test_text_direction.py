"""The traps of ``text-direction``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run

HEBREW = "<p>אנחנו משקים את הגינה בכל בוקר.</p>" * 5
ARABIC = "<p>نسقي الحديقة كل صباح قبل شروق الشمس.</p>" * 5
DHIVEHI = "<p>އަޅުގަނޑުމެން ކޮންމެ ހެނދުނަކު ބަގީޗާއަށް ފެންދެން ދަމެވެ.</p>" * 5
ENGLISH = "<p>We water the garden every morning.</p>" * 5


def page(body: str, attributes: str = "") -> str:
    """A page with that text."""
    return f"<!doctype html><html {attributes}><title>Garden</title><body>{body}"


@pytest.mark.parametrize("text", [HEBREW, ARABIC, DHIVEHI])
@pytest.mark.parametrize(
    ("attributes", "state"),
    [
        ("lang=he", "missing"),
        ("dir=rtl", "declared"),
        ("dir=RTL", "declared"),
        ("dir=auto", "declared"),
        ("dir=ltr", "missing"),
    ],
)
def test_text_from_right_to_left_has_to_be_declared(text: str, attributes: str, state: str) -> None:
    """The language alone sets no direction in any browser."""
    found = outcome("text-direction", page(text, attributes))

    assert found.state == state


@pytest.mark.parametrize("wrapper", ["<body dir=rtl>", "<main dir=rtl>", "<div dir=rtl>"])
def test_the_direction_may_stand_on_the_part_with_the_text(wrapper: str) -> None:
    """Templates set it on the body or on the column of the text."""
    assert outcome("text-direction", page(wrapper + HEBREW)).state == "declared"


def test_some_foreign_words_change_nothing() -> None:
    """Names of products in Latin letters, and quotations in Arabic ones."""
    mixed = HEBREW + "<p>Garden Pro X</p>"

    assert outcome("text-direction", page(mixed)).state == "missing"
    assert isinstance(run("text-direction", page(ENGLISH * 4 + "<p>נסיון</p>")), NotApplicable)


def test_a_direction_that_contradicts_the_text_fails() -> None:
    """A template for Arabic that was filled with English."""
    assert outcome("text-direction", page(ENGLISH, "dir=rtl")).state == "contrary"
    assert isinstance(run("text-direction", page(f"<div dir=ltr>{ENGLISH}</div>", "dir=rtl")), NotApplicable)


@pytest.mark.parametrize("body", ["", "<p>שלום</p>", ENGLISH])
def test_other_pages_need_no_direction(body: str) -> None:
    """Left to right is what browsers begin with."""
    assert isinstance(run("text-direction", page(body)), NotApplicable)
