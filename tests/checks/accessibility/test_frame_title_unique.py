from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.frame_title_unique import frame_title_unique
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<iframe src=/a title=A></iframe><iframe src=/b title=B></iframe>",
        "<iframe src=/a title=A></iframe><iframe src=/a title=A></iframe>",
        "<iframe src=/a title=A></iframe><iframe src=/a/ aria-label=A></iframe>",
        "<iframe srcdoc=x title=A></iframe><iframe srcdoc=x title=A></iframe>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """The same title for the same content is no confusion."""
    assert outcome(frame_title_unique, html).state == "different"


@pytest.mark.parametrize(
    "html",
    [
        "<iframe src=/a title=A></iframe><iframe src=/b title=A></iframe>",
        "<iframe src=/a title='The  map'></iframe><iframe src=/b title='the map'></iframe>",
        "<iframe src=/a title=A></iframe><iframe src=/b aria-label=A></iframe>",
        "<iframe srcdoc=x title=A></iframe><iframe srcdoc=y title=A></iframe>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Case and blanks make no other title."""
    found = outcome(frame_title_unique, html)

    assert found.state == "shared"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<iframe src=/a title=A></iframe>",
        "<iframe src=/a></iframe><iframe src=/b></iframe>",
        "<iframe src=/a title=A></iframe><iframe src=/b title=A hidden></iframe>",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(frame_title_unique, html), NotApplicable)
