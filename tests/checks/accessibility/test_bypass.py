from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.bypass import bypass
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    ("html", "state"),
    [
        ("<a href=/>x</a><h2>a</h2>", "there"),
        ("<a href=/>x</a><main>a</main>", "there"),
        ("<a href=/>x</a><div role=main>a</div>", "there"),
        ("<a href=#c>Zum Inhalt</a><div id=c>a</div>", "there"),
        ("<a href=#c>skip</a><p>a", "missing"),
        ("<a href=/>skip to content</a><p>a", "missing"),
        ("<a href=/>x</a><h2 hidden>a</h2>", "missing"),
        ("<a href=/>x</a><main hidden>a</main>", "missing"),
        ("<a href=#c hidden>skip</a><a href=/>x</a><div id=c>a</div>", "missing"),
        ("<a href=#c>skip</a><div id=c hidden>a</div>", "missing"),
    ],
)
def test_way_past_the_menu_is_a_target_a_main_part_or_a_heading(html: str, state: str) -> None:
    """The words of a link say nothing; where it leads does."""
    assert outcome(bypass, html).state == state


@pytest.mark.parametrize("html", ["<p>a", "<a name=x>a</a>", "<a href=/ hidden>x</a>"])
def test_page_without_links_needs_no_way(html: str) -> None:
    """There is nothing to jump over."""
    assert isinstance(run(bypass, html), NotApplicable)
