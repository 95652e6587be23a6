"""Selectors and URL patterns of ignore rules."""

from __future__ import annotations

import pytest
import turbohtml

from pagegrade.parse.html.place_matching import lies_in, split_selector, url_matches
from tests.linear import growth

PAGE = '<main id=top><div class="banner wide"><p><img src="/a.png" alt="x y"></p></div><img class=own></main>'


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (".banner", True),
        (".banner img", True),
        ("#top .banner.wide p", True),
        ('img[src="/a.png"]', True),
        ('[src$=".png"]', True),
        ("*", True),
        (".own", False),
        (".banner .banner", False),
        ("p div", False),
    ],
)
def test_an_element_and_what_is_around_it_are_matched(selector: str, *, expected: bool) -> None:
    """In the order of the compounds, with anything in between."""
    node = turbohtml.parse(PAGE).select_one("p img")
    compounds = split_selector(selector)

    assert node is not None
    assert compounds is not None
    assert lies_in(node, compounds) is expected


@pytest.mark.parametrize(
    "selector",
    ["", " ", "a > b", "a:hover", "a::before", ":has(b)", "[[", "a,b", '[href="a b"]', "1a", "a\\b", '[a="\\"]'],
)
def test_other_selectors_are_refused(selector: str) -> None:
    """Among them all whose matching can cost more than the depth of the document."""
    assert split_selector(selector) is None


@pytest.mark.parametrize(
    ("url", "pattern", "expected"),
    [
        ("https://a.example/x.js", "https://a.example/x.js", True),
        ("https://a.example/x.js", "https://a.example/*", True),
        ("https://a.example/x.js", "*.js", True),
        ("https://a.example/x.js", "*a.example*", True),
        ("https://a.example/x.js", "*", True),
        ("", "*", True),
        ("https://a.example/x.js", "https://a.example/", False),
        ("https://a.example/x.js", "*.JS", False),
        ("https://a.example/x.js", "*.js*x", False),
        ("aa", "a*aa", False),
        ("a.b", "a?b", False),
    ],
)
def test_a_pattern_is_for_the_whole_url(url: str, pattern: str, *, expected: bool) -> None:
    """Only the asterisk has a meaning of its own."""
    assert url_matches(url, pattern) is expected


def test_matching_takes_linear_time() -> None:
    """However often a pattern repeats itself."""
    assert growth(lambda size: url_matches("a" * size, "*a" * 20 + "*b*"), 100_000) < 4
