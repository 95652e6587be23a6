"""Guards' pages are recognised, and sites behind guards are not taken for them."""

from __future__ import annotations

import pytest

from pagegrade.parse.challenge import recognize_block
from tests.builders import make_response

CLOUDFLARE = (
    "<html><head><title>Just a moment...</title></head><body><noscript>Enable JavaScript</noscript>"
    "<script>window._cf_chl_opt={}</script><script src='/cdn-cgi/challenge-platform/h/g/orchestrate'></script></body>"
)
ARTICLE = (
    "<html><head><title>{title}</title></head><body><nav><a href=/>Home</a><a href=/a>A</a><a href=/b>B</a>"
    "<a href=/c>C</a></nav><article><h1>{title}</h1><p>Text about it.</p></article>"
    "<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script></body>"
)


@pytest.mark.parametrize("status", [401, 403, 429, 503])
def test_refusing_status_is_a_block(status: int) -> None:
    """The answer was about us, not about the page."""
    block = recognize_block(make_response("<h1>No</h1>", status=status))

    assert block is not None
    assert block.reason == f"status_{status}"


def test_guard_is_named_when_it_says_who_it_is() -> None:
    """By its own header, or by its page."""
    by_header = recognize_block(make_response("", status=403, headers=[("CF-Mitigated", "challenge")]))
    by_page = recognize_block(make_response(CLOUDFLARE, status=503))

    assert by_header is not None
    assert by_header.reason == "challenge_cloudflare"
    assert by_page is not None
    assert by_page.reason == "challenge_cloudflare"


def test_challenge_that_answers_200_is_recognised() -> None:
    """Status alone does not make it the page."""
    assert recognize_block(make_response(CLOUDFLARE)) is not None
    assert recognize_block(make_response("<title>Access  Denied</title><p>Reference #18.1")) is not None


@pytest.mark.parametrize("title", ["Just a moment... of silence", "Access denied: a history of the keycard", "Home"])
def test_page_behind_a_guard_is_the_page(title: str) -> None:
    """The guard's script on an ordinary page proves nothing, nor does its phrase inside a longer title."""
    assert recognize_block(make_response(ARTICLE.format(title=title))) is None


def test_article_with_exactly_such_a_title_is_still_an_article() -> None:
    """A page with a structure of its own, without the guard's script, is no challenge."""
    html = ARTICLE.format(title="Security check").replace("/cdn-cgi/challenge-platform/", "/js/")

    assert recognize_block(make_response(html)) is None


@pytest.mark.parametrize("status", [200, 204, 301, 404, 500])
def test_other_answers_are_no_blocks(status: int) -> None:
    """They have their own words."""
    assert recognize_block(make_response("<h1>Hello</h1>", status=status)) is None
