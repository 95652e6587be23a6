from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.bypass import bypass
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run

TEXT = "Our chairs and tables are made of teak, which lasts for a hundred years outside in rain and sun."


@pytest.mark.parametrize(
    ("html", "state"),
    [
        ("<a href=/>x</a><h2>a</h2>", "there"),
        ("<a href=/>x</a><main>a</main>", "there"),
        ("<a href=/>x</a><div role=main>a</div>", "there"),
        ("<a href=#c>Zum Inhalt</a><div id=c>a</div>", "there"),
        ("<a href=/>x</a><a href=#c>skip</a><a name=c></a>", "there"),
        ("<a href=#%C3%BCber>Zum Inhalt</a><div id=über>a</div>", "there"),
        ("<a href=#100%25>skip</a><a name='100%'></a>", "there"),
        ("<a href=#c>skip</a><p>a", "missing"),
        ("<a href=#%C3%BCber>skip</a><p id=uber>a", "missing"),
        ("<a href=/>x</a><h1></h1>", "missing"),
        ("<a href=/>x</a><nav>y</nav><article>z</article><aside>a</aside>", "missing"),
        ("<a href=/ onclick='count()'>x</a><button>y</button>", "missing"),
        (f"<a href=/>x</a><p>{TEXT}", "missing"),
        (f"<p>Welcome</p><p>{TEXT}</p><a href=/>x</a>", "missing"),
        (f"<header><p>{TEXT}</p></header><a href=/>x</a>", "missing"),
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


@pytest.mark.parametrize(
    "html",
    [
        "<a href=# onclick=fold()>Menu</a><nav><a href=/>x</a></nav>",
        "<button onclick=\"location.assign('#c')\">skip</button><a href=/>x</a><div id=c>y</div>",
        "<button aria-expanded=true>Menu</button><a href=/>x</a>",
        f"<p>{TEXT}</p><a href=/>x</a>",
    ],
)
def test_way_that_a_script_may_make_is_not_evaluated(html: str) -> None:
    """The effect of a button cannot be seen, and content that comes first needs no way to it."""
    assert isinstance(run(bypass, html), NotApplicable)
