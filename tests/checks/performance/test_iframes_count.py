from __future__ import annotations

import pytest

from pagegrade.checks.performance.iframes_count import iframes_count
from pagegrade.model.outcome import Outcome
from tests.builders import evaluated, outcome

FRAME = "<iframe src=https://b.example/ title=x></iframe>"


@pytest.mark.parametrize(("count", "state"), [(0, "few"), (4, "few"), (5, "many")])
def test_more_than_four_are_many(count: int, state: str) -> None:
    """It costs nothing."""
    found = evaluated(iframes_count, FRAME * count)

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.verdict.value, found.outcome) == (state, count, "informative")


def test_frames_that_load_nothing_do_not_count() -> None:
    """No address, a page written out, and frames for browsers without scripts."""
    html = (
        "<iframe title=x></iframe><iframe src=about:blank title=x></iframe><iframe srcdoc='<p>x' title=x></iframe>"
        f"<noscript>{FRAME}</noscript><template>{FRAME}</template>"
    )

    assert outcome(iframes_count, html).value == 0


def test_lazy_images_have_a_state_of_their_own() -> None:
    """Those load when they come near."""
    found = outcome(iframes_count, FRAME + FRAME.replace("title", "loading=Lazy title"))

    assert {detail.code: detail.actual for detail in found.details} == {"frames": 2, "eager_frames": 1}


@pytest.mark.parametrize(
    ("eager", "lazy", "said"),
    [
        (0, 0, "The page embeds no frames."),
        (1, 0, "The page embeds one frame, which loads at once."),
        (0, 1, "The page embeds one frame, which loads when it is needed."),
        (2, 0, "The page embeds 2 frames; all of them load at once."),
        (0, 2, "The page embeds 2 frames; none of them load at once."),
        (1, 2, "The page embeds 3 frames; 1 of them loads at once."),
    ],
)
def test_it_says_how_many_load_at_once(eager: int, lazy: int, said: str) -> None:
    """All, none and some are worded as people would."""
    found = outcome(iframes_count, FRAME * eager + FRAME.replace("title", "loading=lazy title") * lazy)

    assert found.message == said
