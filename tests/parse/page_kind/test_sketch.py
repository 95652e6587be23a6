"""The facts that all detectors share: folded, bounded, and read in linear time."""

from __future__ import annotations

import time

import pytest

from pagegrade.model.artifacts import Navigation
from pagegrade.parse.page_kind import recognize_page_kind
from pagegrade.parse.page_kind.sketch import MAX_TEXT, MAX_WORDS, Sketch, fold, phrases
from tests.builders import make_document, make_response
from tests.parse.page_kind.pages import kind_of


def make_sketch(html: str, *, url: str = "https://www.x.example/a?b=1", asked: str | None = None) -> Sketch:
    """The sketch of a page."""
    navigation = Navigation(requested_url=asked or url, response=make_response(html, url=url))
    return Sketch(document=make_document(html, url=url), navigation=navigation, probe_title="")


def test_text_is_folded() -> None:
    """Quotation marks, capitals and white space make no difference."""
    assert fold("We’ll\u00a0be  BACK…") == "we'll be back..."


def test_phrases_begin_at_words_where_there_are_words() -> None:
    """Latin, Greek and Cyrillic words have beginnings; Chinese and Japanese ones are found anywhere."""
    assert phrases("parked").search("is parked") is not None
    assert phrases("parked").search("unparked") is None
    assert phrases("(?:维护|維護)中").search("网站正在维护中") is not None


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
    """What stands beyond the limit is not searched."""
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
    """A page made of the beginnings of phrases takes no longer than its bounded length allows."""
    html = "<title>x</title><script src=/a.js></script><p>" + phrase * 6_000
    navigation = Navigation(requested_url="https://x.example/", response=make_response(html, url="https://x.example/"))
    document = make_document(html, url="https://x.example/")
    document.word_count = document.main_word_count = 50
    started = time.process_time()

    recognize_page_kind(navigation, document)

    assert time.process_time() - started < 5
