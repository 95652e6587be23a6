"""Content of a page, and additions that give it none."""

from __future__ import annotations

import pytest

from pagegrade.parse.page_content import (
    MAX_ELEMENTS,
    attributes_in,
    form_of,
    frames,
    own_links,
    pictures,
    texts_of,
    usable_controls,
    words_in,
)
from tests.builders import make_document

URL = "https://www.example.com/a"


@pytest.mark.parametrize(
    ("links", "count"),
    [
        ("<a href=/b>b</a><a href=/b#c>c</a><a href=//shop.example.com/>d</a>", 2),
        ("<a href=/a>a</a><a href=#b>b</a>", 0),
        ("<a href=https://other.example/>x</a><a href=mailto:a@example.com>x</a>", 0),
        ("<a href=/b></a><div hidden><a href=/c>c</a></div>", 0),
    ],
)
def test_own_links(links: str, count: int) -> None:
    """Different pages of the site, by visible links with a name."""
    assert own_links(make_document(links, url=URL)) == count


@pytest.mark.parametrize(
    ("fields", "count"),
    [
        ("<input aria-label=a><form action=/b><input aria-label=b></form>", 2),
        ("<input><input aria-label=a hidden>", 0),
        ("<form action=https://other.example/><input aria-label=a></form><input aria-label=b>", 1),
    ],
)
def test_usable_controls(fields: str, count: int) -> None:
    """Fields with a name that send to the own site."""
    assert len(usable_controls(make_document(fields, url=URL))) == count


def test_form_of_a_field() -> None:
    """The nearest around it, or none."""
    inside, outside = make_document("<form id=f><p><input name=a></p></form><input name=b>").controls
    form = form_of(inside)

    assert form is not None
    assert form.tag == "form"
    assert form_of(outside) is None


@pytest.mark.parametrize(
    ("size", "count"),
    [
        ("", 1),
        ("width=300 height=200", 1),
        ("width=100%", 1),
        ("width=10 height=10", 0),
        ("width=1px", 0),
        ("hidden", 0),
    ],
)
def test_tiny_pictures_and_frames_show_nothing(size: str, count: int) -> None:
    """Pixels of counters and signs; a size that is not declared is unknown."""
    document = make_document(f"<img src=/a.png alt=a {size}><iframe src=/b title=b {size}></iframe>", url=URL)

    assert (len(pictures(document)), len(frames(document))) == (count, count)


def test_words_in_an_element() -> None:
    """Those of all that is in it; what is no element has none."""
    form = make_document("<form>ერთი <b>ორი</b> სამი</form>").forms[0]

    assert (words_in(form.node), words_in(None)) == (3, 0)


def test_attributes_in_a_form() -> None:
    """Of as many elements as are looked at, and not of one behind them."""
    for before, count in ((MAX_ELEMENTS - 1, 1), (MAX_ELEMENTS, 0)):
        document = make_document(f"<form id=f>{'<br>' * before}<input name=x></form>")
        assert [value for _, value in attributes_in(document.forms[0].node)] == ["x"] * count


def test_texts_of_elements() -> None:
    """Each by its name, and nothing in a page without a body."""
    document = make_document("<pre>列表</pre><p>x</p><code>код</code>")

    assert list(texts_of(document, "pre", "code")) == ["列表", "код"]
