from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.viewport_zoom import viewport_zoom
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


def viewport(content: str) -> str:
    """A page with that viewport."""
    return f'<meta name="viewport" content="{content}">'


@pytest.mark.parametrize(
    "content",
    ["width=device-width", "user-scalable=yes", "user-scalable=1", "maximum-scale=5", "maximum-scale=10", ""],
)
def test_free_zoom_passes(content: str) -> None:
    """Five times is enough."""
    assert outcome(viewport_zoom, viewport(content)).state == "free"


@pytest.mark.parametrize("content", ["user-scalable=no", "user-scalable=0", "width=1, USER-SCALABLE = No"])
def test_forbidden_zoom_fails(content: str) -> None:
    """In every spelling."""
    assert outcome(viewport_zoom, viewport(content)).state == "blocked"


@pytest.mark.parametrize(
    ("scale", "state"), [("1", "too-small"), ("1.99", "too-small"), ("2", "limited"), ("4.9", "limited"), ("5", "free")]
)
def test_limit_of_the_scale(scale: str, state: str) -> None:
    """Under two fails, under five costs half."""
    assert outcome(viewport_zoom, viewport(f"maximum-scale={scale}")).state == state


@pytest.mark.parametrize(("scale", "limit"), [("1.5", 2), ("2", 5), ("4", 5)])
def test_detail_names_the_limit_that_is_missed(scale: str, limit: float) -> None:
    """Twice is needed by all, five times is free."""
    (detail,) = outcome(viewport_zoom, viewport(f"maximum-scale={scale}")).details

    assert (detail.actual, detail.limit) == (float(scale), limit)


def test_maximum_scale_limits_even_when_zooming_is_allowed() -> None:
    """``user-scalable=yes`` does not lift the limit."""
    assert outcome(viewport_zoom, viewport("user-scalable=yes, maximum-scale=1")).state == "too-small"


def test_last_viewport_counts() -> None:
    """A later element replaces an earlier one."""
    html = viewport("user-scalable=no") + viewport("width=device-width")

    assert outcome(viewport_zoom, html).state == "free"


def test_page_without_viewport_does_not_apply() -> None:
    """It forbids nothing, so adding a good viewport cannot cost points here."""
    assert isinstance(run(viewport_zoom, "<p>Text</p>"), NotApplicable)
