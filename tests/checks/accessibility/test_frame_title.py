from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.frame_title import frame_title
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "name", ['title="Map"', 'aria-label="Map"', 'aria-labelledby="m"'], ids=["title", "label", "labelledby"]
)
def test_frame_with_a_name_passes(name: str) -> None:
    """A title or its equivalents in ARIA."""
    assert outcome(frame_title, f'<b id="m">Map</b><iframe src="/map" {name}></iframe>').state == "titled"


@pytest.mark.parametrize("name", ["", 'title=""', 'title=" "', 'name="map"'])
def test_frame_without_a_title_is_found(name: str) -> None:
    """Blanks and the ``name`` for scripts are no title."""
    found = outcome(frame_title, f'<iframe src="/map" {name}></iframe>')

    assert (found.state, found.loss) == ("untitled", 0.5)
    assert found.evidence[0].url == "https://example.com/map"
    assert found.message == "One frame has no title."


@pytest.mark.parametrize(
    "attributes",
    [
        'width="0" height="0"',
        'width="1" height="1"',
        'tabindex="-1"',
        'tabindex="-2"',
        'role="none"',
        'role="presentation none"',
        'aria-hidden="true"',
        "hidden",
    ],
)
def test_frames_out_of_reach_do_not_apply(attributes: str) -> None:
    """Tracking frames and hidden frames need no title."""
    assert isinstance(run(frame_title, f'<iframe src="/t" {attributes}></iframe>'), NotApplicable)


def test_flat_frame_is_still_a_frame() -> None:
    """Only both sides together make it invisible."""
    assert outcome(frame_title, '<iframe src="/t" width="1" height="90"></iframe>').state == "untitled"
    assert outcome(frame_title, '<iframe src="/t" width="100%" height="1"></iframe>').state == "untitled"


def test_page_without_frames_does_not_apply() -> None:
    """There is nothing to evaluate."""
    assert isinstance(run(frame_title, "<p>Text</p>"), NotApplicable)


@pytest.mark.parametrize(("count", "loss"), [(2, 0.5 + 0.5 / 9), (10, 1.0), (11, 1.0)])
def test_loss_grows_with_the_number(count: int, loss: float) -> None:
    """Everything is lost from ten frames on."""
    assert outcome(frame_title, '<iframe src="/t"></iframe>' * count).loss == pytest.approx(loss)


def test_role_none_does_not_hold_where_the_frame_takes_the_focus() -> None:
    """Browsers ignore the role then."""
    assert outcome(frame_title, "<iframe src=a role=none tabindex=0></iframe>").state == "untitled"
    assert isinstance(run(frame_title, "<iframe src=a role=none></iframe>"), NotApplicable)
    assert isinstance(run(frame_title, "<iframe src=a role=none tabindex=-1></iframe>"), NotApplicable)
