from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.autoplay_media import autoplay_media
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<audio src=a></audio>",
        "<video src=a autoplay muted></video>",
        "<audio src=a autoplay controls></audio>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Muted, with controls, or waiting."""
    assert outcome(autoplay_media, html).state == "quiet"


@pytest.mark.parametrize(
    "html",
    [
        "<audio src=a autoplay></audio>",
        "<video autoplay loop><source src=a></video>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Sound without a way to stop it."""
    found = outcome(autoplay_media, html)

    assert found.state == "loud"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<p>",
        "<video autoplay></video>",
        "<audio src=a autoplay hidden></audio>",
    ],
)
def test_page_without_anything_to_judge_is_not_judged(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(autoplay_media, html), NotApplicable)


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(autoplay_media, "<audio src=a autoplay></audio>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count
