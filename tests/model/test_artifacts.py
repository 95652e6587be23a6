from __future__ import annotations

from typing import get_args, get_type_hints

from pagegrade.model.artifacts import GATHERED, Artifacts, NotGathered
from pagegrade.render.view import _ARTIFACT_NAMES


def test_every_artifact_that_can_be_missing_is_listed_and_has_a_name_for_people() -> None:
    """Reports say which ones are missing."""
    hints = get_type_hints(Artifacts)

    assert tuple(name for name, hint in hints.items() if NotGathered in get_args(hint)) == GATHERED
    assert set(_ARTIFACT_NAMES) == set(GATHERED)
