from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.tabindex import tabindex
from tests.builders import outcome


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/ tabindex=0>x</a>",
        "<p tabindex=-1>x",
        "<p tabindex=x>x",
        "<p tabindex=''>x",
        "<p tabindex=5 hidden>x",
        "<p tabindex='-3'>x",
        "<input type=hidden tabindex=3>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Zero, negative numbers and what is no number change nothing."""
    assert outcome(tabindex, "<input>" + html).state == "natural"


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/ tabindex=1>x</a>",
        "<p tabindex=' 3'>x",
        "<p tabindex=3foo>x",
        "<p tabindex=+2>x",
        "<div aria-hidden=true><p tabindex=3>x</div>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Numbers are read as browsers read them."""
    found = outcome(tabindex, html)

    assert found.state == "forced"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(tabindex, "<p tabindex=1>x" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count
