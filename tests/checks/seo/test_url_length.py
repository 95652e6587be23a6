"""The traps of ``url-length``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from tests.builders import make_artifacts, outcome

ROOT = "https://example.com/"


@pytest.mark.parametrize(
    ("url", "state"),
    [
        (ROOT + "a" * (100 - len(ROOT)), "short"),
        (ROOT + "a" * (101 - len(ROOT)), "long"),
        (ROOT + "a" * 199, "long"),
        (ROOT + "a" * 200, "very_long"),
        (ROOT + "?q=" + "a" * 1_000, "long"),
        (ROOT + "?q=" + "a" * 2_000, "very_long"),
    ],
)
def test_limits(url: str, state: str) -> None:
    """Each limit and one past it; the path of 200 characters has its slash."""
    assert outcome("url-length", make_artifacts(url=url)).state == state


def test_letters_of_other_scripts_count_once() -> None:
    """An address that is sent percent-encoded is read in its own letters."""
    found = outcome("url-length", make_artifacts(url=ROOT + "%D0%B4" * 60))

    assert (found.state, found.value) == ("short", len(ROOT) + 60)
