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
        "<audio src='a#t=8,10' autoplay></audio>",
        "<audio src='a#t=,3' autoplay></audio>",
        "<audio src='a#xywh=1,1,1,1&t=npt:0:01:00,0:01:02.5' autoplay></audio>",
        "<video autoplay><source src='a.mp4#t=8,10'><source src='a.webm#t=8,10'></video>",
        "<audio src=a autoplay></audio><button>Pause the music</button>",
        "<audio src=a autoplay></audio><div role=button aria-label='Ton aus'></div>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Muted, with controls, waiting, short, or with a button that may stop it."""
    assert outcome(autoplay_media, html).state == "quiet"


@pytest.mark.parametrize(
    "html",
    [
        "<audio src=a autoplay></audio>",
        "<video autoplay loop><source src=a></video>",
        "<audio src=a autoplay hidden></audio>",
        "<audio src=a autoplay controls hidden></audio>",
        "<audio src='a#t=8,10' autoplay loop></audio>",
        "<audio src='a#t=8,12' autoplay></audio>",
        "<audio src='a#t=8' autoplay></audio>",
        "<audio src='a#t=x,2' autoplay></audio>",
        "<audio src='a#t=1:2:3:4,5' autoplay></audio>",
        "<audio src='a#t=9,3' autoplay></audio>",
        "<video autoplay><source src='a.mp4#t=8,10'><source src='a.webm'></video>",
        "<audio src=a autoplay></audio><button hidden>Pause</button>",
        "<audio src=a autoplay></audio><button>Buy</button>",
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
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind: there is no verdict, and no loss."""
    assert isinstance(run(autoplay_media, html), NotApplicable)


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(autoplay_media, "<audio src=a autoplay></audio>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count
