"""Roles of HTML elements, focus, and conflicts."""

from __future__ import annotations

import pytest
from turbohtml import Element, parse

from pagegrade.parse.aria.implicit import (
    conflict_of_presentation,
    has_tabindex,
    implicit_role,
    inherits_nothing,
    input_type,
    is_focusable,
    keeps_role,
    role_of,
    supports,
    tabindex_of,
)


def element(html: str) -> tuple[Element, dict[str, str]]:
    """The element with the id ``t``."""
    node = parse(html.encode(), scripting=True).select("#t")[0]
    return node, {name: value if isinstance(value, str) else "" for name, value in node.attrs.items()}


@pytest.mark.parametrize(
    ("html", "role"),
    [
        ("<a id=t href=/>", "link"),
        ("<a id=t>", "generic"),
        ("<img id=t>", "img"),
        ("<img id=t alt=''>", "presentation"),
        ("<img id=t alt='' title=x>", "presentation"),
        ("<input id=t>", "textbox"),
        ("<input id=t type=foo>", "textbox"),
        ("<input id=t type=email list=l>", "combobox"),
        ("<input id=t type=SEARCH>", "searchbox"),
        ("<input id=t type=image>", "button"),
        ("<input id=t type=date>", ""),
        ("<input id=t type=checkbox list=l>", "checkbox"),
        ("<select id=t>", "combobox"),
        ("<select id=t multiple>", "listbox"),
        ("<select id=t size=3>", "listbox"),
        ("<section id=t>", "generic"),
        ("<section id=t aria-label=x>", "region"),
        ("<section id=t aria-labelledby=x>", "region"),
        ("<section id=t title=x>", "region"),
        ("<section id=t title='' aria-label=' '>", "generic"),
        ("<aside id=t>", "complementary"),
        ("<main><aside id=t></main>", "complementary"),
        ("<section><aside id=t></section>", "generic"),
        ("<nav><div><aside id=t title=' '></div></nav>", "generic"),
        ("<aside><aside id=t aria-label=x></aside>", "complementary"),
        ("<article><div role=note><aside id=t title=x></div></article>", "complementary"),
        ("<header id=t>", "banner"),
        ("<main><header id=t></main>", "generic"),
        ("<footer id=t>", "contentinfo"),
        ("<article><footer id=t></article>", "generic"),
        ("<table><tr><th id=t>", "columnheader"),
        ("<table><tr><th id=t scope=row>", "rowheader"),
        ("<table><tr><th id=t><td>1", "rowheader"),
        ("<table><tr><td>1<th id=t scope=nonsense>", "rowheader"),
        ("<table><tr><th id=t scope=COL><td>1", "columnheader"),
        ("<table><tr><th id=t><th>x<tr><th>y<td>1", "columnheader"),
        ("<summary id=t>", ""),
        ("<my-card id=t>", ""),
        ("<div id=t>", "generic"),
        ("<table><tr><td id=t>", "cell"),
        ("<table role='x GRID'><tr><td id=t>", "gridcell"),
        ("<table role=none><tr><td id=t>", "cell"),
        ("<dl><dt id=t></dl>", "term"),
        ("<dl><dd id=t></dl>", "definition"),
        ("<mark id=t>", "mark"),
        ("<img id=t alt='' aria-label=x>", "img"),
    ],
)
def test_elements_have_the_roles_of_the_mapping(html: str, role: str) -> None:
    """Attributes and surroundings decide for some."""
    assert implicit_role(*element(html)) == role


@pytest.mark.parametrize(
    ("html", "role"),
    [
        ("<p id=t role='foo button'>", "button"),
        ("<p id=t role=foo>", "paragraph"),
        ("<ul id=t role=none>", "none"),
        ("<ul id=t role=none aria-label=x>", "list"),
        ("<ul id=t role=none aria-hidden=true>", "none"),
        ("<button id=t role=presentation>", "button"),
        ("<button id=t role=presentation disabled>", "presentation"),
        ("<p id=t role=none tabindex=0>", "paragraph"),
    ],
)
def test_written_role_counts_unless_it_contradicts(html: str, role: str) -> None:
    """The focus and global attributes overrule ``none``."""
    assert role_of(*element(html)) == role


@pytest.mark.parametrize(
    ("tag", "attrs", "focusable"),
    [
        ("a", {"href": ""}, True),
        ("a", {}, False),
        ("input", {"type": "hidden"}, False),
        ("input", {"disabled": ""}, False),
        ("button", {"disabled": "", "tabindex": "0"}, False),
        ("p", {"tabindex": "-1"}, True),
        ("p", {"tabindex": "x"}, False),
        ("p", {"contenteditable": ""}, True),
        ("p", {"contenteditable": "false"}, False),
        ("video", {"controls": ""}, True),
        ("video", {}, False),
    ],
)
def test_focus(tag: str, attrs: dict[str, str], focusable: bool) -> None:  # noqa: FBT001
    """As browsers give it, stylesheets left aside."""
    assert is_focusable(tag, attrs) is focusable


@pytest.mark.parametrize(
    ("value", "number"),
    [("0", 0), (" -1", -1), ("+2", 2), ("3foo", 3), ("", None), ("x", None), ("-", None), ("9" * 30, 999_999_999)],
)
def test_tabindex_is_read_as_browsers_read_numbers(value: str, number: int | None) -> None:
    """The characters after the digits do not matter."""
    assert tabindex_of({"tabindex": value}) == number
    assert has_tabindex({"tabindex": value}) is (number is not None)


def test_conflicts_name_their_cause() -> None:
    """An empty attribute says nothing."""
    assert conflict_of_presentation("ul", {"aria-live": "polite"}) == "aria-live"
    assert conflict_of_presentation("ul", {"aria-live": " "}) == ""
    assert conflict_of_presentation("ul", {"tabindex": "0"}) == "focus"
    assert conflict_of_presentation("iframe", {}) == ""
    assert conflict_of_presentation("iframe", {"tabindex": "0"}) == "focus"


@pytest.mark.parametrize(
    ("tag", "attrs", "kept"),
    [
        ("button", {}, True),
        ("button", {"disabled": ""}, False),
        ("h2", {"tabindex": "-1"}, True),
        ("h2", {"aria-label": ""}, True),
        ("h2", {"aria-hidden": "false"}, False),
        ("h2", {"aria-checked": "true"}, False),
        ("h2", {}, False),
    ],
)
def test_role_of_nothing_does_not_hold_for_what_takes_the_focus_or_is_labelled(
    tag: str,
    attrs: dict[str, str],
    kept: bool,  # noqa: FBT001
) -> None:
    """An attribute of ARIA that is empty is reason enough, one that is not global is not."""
    assert keeps_role(tag, attrs) is kept


def test_roles_support_their_attributes_and_the_global_ones() -> None:
    """A role that does not exist supports the global ones."""
    assert supports("checkbox", "aria-checked")
    assert supports("", "aria-live")
    assert not supports("link", "aria-checked")
    assert not supports("", "aria-checked")


def test_type_of_an_input_is_text_unless_it_says_otherwise() -> None:
    """Blank and absent are text."""
    assert [input_type({}), input_type({"type": " "}), input_type({"type": "Radio "})] == ["text", "text", "radio"]


@pytest.mark.parametrize(
    ("html", "lost"),
    [
        ("<ul role=none><li id=t></ul>", True),
        ("<ul><li id=t></ul>", False),
        ("<ul role=list><li id=t></ul>", False),
        ("<ul role=none><li id=t role=listitem></ul>", False),
        ("<table role=presentation><tr id=t></table>", True),
        ("<table role='x none'><tr><td><table><tr id=t></table></table>", False),
        ("<ul role=none><li><p id=t></ul>", False),
    ],
)
def test_parts_of_what_is_presentation_are_presentation(html: str, lost: bool) -> None:  # noqa: FBT001
    """Unless a role is written on them."""
    node, attrs = element(html)

    assert inherits_nothing(node, role_of(node, attrs)) is lost
