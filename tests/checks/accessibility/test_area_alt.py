from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.area_alt import area_alt
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<img src=m alt=Map usemap=#m><map name=m><area href=/n alt=North></map>",
        "<img src=m alt=Map usemap=#m><map name=m><area href=/n aria-label=North></map>",
        "<img src=m alt=Map usemap=#m><map name=m><area href=/n title=North></map>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Every source of a name counts."""
    assert outcome(area_alt, html).state == "named"


@pytest.mark.parametrize(
    "html",
    [
        "<img src=m alt=Map usemap=#m><map name=m><area href=/n></map>",
        "<img src=m alt=Map usemap=#m><map name=m><area href=/n alt=''></map>",
        "<img src=m alt=Map usemap=#m><map name=m><area href=/n alt=' '></map>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """An area is a link, so an empty alternative is none."""
    found = outcome(area_alt, html)

    assert found.state == "nameless"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<img src=m alt=Map usemap=#m><map name=m><area></map>",
        "<a href=/></a>",
        "<img src=m alt=Map usemap=#m><map name=m><area href=/n aria-hidden=true></map>",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(area_alt, html), NotApplicable)


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(area_alt, "<area href=/n>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count
