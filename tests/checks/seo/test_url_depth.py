"""The traps of ``url-depth``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from tests.builders import make_artifacts, outcome


@pytest.mark.parametrize(
    ("path", "state", "depth"),
    [
        ("", "shallow", 0),
        ("a/b/c/d", "shallow", 4),
        ("a/b/c/d/", "shallow", 4),
        ("a//b", "shallow", 2),
        ("a/b/c/d/e", "deep", 5),
        ("a?next=/b/c/d/e/f", "shallow", 1),
    ],
)
def test_parts_of_the_path(path: str, state: str, depth: int) -> None:
    """Empty parts and slashes in the query do not count."""
    found = outcome("url-depth", make_artifacts(url=f"https://example.com/{path}"))

    assert (found.state, found.value) == (state, depth)
