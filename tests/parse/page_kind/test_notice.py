"""Structure alone makes a notice, and no single signal does."""

from __future__ import annotations

import pytest

from tests.parse.page_kind.pages import kind_of, site, words

URL = "https://www.kestrelford.example/shows/river"
STYLE = "<style>p{color:#222}</style>"


def page(body: str, *, head: str = STYLE) -> str:
    """A page in a language that no list of phrases knows."""
    return f"<!doctype html><html lang=ka><head><title>სახელი</title>{head}</head><body>{body}</body></html>"


SIGNALS = {
    "address of a visitor": "<p>203.0.113.9</p>",
    "address of a device": "<p>AA:BB:CC:00:11:22</p>",
    "address in digits of another script": "<p>٢٠٣.٠.١١٣.٩</p>",
    "the address that was asked for": "<p>https://www.kestrelford.example/shows/river</p>",
    "its way back in a field": "<form><input type=hidden name=z value=/shows/river></form>",
    "its way back in a link": "<a href='/x?y=%2Fshows%2Friver'>&rarr;</a>",
    "its way back in base64": "<form><input type=hidden name=z value=L3Nob3dzL3JpdmVy></form>",
}


@pytest.mark.parametrize("name", SIGNALS)
def test_short_page_with_a_signal_is_a_notice(name: str) -> None:
    """It says two words, leads nowhere, and shows what no page says about itself."""
    assert kind_of(page(f"<h1>დახურულია</h1>{SIGNALS[name]}"), url=URL) == "notice"


@pytest.mark.parametrize("name", SIGNALS)
def test_page_of_a_site_with_the_same_signal_is_graded(name: str) -> None:
    """It has text and leads on."""
    assert kind_of(site("სახელი", f"<h1>სახელი</h1>{words(40)}{SIGNALS[name]}", lang="ka"), url=URL) is None


@pytest.mark.parametrize("name", SIGNALS)
def test_signal_that_the_address_promises_is_graded(name: str) -> None:
    """A visitor who asks for a page on queues gets one."""
    asked = URL.replace("shows/river", "captcha/waiting-room")

    assert kind_of(page(f"<h1>დახურულია</h1>{SIGNALS[name]}"), url=asked) is None


def test_few_words_that_lead_nowhere_are_graded() -> None:
    """A poem, a business card and an empty page are pages."""
    assert kind_of(page("<h1>შემოდგომა</h1><p>ფოთოლი წყალზე</p>"), url=URL) is None
    assert kind_of(page("<p>მარა ლინდი</p><a href='mailto:m@kestrelford.example'>@</a>"), url=URL) is None
    assert kind_of(page(""), url=URL) is None


@pytest.mark.parametrize(
    "more",
    [
        f"<link rel=canonical href={URL}>",
        '<script type="application/ld+json">{"@context":"https://schema.org","@type":"VideoObject"}</script>',
    ],
)
def test_page_that_describes_itself_is_graded(more: str) -> None:
    """A page that names its own address or its content is no notice in the place of another page."""
    html = "<h1>დახურულია</h1><p>203.0.113.9</p>"

    assert kind_of(page(html), url=URL) == "notice"
    assert kind_of(page(html, head=STYLE + more), url=URL) is None


def test_links_to_sections_are_those_of_a_page() -> None:
    """A menu inside the page is not a way back to itself."""
    html = "<h1>სახელი</h1><p>{}</p><p>203.0.113.9</p>"
    menu = "<a href='#ერთი'>1</a><a href='#ორი'>2</a><a href='#სამი'>3</a>"

    assert kind_of(page(html.format("<a href='#'>&larr;</a>")), url=URL) == "notice"
    assert kind_of(page(html.format(menu)), url=URL.replace("shows/river", "")) is None
