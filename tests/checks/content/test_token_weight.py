from __future__ import annotations

import pytest

from pagegrade.checks.content.token_weight import (
    BYTES_PER_TOKEN,
    MAX_HTML_TOKENS,
    MAX_TEXT_TOKENS,
    token_weight,
)
from tests.builders import evaluated, outcome


def measured(page: str) -> dict[str, object]:
    """The numbers in the details."""
    return {detail.code: detail.actual for detail in outcome(token_weight, page).details}


@pytest.mark.parametrize(("more", "expected"), [(0, "moderate"), (1, "heavy_text")])
def test_limit_of_the_text(more: int, expected: str) -> None:
    """One letter more is too much."""
    assert outcome(token_weight, "<p>" + "x" * (BYTES_PER_TOKEN * MAX_TEXT_TOKENS + more)).state == expected


@pytest.mark.parametrize(("more", "expected"), [(0, "moderate"), (1, "heavy_html")])
def test_limit_of_the_html(more: int, expected: str) -> None:
    """Scripts count in the HTML and not in the text."""
    page = "<p>Oak.<script>{}</script>"
    size = BYTES_PER_TOKEN * MAX_HTML_TOKENS - len(page) + 2 + more

    assert outcome(token_weight, page.replace("{}", "x" * size)).state == expected


def test_other_scripts_count_by_their_bytes() -> None:
    """A Chinese character is most of a token, a letter a quarter."""
    assert measured("<p>" + "字" * 400)["text_tokens_estimate"] == 300
    assert measured("<p>" + "x" * 400)["text_tokens_estimate"] == 100


def test_estimates_are_rounded_where_they_are_read_and_cost_nothing() -> None:
    """More digits are not known."""
    page = "<p>" + "word " * 9_876

    assert outcome(token_weight, page).message.startswith("The visible text is about 12,000 tokens")
    assert evaluated(token_weight, page).outcome == "informative"


def test_an_empty_page_weighs_nothing() -> None:
    """Zero is a number."""
    assert outcome(token_weight, "").value == 0
