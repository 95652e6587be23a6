from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.input_image_alt import input_image_alt
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<input type=image alt=Go>",
        "<input type=IMAGE aria-label=Go>",
        "<input type=image title=Go>",
        "<b id=l>Go</b><input type=image aria-labelledby=l>",
        "<label>Go <input type=image></label>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Every source of a name counts."""
    assert outcome(input_image_alt, html).state == "named"


@pytest.mark.parametrize(
    "html",
    [
        "<input type=image>",
        "<input type=image alt=''>",
        "<input type=image alt=' '>",
        "<input type=image value=Go>",
        "<input type=image aria-labelledby=nowhere>",
        "<input type=image name=go>",
        "<input type=image role=img>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """A value is no name of an image button."""
    found = outcome(input_image_alt, html)

    assert (found.state, found.total) == ("nameless", 1)
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<input>",
        "<input type=image hidden>",
        "<input type=button role=img>",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(input_image_alt, html), NotApplicable)


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(input_image_alt, "<input type=image>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("image", "poor"),
        ("IMG_2041.jpg", "poor"),
        ("Bild 2", "poor"),
        ("Найти", "named"),
        ("検索", "named"),
        ("Map of Ulm", "named"),
    ],
)
def test_a_name_has_to_say_something(name: str, state: str) -> None:
    """File names and filler words cost a quarter; where others have no name at all, they are listed with them."""
    html = f"<input type=image src=/a.png alt='{name}'>"
    found = outcome(input_image_alt, html)

    assert (found.state, found.loss or 0) == (state, 0.25 if state == "poor" else 0)
    assert outcome(input_image_alt, html + "<input type=image src=/b.png>").state == "nameless"
