from __future__ import annotations

import pytest

from pagegrade.parse.html.exposed_secrets import ExposedSecret, find_exposed_secrets, masked_text
from tests.builders import make_document

KEY = "gsk_" + "kW9qLmT7vXz2RcN5pHdQ8fJ4sUaGyE1oBbVtMhZiYx3KwP6nCgDj"
MASKED = "gsk_kW9q…Dj"


def exposed(page: str) -> tuple[ExposedSecret, ...]:
    """The keys of a page."""
    return find_exposed_secrets(make_document(page), page.encode())


@pytest.mark.parametrize(
    ("page", "tag"),
    [
        (f"<script>a('{KEY}')</script>", "script"),
        (f'<script type=application/json>{{"a":"{KEY}"}}</script>', "script"),
        (f"<div data-key={KEY}></div>", "div"),
        (f"<p>Our key is {KEY}.", "p"),
        (f"<div><!-- {KEY} --></div>", "div"),
        (f"<a href='/a?key={KEY}'>x</a>", "a"),
        (f"<b class='a {KEY}'>x</b>", "b"),
        (f"<code data-key={KEY}>x</code>", "code"),
    ],
)
def test_element_that_holds_it_is_known(page: str, tag: str) -> None:
    """In a text, an attribute or a comment."""
    (found,) = exposed(page)

    assert found.node is not None
    assert (found.kind, found.masked, found.node.tag) == ("Groq key", MASKED, tag)


@pytest.mark.parametrize("tag", ["pre", "code", "samp", "kbd", "textarea", "blockquote"])
def test_examples_of_a_page_about_keys_are_left_out(tag: str) -> None:
    """Also their copies in the data of scripts."""
    assert exposed(f"<{tag}>export KEY=<b>{KEY}</b></{tag}>") == exposed(f"<{tag}>{KEY}</{tag}>") == ()
    assert exposed(f"<script>data = '{KEY}'</script><{tag}>{KEY}</{tag}>") == ()


def test_line_is_known_without_an_element() -> None:
    """A comment outside of the root element."""
    (found,) = exposed(f"<!doctype html>\n\n<!-- {KEY} --><title>x</title>")

    assert (found.node, found.line) == (None, 3)


def test_page_without_keys_has_none() -> None:
    """Most pages."""
    assert exposed("<p>Oak.") == ()


def test_text_is_masked() -> None:
    """Each time it occurs, and the key is not part of a printed value."""
    secrets = exposed(f"<script>a('{KEY}')</script>")

    assert masked_text(f"a {KEY} b {KEY}", secrets) == f"a {MASKED} b {MASKED}"
    assert masked_text("a", secrets) == "a"
    assert KEY not in repr(secrets)


def test_highlighted_code_and_hints_are_examples() -> None:
    """A key that is cut into coloured pieces, or stands in an empty field, is shown and not used."""
    pieces = f"<span>{KEY[:9]}</span><b>{KEY[9:]}</b>"

    assert exposed(f"<pre><code>key = {pieces}</code></pre><script>data = '{KEY}'</script>") == ()
    assert exposed(f'<input placeholder="{KEY}">') == ()
    assert len(exposed(f'<input value="{KEY}">')) == 1
