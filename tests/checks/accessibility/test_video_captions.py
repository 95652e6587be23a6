from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.video_captions import video_captions
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<video src=a><track kind=captions src=b></video>",
        "<video><source src=a><track kind=CAPTIONS src=b></video>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """A track of captions, whatever its case."""
    assert outcome(video_captions, html).state == "captioned"


@pytest.mark.parametrize(
    "html",
    [
        "<video src=a></video>",
        "<video><source src=a></video>",
        "<video src=a><track kind=subtitles src=b></video>",
        "<video src=a><track src=b></video>",
        "<video src=a><track kind=captions></video>",
        "<video src=a><track kind=captions src=' '></video>",
        "<video src=a><track kind=' captions' src=b></video>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Subtitles leave out sounds."""
    found = outcome(video_captions, html)

    assert found.state == "uncaptioned"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<p>",
        "<video src=a muted></video>",
        "<video></video>",
        "<video src=a hidden></video>",
        "<video src=a aria-hidden=true></video>",
        "<audio src=a></audio>",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(video_captions, html), NotApplicable)


def test_loss_is_never_more_than_half() -> None:
    """Captions inside the picture cannot be seen from here."""
    assert outcome(video_captions, "<video src=a></video>" * 12).loss == 0.5
