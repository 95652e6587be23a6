from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.heading_order import heading_order
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<h1>a</h1><h2>b</h2><h3>c</h3><h1>d</h1>",
        "<h2>a</h2><h3>b</h3>",
        "<h4>a</h4><h2>b</h2>",
        "<h1>a</h1><h2>b</h2><h3 hidden>x</h3><h3>c</h3>",
        "<h1>a</h1><h4 aria-level=2>b</h4>",
        "<h1>a</h1><h2>b</h2><h2>c</h2>",
        "<h1>a</h1><h3 role=presentation>x</h3><h2>b</h2>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """A page may begin with any level, and going up is always right."""
    assert outcome(heading_order, html).state == "ordered"


@pytest.mark.parametrize(
    "html",
    [
        "<h1>a</h1><h3>b</h3>",
        "<h1>a</h1><div role=heading aria-level=3>b</div>",
        "<h1>a</h1><h2 hidden>x</h2><h3>y</h3>",
        "<h3>a</h3><h6>b</h6>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Hidden headings fill no gap."""
    found = outcome(heading_order, html)

    assert found.state == "skipping"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<p>a",
        "<h1 hidden>a</h1>",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(heading_order, html), NotApplicable)


def test_many_gaps_cost_no_more_than_one() -> None:
    """Most pages have some, and no standard forbids them."""
    assert outcome(heading_order, "<h1>a</h1><h3>b</h3>" * 20).loss == 0.25
