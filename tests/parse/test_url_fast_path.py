"""The short cut of ``join_url`` gives what the parser gives, to the letter."""

from __future__ import annotations

import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagegrade.parse.url import join_url

PIECES = st.sampled_from(
    (
        "/|//|///|.|..|./|../|a|B|z9|-|_|~|%2e|%2E|%41|%|?|??|#|##|:|:80|:443|@|user@|http://|https://|HTTP://|ftp://|"
        "example.com|EXAMPLE.com|xn--a|xn--n3h.net|a.xn--p1ai|1.2.3.4|0x7f.1|1.2.3|256.256|a.0|a.1x|-a.com|a-.com|a..b|"
        "example.com.|localhost|\\|\t|\n| |+|,|;|=|&|$|!|*|(|)|'|\"|<|>|[|]|{|}|^|`|||é|ß|\u3002|\uff0e|\x00|\ud800|"
        "index.html|.hidden|.well-known|...|a.b/c.d|q=1&r=2|#frag"
    ).split("|")
)
BASES = st.sampled_from(
    (
        "https://example.com/",
        "https://example.com/a/b?c#d",
        "http://example.com:8080/x/",
        "http://127.0.0.1/",
        "http://[::1]:9/",
        "https://user@example.com/",
        "https://example.com",
        "about:blank",
        "file:///etc/passwd",
    )
)


@settings(max_examples=1500)
@given(base=BASES, href=st.lists(PIECES, max_size=8).map("".join))
def test_short_cut_agrees_with_the_parser(base: str, href: str) -> None:
    """Whatever is joined, the fast way and the standard's parser mean the same URL."""
    try:
        expected = ada_url.join_url(base, href)
    except (ValueError, UnicodeEncodeError):
        return

    assert join_url(base, href) == expected


@pytest.mark.parametrize("href", ["/a/b.html?x=%20#y", "https://cdn.example.com/lib/1.2.3/a-b_c.js?v=1", "/", "/a//b"])
def test_short_cut_is_taken_for_what_pages_are_full_of(href: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain addresses do not reach the parser."""
    expected = ada_url.join_url("https://example.com/x", href)
    join_url("https://example.com/x", "/warm-up")
    monkeypatch.setattr("ada_url.join_url", None)

    assert join_url("https://example.com/x", href) == expected
