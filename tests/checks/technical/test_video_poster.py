from __future__ import annotations

import pytest

from pagegrade.checks.technical.video_poster import video_poster
from pagegrade.model.outcome import NotApplicable
from tests.builders import evaluated, outcome, run


@pytest.mark.parametrize(
    ("html", "state"),
    [
        ("<video src=/a.mp4></video>", "bare"),
        ("<video src=/a.mp4 poster=' '></video>", "bare"),
        ("<video poster=/a.jpg><source src=/a.mp4></video>", "poster"),
        ("<video src=/a.mp4 poster=/a.jpg></video><video src=/b.mp4></video>", "bare"),
    ],
)
def test_videos_with_and_without_a_picture(html: str, state: str) -> None:
    """An empty address is no picture."""
    assert outcome(video_poster, html).state == state
    assert evaluated(video_poster, html).outcome == "informative"


@pytest.mark.parametrize(
    "html", ["", "<audio src=/a.mp3></audio>", "<template><video></video></template>", "<video hidden></video>"]
)
def test_pages_without_a_video_do_not_apply(html: str) -> None:
    """Sound has no picture."""
    assert isinstance(run(video_poster, html), NotApplicable)
