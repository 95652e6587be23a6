"""Lists, items and tables are noted for later."""

from __future__ import annotations

from turbohtml import parse

from pagegrade.parse.html.collect import Collector
from pagegrade.parse.html.walk import walk


def collected(html: str) -> Collector:
    """The elements that one walk sets aside."""
    into = Collector("https://example.com/")
    root = parse(html.encode(), scripting=True).root
    assert root is not None
    walk(root, into)
    return into


def test_ordinary_items_are_not_noted() -> None:
    """There are many, and nothing is unusual about them."""
    parts = collected("<ul><li>x</ul><menu><li>x</menu><dl><dt>a<dd>b</dl>").parts

    assert (len(parts.lists), len(parts.list_items)) == (3, 0)


def test_items_in_unusual_places_are_noted() -> None:
    """Outside of a list, in one with a role, or in a group."""
    parts = collected("<div><li>x</div><ul role=menu><li>y</ul><dl><div><dt>a<dd>b</div></dl>").parts

    assert [node.tag for node, _, _ in parts.list_items] == ["li", "li", "dt", "dd"]


def test_tables_are_noted_with_their_attributes() -> None:
    """The cells are looked at later."""
    (table,) = collected("<table role=none><tr><td>x</table>").parts.tables

    assert table[1] == {"role": "none"}
