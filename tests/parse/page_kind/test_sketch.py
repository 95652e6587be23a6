"""The facts that all detectors share: folded, bounded, and read in linear time."""

from __future__ import annotations

import pytest

from pagegrade.model.artifacts import Navigation
from pagegrade.parse.page_kind import recognize_page_kind
from pagegrade.parse.page_kind.sketch import MAX_TEXT, MAX_WORDS, Sketch, fold, phrases
from tests.builders import make_document, make_response
from tests.linear import MAX_RATIO, growth
from tests.parse.page_kind.pages import kind_of, site, words


def make_sketch(html: str, *, url: str = "https://www.x.example/a?b=1", asked: str | None = None) -> Sketch:
    """The sketch of a page."""
    navigation = Navigation(requested_url=asked or url, response=make_response(html, url=url))
    return Sketch(document=make_document(html, url=url), navigation=navigation)


def test_text_is_folded() -> None:
    """Quotation marks, capitals and white space make no difference."""
    assert fold("We’ll\u00a0be  BACK…") == "we'll be back..."


def test_phrases_begin_at_words_where_there_are_words() -> None:
    """Latin, Greek and Cyrillic words have beginnings; Chinese and Japanese ones are found anywhere."""
    assert phrases("parked").search("is parked") is not None
    assert phrases("parked").search("unparked") is None
    assert phrases("(?:维护|維護)中").search("网站正在维护中") is not None


@pytest.mark.parametrize(
    ("path", "title", "named", "otherwise"),
    [
        ("/shows/river", "The river in winter", True, False),
        ("/lock_screen.html", "Lock screen", True, False),
        ("/lock_screen.html", "Lock it", False, False),
        ("/%D1%80%D0%B5%D0%BA%D0%B0", "Река", True, False),
        ("/shows/river", "Closed", False, True),
        ("/shows/river?p=1", "Closed", False, True),
        ("/shows/471190", "Closed", False, False),
        ("/a/7/", "Closed", False, False),
        ("/", "x", False, False),
    ],
)
def test_a_title_in_the_words_of_the_address(path: str, title: str, *, named: bool, otherwise: bool) -> None:
    """The page has the name that the address promises, another one, or no one can tell."""
    page = make_sketch(f"<title>x</title><h1>{title}</h1>", url=f"https://www.kestrelford.example{path}")

    assert (page.is_named_by_address, page.is_named_otherwise) == (named, otherwise)


@pytest.mark.parametrize(
    "text", ["unparked 维护中 sold", "is parked", "x维护中", "unsold parkeds", "the sold 停放", "resold"]
)
def test_phrases_of_several_scripts_each_begin_as_their_own_does(text: str) -> None:
    """Neighbors that share the test for the start of a word lend it to no phrase of another script."""
    several = ("parked", "sold|bought", "维护中", "停放", "the")
    alone = {match.span() for one in several if (match := phrases(one).search(text))}

    assert (phrases(*several).search(text) is not None) == bool(alone)
    assert phrases(*several).found_in(text) == len(alone)


@pytest.mark.parametrize(
    ("asked", "elsewhere"),
    [
        ("http://x.example/a?b=1", False),
        ("https://www.x.example/A?b=1", False),
        ("https://www.x.example/c", True),
        ("https://y.example/a?b=1", True),
    ],
)
def test_answer_elsewhere(asked: str, *, elsewhere: bool) -> None:
    """Scheme, www and capital letters do not count; the path and the site do."""
    assert make_sketch("<p>x", asked=asked).is_elsewhere is elsewhere


def test_title_is_compared_as_a_whole_and_in_parts() -> None:
    """A phrase inside a longer sentence is no part."""
    sketch = make_sketch("<title>Page not found - Otterline | Tents</title>")

    assert sketch.title_parts == ("page not found - otterline | tents", "page not found", "otterline", "tents")


def test_text_is_bounded() -> None:
    """Text beyond the limit is not searched."""
    assert len(make_sketch("<p>" + "a " * MAX_TEXT).text) < MAX_TEXT


@pytest.mark.parametrize(("words", "kind"), [(MAX_WORDS + 1, None), (3, "suspended_account")])
def test_long_pages_are_no_notices(words: int, kind: str | None) -> None:
    """Nothing is searched in them."""
    notice = "<title>Account suspended</title><h1>Account suspended</h1><p>Contact your hosting provider.</p>"

    assert kind_of(notice + "<p>" + "more " * words) == kind


@pytest.mark.parametrize(
    "phrase",
    ["domain is ", "this site is under ", "please verify you are ", "page you are looking for ", "account site "],
)
def test_hostile_text_costs_linear_time(phrase: str) -> None:
    """A page made of the beginnings of phrases takes linear time."""
    url = "https://x.example/"
    pages = {n: f"<title>x</title><script src=/a.js></script><p>{phrase * n}" for n in (1_500, 3_000, 6_000)}
    navigations = {n: Navigation(requested_url=url, response=make_response(html, url=url)) for n, html in pages.items()}
    documents = {n: make_document(html, url=url) for n, html in pages.items()}
    for document in documents.values():
        document.word_count = document.main_word_count = 50

    assert growth(lambda n: recognize_page_kind(navigations[n], documents[n]), 1_500) <= MAX_RATIO


@pytest.mark.parametrize(
    ("html", "places"),
    [
        (
            "<html lang=en><head><title>Holm</title><script src=/js/main.1a2b3c4d.js defer></script></head><body><div id=app><h1>Holm Furniture</h1><p>Tables and chairs made of oak in a small workshop by the sea.</p><a href=/shop>Shop</a></div></body></html>",
            {},
        ),
        (
            "<html><head><title>Log in</title><script src=/app.js></script></head><body><div id=root><h1>Log in</h1><form><input name=u aria-label=User><input type=password aria-label=Password></form></div></body></html>",
            {"url": "https://x.example/login"},
        ),
        (
            site(
                "Scheduled maintenance on Sunday",
                "<h1>Scheduled maintenance on Sunday</h1><p>Our API will be under maintenance from 2 to 4.</p>"
                + words(60),
            ),
            {"url": "https://x.example/blog/m"},
        ),
        (
            site(
                "Website maintenance services",
                "<h1>Website maintenance</h1><p>We keep your site up to date.</p><h2>Plans</h2>" + words(60),
            ),
            {"url": "https://x.example/services"},
        ),
        (site("How to sell a domain", "<h1>How to sell a domain</h1>" + words(150)), {"url": "https://x.example/sell"}),
        (
            site("Contact", "<h1>Contact</h1><p>Call us on 0123. We are closed for maintenance on Mondays.</p>"),
            {"url": "https://x.example/contact"},
        ),
        (
            site(
                "Suspended accounts",
                "<h1>Suspended accounts</h1><p>An account is suspended when invoices are not paid. Contact support to restore it.</p>"
                + words(60),
            ),
            {"url": "https://x.example/help/suspended"},
        ),
        (
            site(
                "Install nginx on Debian",
                "<h1>Install nginx</h1><p>Open the address: if you see the page Welcome to nginx!, it is working.</p><pre>apt install nginx</pre>"
                + words(60),
            ),
            {"url": "https://x.example/docs/nginx"},
        ),
        (
            "<html lang=en><head><title>Oak table | Holm</title></head><body><div role=dialog><h2>We value your privacy</h2><p>We and our partners use cookies to store information on your device for personalised ads.</p><button>Accept all</button></div><h1>Oak table</h1><p>A table made of oak with a natural finish that seats six people comfortably.</p><p>Price 900. Delivered in four weeks to your door.</p><h2>Details</h2><p>Made in our workshop by the sea.</p></body></html>",
            {"url": "https://holm.example/oak"},
        ),
        (site("Welcome", "<h1>Welcome to Holm brewery</h1><p>Beer since 1890.</p>"), {}),
        (
            "<html lang=en><title>Ida Holm</title><h1>Ida Holm</h1><p>Engineer. I will be back soon from my journeys.</p><a href=mailto:x>Mail</a></html>",
            {},
        ),
    ],
)
def test_small_pages_of_their_own_are_graded(html: str, places: dict[str, str]) -> None:
    """They share a word or a form with notices, and are none."""
    assert kind_of(html, url=places.get("url", "https://otterline.example/"), asked=places.get("asked")) is None
