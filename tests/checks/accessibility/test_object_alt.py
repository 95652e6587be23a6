from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.object_alt import object_alt
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<object data=a.svg title=Plan></object>",
        "<object data=a.png aria-label=Plan></object>",
        "<b id=p>Plan</b><object data=a.mp4 aria-labelledby=p></object>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """The object has a name of its own."""
    assert outcome(object_alt, html).state == "named"


@pytest.mark.parametrize(
    "html",
    [
        "<object data=a.svg></object>",
        "<object data=a.png>A plan</object>",
        "<object data=a.pdf type=application/pdf></object>",
        "<object data=a.svg title=' '></object>",
        "<object data=a.svg alt=Plan></object>",
        "<object data=a.svg role=none tabindex=0></object>",
        "<object data=a.svg aria-labelledby=no></object>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Content inside is shown only when the object is not."""
    found = outcome(object_alt, html)

    assert found.state == "nameless"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<object></object>",
        "<object data=a.html></object>",
        "<object data=a.txt type=text/plain></object>",
        "<object data=a.swf></object>",
        "<object data=x type=application/x-shockwave-flash></object>",
        "<object data=a.svg role=none></object>",
        "<object data=a.svg hidden></object>",
        "<object data=a classid=clsid:1></object>",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(object_alt, html), NotApplicable)


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(object_alt, "<object data=a.svg></object>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count
