from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.empty_heading import empty_heading
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<h1>a</h1>",
        "<h2 aria-label=a></h2>",
        "<h1><img src=a alt=Logo></h1>",
        "<h1><svg><title>Logo</title></svg></h1>",
        "<h2 title=a></h2>",
        "<h1>a</h1><h2 role=presentation></h2>",
        "<h1>a</h1><h2 role=button></h2>",
        "<h1><a href=/>Home</a></h1>",
        "<h1 role=none aria-label=''>a</h1>",
        "<b id=l hidden>a</b><h1 aria-labelledby=l></h1>",
        "<h1><button aria-label=a></button></h1>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Text, alternatives and labels fill a heading."""
    assert outcome(empty_heading, html).state == "filled"


@pytest.mark.parametrize(
    "html",
    [
        "<h1></h1>",
        "<h2> \n </h2>",
        "<h2><img src=a alt=''></h2>",
        "<div role=heading aria-level=2></div>",
        "<h2><span aria-hidden=true>a</span></h2>",
        "<h2><br></h2>",
        "<h2 role=none tabindex=0></h2>",
        "<h2 role=none aria-label=''><span aria-hidden=true>a</span></h2>",
        "<h2><img src=a alt=Logo role=presentation></h2>",
        "<h2><img src=a alt='' title=Logo></h2>",
        "<b id=l hidden></b><h2 aria-labelledby=l><span aria-hidden=true>a</span></h2>",
        "<h2>&nbsp;</h2>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Content that is not exposed is empty."""
    found = outcome(empty_heading, html)

    assert found.state == "empty"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<p>a",
        "<h1 hidden></h1>",
        "<h1 aria-hidden=true></h1>",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(empty_heading, html), NotApplicable)


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(empty_heading, "<h2></h2>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count


def test_image_without_alternative_inside_is_no_second_fault() -> None:
    """The image is reported by the check of images; other headings count as ever."""
    heading = '<h2><img src="a.png"></h2>'

    assert isinstance(run(empty_heading, heading), NotApplicable)
    assert outcome(empty_heading, f"{heading}<h3></h3>").total == 1
