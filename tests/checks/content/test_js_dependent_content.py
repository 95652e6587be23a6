"""The traps of ``js-dependent-content``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks import Facts, all_checks, run_checks
from pagegrade.checks.content.js_dependent_content import CONCEALED
from pagegrade.model.rendering import Departure
from tests.builders import make_artifacts, outcome
from tests.rendering_builders import make_rendering


def test_a_shell_is_seen() -> None:
    """An empty root and scripts."""
    page = '<title>T</title><div id="app"></div><script src="/a.js"></script>'

    assert outcome("js-dependent-content", page).state == "shell"


def test_a_short_page_without_scripts_is_no_shell() -> None:
    """Nothing will fill it, and a rendered root is filled already."""
    page = '<title>T</title><div id="app"><p>Hello</div><script src="/a.js"></script>'

    assert outcome("js-dependent-content", "<title>T</title><p>Hello").state == "served"
    assert outcome("js-dependent-content", page).state == "served"


def test_a_shell_stays_one_where_a_browser_drew_the_page() -> None:
    """Other programs get the HTML without what the scripts add in a browser."""
    shell = '<title>T</title><div id="app"></div><script src="/a.js"></script>'
    drawn = make_rendering(html=f"<title>T</title><h1>Chairs</h1><p>{'Chairs and tables made of teak. ' * 40}</p>")
    found = run_checks(all_checks(), Facts(make_artifacts(shell, rendering=drawn)))

    assert getattr(found["js-dependent-content"].verdict, "state", None) == "shell"
    assert found["content-length"].outcome != "not_evaluated"


@pytest.mark.parametrize(("hidden", "state"), [(CONCEALED - 1, "shell"), (CONCEALED, "concealed")])
def test_content_that_style_sheets_hide_is_no_missing_content(hidden: int, state: str) -> None:
    """Slides that a script shows one by one: their text is in the HTML."""
    slides = '<section class="s"><h2>Chairs</h2>Made of teak.</section>' * hidden
    page = (
        f'<title>T</title><style>.s{{display:none}}</style>{slides}<div id="app"></div><script src="/main.js"></script>'
    )

    assert outcome("js-dependent-content", page).state == state


@pytest.mark.parametrize(
    ("served", "drawn", "more", "state"),
    [
        (200, 2_000, {}, "shell"),
        (201, 20_000, {}, "served"),
        (200, 1_999, {}, "served"),
        (200, 2_000, {"departures": (Departure(kind="script", url="https://example.com/b", after_ms=90.0),)}, "served"),
    ],
)
def test_a_heading_that_waits_for_its_content_is_almost_empty(
    served: int, drawn: int, more: dict[str, Any], state: str
) -> None:
    """A browser saw that scripts fill the page, and not another one that it leads to."""
    rendering = make_rendering(html=f"<title>T</title><p>{'x' * drawn}", **more)
    facts = Facts(make_artifacts(f"<title>T</title><h1>{'y' * served}</h1>", rendering=rendering))
    found = run_checks({"js-dependent-content": all_checks()["js-dependent-content"]}, facts)

    assert getattr(found["js-dependent-content"].verdict, "state", None) == state
