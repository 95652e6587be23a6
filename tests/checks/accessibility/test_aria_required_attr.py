from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.aria_required_attr import aria_required_attr
from tests.builders import outcome


@pytest.mark.parametrize(
    "html",
    [
        "<p role=checkbox aria-checked=mixed>x",
        "<input type=checkbox role=switch>",
        "<h2 role=heading>x</h2>",
        "<input type=range role=slider>",
        "<p role=separator>x",
        "<p role=option>x",
        "<p role=tab>x",
        "<p role=combobox aria-expanded=false>x",
        "<p role=combobox aria-expanded=true aria-controls=l>x<p id=l>",
        "<p role=checkbox hidden>x",
        "<p role=progressbar>x",
        "<p role=spinbutton>x",
        "<button role=none>x</button>",
        "<p role=scrollbar aria-controls=a aria-valuenow=1>x",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Attributes that the element implies, or the role does not need, are not missing."""
    assert outcome(aria_required_attr, "<p role=switch aria-checked=true>x</p>" + html).state == "complete"


@pytest.mark.parametrize(
    "html",
    [
        "<p role=checkbox>x",
        "<p role=switch aria-checked=''>x",
        "<p role=heading>x",
        "<p role=slider>x",
        "<p role=meter>x",
        "<p role=separator tabindex=0>x",
        "<p role=combobox>x",
        "<p role=combobox aria-expanded=true>x",
        "<p role=scrollbar aria-valuenow=1>x",
        "<p role=menuitemradio>x",
        "<input role=switch>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """An empty attribute is none."""
    found = outcome(aria_required_attr, html)

    assert found.state == "incomplete"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(aria_required_attr, "<p role=checkbox>x" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count
