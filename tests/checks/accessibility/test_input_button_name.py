from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.input_button_name import input_button_name
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<input type=button value=Go>",
        "<input type=submit>",
        "<input type=reset>",
        "<input type=SUBMIT>",
        "<input type=button aria-label=Go>",
        "<input type=button title=Go>",
        "<label>Go <input type=button></label>",
        "<label for=g>Go</label><input type=button id=g>",
        "<input type=submit><input type=button role=none disabled>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Browsers name submit and reset buttons themselves."""
    assert outcome(input_button_name, html).state == "named"


@pytest.mark.parametrize(
    "html",
    [
        "<input type=button>",
        "<input type=submit value=''>",
        "<input type=reset value=' '>",
        "<input type=button placeholder=Go>",
        "<input type=button name=go>",
        "<input type=button role=none>",
        "<input type=button role=img disabled>",
        "<input type=submit value='' role=button>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """An empty value takes the browser's name away."""
    found = outcome(input_button_name, html)

    assert (found.state, found.total) == ("nameless", 1)
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<button></button>",
        "<input type=image>",
        "<input type=button hidden>",
        "<input type=text>",
        "<input type=button role=presentation disabled>",
        "<input type=checkbox role=button>",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(input_button_name, html), NotApplicable)


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(input_button_name, "<input type=button>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count
