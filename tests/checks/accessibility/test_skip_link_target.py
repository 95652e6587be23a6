from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.skip_link_target import skip_link_target
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    ("html", "state"),
    [
        ("<a href=#c>skip</a><main id=c>", "found"),
        ("<a href=#c>skip</a><a name=c></a>", "found"),
        ("<a href=#top>skip</a><p>", "found"),
        ("<a href=#c>skip</a><p id=C>", "lost"),
        ("<a href=#c>skip</a><a href=#d>skip</a><p id=c>", "lost"),
        ("<a href=#>menu</a><a href=#c>skip</a><p>", "lost"),
    ],
)
def test_target_of_a_skip_link_must_exist(html: str, state: str) -> None:
    """Ids keep their case; ``#top`` is always there."""
    assert outcome(skip_link_target, html).state == state


@pytest.mark.parametrize(
    "html",
    [
        "<p>",
        "<a href=/>x</a><a href=#c>later</a>",
        "<a href=#>x</a>",
        "<a href=#c hidden>x</a>",
        "<a href=#!/a>x</a>",
        "<a href=#/a>x</a>",
        "<a href=#c role=button>x</a>",
    ],
)
def test_later_links_are_no_skip_links(html: str) -> None:
    """They are links of the content, which another check looks at."""
    assert isinstance(run(skip_link_target, html), NotApplicable)
