from __future__ import annotations

from pagegrade.gather.browser.errors import RenderingFailed
from pagegrade.model.artifacts import NotGathered


def test_a_failure_is_a_missing_artifact() -> None:
    """The report says why, and is not affected otherwise."""
    assert RenderingFailed("timeout", "Too slow.", reason="time_limit").not_gathered() == NotGathered(
        code="timeout", detail="Too slow.", reason="time_limit"
    )
