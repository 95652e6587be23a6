"""The traps of ``placeholder-text``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from tests.builders import evaluated, outcome


@pytest.mark.parametrize(
    "page",
    [
        "<p>LOREM ipsum dolor sit amet",
        "<h2>Lorem ipsum</h2>",
        "<h1>undefined</h1>",
        '<a href="/a">[object Object]</a>',
        "<p>TODO: describe the chair",
        "<p>TBD",
        "<p>[insert text here]",
        "<title>{{ page.title }}</title>",
        '<meta name="description" content="Buy ${product} now">',
        "<h1>{% block title %}</h1>",
    ],
)
def test_what_was_left_behind(page: str) -> None:
    """Filling texts, missing values and markers."""
    assert outcome("placeholder-text", "<!doctype html>" + page).state == "some"


@pytest.mark.parametrize(
    "page",
    [
        "<title>Lorem ipsum generator</title><p>Lorem ipsum dolor sit amet",
        "<p>The value is undefined in this case.",
        "<p>My to-do list. TODO lists are useful.",
        "<p>Write <code>{{ name }}</code> into the template.",
        "<pre>{% if %}</pre>",
        "<h1>{{ title }}</h1><script>render()</script>",
        "<p hidden>Lorem ipsum",
        "<title>Prices from ${ 5</title>",
        "<p>Lorem is a word",
        "<p>NaN stands for not a number",
    ],
)
def test_what_is_meant(page: str) -> None:
    """Pages about it, code, text that scripts fill in, and text that is not shown."""
    assert outcome("placeholder-text", "<!doctype html>" + page).state == "none"


def test_it_is_a_warning_however_many() -> None:
    """It never costs everything."""
    assert evaluated("placeholder-text", "<p>Lorem ipsum" * 200).loss == 0.5
