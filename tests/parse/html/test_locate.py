"""Evidence: selectors that find the element again, snippets that are short."""

from __future__ import annotations

import pytest
import turbohtml
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.html.locate import MAX_SNIPPET, locate, snippet


def first(html: str, tag: str) -> turbohtml.Element:
    """The first element of that tag."""
    return next(iter(turbohtml.parse(html).iter_elements(tag)))


@pytest.mark.parametrize(
    ("html", "tag", "shown"),
    [
        ("<p>one</p>", "p", "<p>one</p>"),
        ("<p>one <b>two</b></p>", "p", "<p>"),
        ("<img src=a alt=''>", "img", '<img src="a" alt>'),
        ("<a title='say \"hi\"'>x</a>", "a", "<a title='say \"hi\"'>x</a>"),
        ("<a title='it&#39;s \"new\"'>x</a>", "a", '<a title="it\'s &quot;new&quot;">x</a>'),
        ("<script>var secret = 1</script>", "script", "<script>"),
        ("<p class='a  b'>x</p>", "p", '<p class="a b">x</p>'),
    ],
)
def test_snippet_is_the_start_tag_and_short_text(html: str, tag: str, shown: str) -> None:
    """A person recognizes the element by it, and nothing of its content is shown."""
    assert snippet(first(html, tag)) == shown


@given(st.integers(0, 500), st.integers(0, 500))
def test_snippet_is_bounded(attribute: int, text: int) -> None:
    """Never longer than the limit, whatever the element carries."""
    element = first(f"<p title='{'x' * attribute}' lang='{'y' * attribute}'>{'z' * text}</p>", "p")

    assert len(snippet(element)) <= MAX_SNIPPET


def test_very_deep_element_has_no_selector_but_a_line() -> None:
    """A selector as deep as a bomb would cost as much as one."""
    evidence = locate(first("<div>" * 250 + "\n<p>x", "p"))

    assert evidence.selector == ""
    assert evidence.line == 2


@given(st.text(alphabet="ab:./[]#\\ 0é-_", min_size=1, max_size=8))
def test_selector_finds_exactly_the_element(name: str) -> None:
    """Ids and classes with every kind of character are escaped or left out."""
    html = f"<div id='{name}'><p class='{name}'>x</p><p>y</p></div><p>z</p>"
    tree = turbohtml.parse(html)
    for element in tree.iter_elements("p"):
        assert tree.select(locate(element).selector) == [element]
