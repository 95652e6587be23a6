"""The traps of ``snippet-restrictions``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from tests.builders import make_artifacts, outcome

PAGE = "<!doctype html><title>T</title>"


@pytest.mark.parametrize(
    "content",
    [
        "nosnippet",
        "NOARCHIVE",
        "noimageindex, follow",
        "max-snippet:0",
        "max-image-preview: None",
        "max-video-preview:0",
        "nocache",
    ],
)
def test_rules_that_forbid(content: str) -> None:
    """Each of them is shown as it is written."""
    found = outcome("snippet-restrictions", f'{PAGE}<meta name="robots" content="{content}">')

    assert (found.state, len(found.evidence)) == ("restricted", 1)


@pytest.mark.parametrize("content", ["max-snippet:-1", "max-snippet:50", "max-image-preview:large", "noindex", "all"])
def test_rules_that_do_not(content: str) -> None:
    """A large value is no limit, and other rules have checks of their own."""
    assert outcome("snippet-restrictions", f'{PAGE}<meta name="robots" content="{content}">').state == "open"


def test_header_counts() -> None:
    """The same rules may stand in a header, for one crawler too."""
    found = outcome("snippet-restrictions", make_artifacts(PAGE, headers=[("X-Robots-Tag", "googlebot: nosnippet")]))

    assert found.value == "googlebot: nosnippet"
