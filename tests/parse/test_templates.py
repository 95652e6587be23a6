"""Pages of one structure have most values in common, whatever they say."""

from __future__ import annotations

from pagegrade.parse.templates import HASHES, template_of
from tests.builders import make_document

PAGE = (
    "<body><header class=top><nav><ul><li><a href=/>Home</a></ul></nav></header><main class=main><article class=post>"
    "<h1>{0}</h1><p class=lead>{0}</p>{1}<aside class=more><ul>{2}</ul></aside></article></main>"
    "<footer class=foot><p>2026</footer>"
)
OTHER = "<body><div id=app class=shop><table class=grid><tr><td class=cell>{}</table><form><input></form></div>"


def same(one: str, other: str) -> int:
    """Values that two pages have in common."""
    pairs = zip(template_of(make_document(one)), template_of(make_document(other)), strict=True)
    return sum(first == second for first, second in pairs)


def test_pages_of_one_template_agree() -> None:
    """Other words, another number of rows, another generated class."""
    one = PAGE.format("A title", "<div class=css-1x2y3z></div>", "<li>1" * 3)
    other = PAGE.format("Something else", "<div class=css-9q8w7e></div>", "<li>1" * 80)

    assert len(template_of(make_document(one))) == HASHES
    assert same(one, other) >= 12


def test_pages_of_another_structure_do_not() -> None:
    """A few values may agree by chance, and the body always."""
    assert same(PAGE.format("A title", "", "<li>1"), OTHER.format("A title")) < 8


def test_values_have_sixteen_bits() -> None:
    """As they are stored."""
    assert all(0 <= value < 1 << 16 for value in template_of(make_document(OTHER)))
