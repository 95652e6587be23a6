"""The roles HTML elements have by themselves, and which role counts when another one is written on them.

Sources: https://www.w3.org/TR/html-aam-1.0/#html-element-role-mappings and https://www.w3.org/TR/html-aria/
(Recommendation, read in November 2026).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Final

from turbohtml import Element

from pagegrade.parse.aria.attributes import GLOBAL
from pagegrade.parse.aria.roles import ROLES, first_role

_BY_TAG: Final = {
    **dict.fromkeys("address details fieldset hgroup optgroup".split(), "group"),
    **dict.fromkeys("b bdi bdo body data div i pre q samp small span u".split(), "generic"),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"),
    **dict.fromkeys(("ul", "ol", "menu", "dir"), "list"),
    **dict.fromkeys(("tbody", "tfoot", "thead"), "rowgroup"),
    **dict.fromkeys(("del", "s"), "deletion"),
    **{name: name for name in "article blockquote button caption code dialog figure form main meter option".split()},
    **{name: name for name in "math search table time".split()},
    "datalist": "listbox",
    "dd": "definition",
    "dfn": "term",
    "dt": "term",
    "em": "emphasis",
    "hr": "separator",
    "html": "document",
    "ins": "insertion",
    "li": "listitem",
    "mark": "mark",
    "nav": "navigation",
    "output": "status",
    "p": "paragraph",
    "progress": "progressbar",
    "strong": "strong",
    "sub": "subscript",
    "sup": "superscript",
    "textarea": "textbox",
    "tr": "row",
}
_BY_INPUT_TYPE: Final = {
    **dict.fromkeys(("button", "submit", "reset", "image"), "button"),
    **dict.fromkeys(("hidden", "password", "color", "date", "datetime-local", "file", "month", "time", "week"), ""),
    "checkbox": "checkbox",
    "number": "spinbutton",
    "radio": "radio",
    "range": "slider",
    "search": "searchbox",
}
_WITH_LIST: Final = frozenset({"text", "search", "tel", "url", "email"})
_SECTIONING: Final = "article,aside,nav,section"
_APART: Final = f"{_SECTIONING},main"
_NAMING: Final = ("aria-label", "aria-labelledby", "title")
NATIVELY_FOCUSABLE: Final = frozenset({"button", "input", "select", "textarea", "iframe", "summary"})
ENTERED: Final = frozenset({"audio", "iframe", "video"})
"""The keyboard goes into them, if there is anything inside that takes it, and not to them."""
MAX_DEPTH: Final = 512
"""In a deeper tree ancestors are not searched: that costs the depth each time."""


_TABLE_ROLES: Final = ("rowgroup", "row", "cell", "columnheader", "rowheader")
_WHOLE: Final = {"listitem": frozenset({"menu", "ol", "ul"}), **dict.fromkeys(_TABLE_ROLES, frozenset({"table"}))}
"""Role of a part -> the elements of which it is a part."""
_MAX_CELLS: Final = 100
"""Children of a row among which a cell with data is looked for."""
_LEVELS: Final = 3
"""From a cell to its table: no part of a list or table of HTML stands deeper."""


def input_type(attrs: Mapping[str, str]) -> str:
    """The type of an ``<input>``, lower case."""
    return attrs.get("type", "text").strip().lower() or "text"


def implicit_role(node: Element, attrs: Mapping[str, str]) -> str:
    """The role of an HTML element without ``role``; "" when none corresponds to it.

    A section counts as a region and an aside inside of another part as complementary when an attribute names them; that
    such a name leads to nothing is not seen here.
    """
    tag = node.tag
    match tag:
        case "a" | "area":
            return "link" if "href" in attrs else "generic"
        case "img":
            decorative = attrs.get("alt") == "" and not conflict_of_presentation(tag, attrs)
            return "presentation" if decorative else "img"
        case "input":
            kind = input_type(attrs)
            if "list" in attrs and (kind in _WITH_LIST or kind not in _BY_INPUT_TYPE):
                return "combobox"
            return _BY_INPUT_TYPE.get(kind, "textbox")
        case "select":
            size = attrs.get("size", "").strip()
            several = "multiple" in attrs or (size.isdecimal() and len(size) < 6 and int(size) > 1)
            return "listbox" if several else "combobox"
        case "section":
            return "region" if _is_named(attrs) else "generic"
        case "aside":
            around = node.parent
            inside = isinstance(around, Element) and around.closest(_SECTIONING) is not None
            return "generic" if inside and not _is_named(attrs) else "complementary"
        case "header" | "footer":
            if node.closest(_APART) is not None:
                return "generic"
            return "banner" if tag == "header" else "contentinfo"
        case "td":
            table = node.closest("table")
            written = table.attr("role") if table is not None else None
            return "gridcell" if written and first_role(str(written)) in {"grid", "treegrid"} else "cell"
        case "th":
            return "rowheader" if _heads_row(node, attrs) else "columnheader"
        case _:
            return _BY_TAG.get(tag, "")


def _is_named(attrs: Mapping[str, str]) -> bool:
    return any(name in attrs and attrs[name].strip() for name in _NAMING)


def _heads_row(cell: Element, attrs: Mapping[str, str]) -> bool:
    """Return whether a header says that it is one of its row, or shares the row with data and says nothing."""
    scope = attrs.get("scope", "").strip().lower()
    if scope in {"row", "rowgroup", "col", "colgroup"}:
        return scope in {"row", "rowgroup"}
    row = cell.parent
    return isinstance(row, Element) and any(
        isinstance(child, Element) and child.tag == "td" for child in islice(row, _MAX_CELLS)
    )


def is_focusable(tag: str, attrs: Mapping[str, str]) -> bool:
    """Return whether the element takes the keyboard's focus (also by program only), if it is rendered."""
    if "disabled" in attrs and tag in {"button", "input", "select", "textarea", "fieldset"}:
        return False
    if has_tabindex(attrs):
        return True
    if tag in NATIVELY_FOCUSABLE:
        return tag != "input" or input_type(attrs) != "hidden"
    if tag in {"a", "area"}:
        return "href" in attrs
    if tag in {"audio", "video"}:
        return "controls" in attrs
    return attrs.get("contenteditable", "false").strip().lower() in {"", "true", "plaintext-only"}


def tabindex_of(attrs: Mapping[str, str]) -> int | None:
    """The number a browser reads from ``tabindex``; ``None`` when absent or no number.

    Source: https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#rules-for-parsing-integers
    """
    text = attrs.get("tabindex", "").strip(" \t\n\f\r")
    sign = -1 if text[:1] == "-" else 1
    digits = text[1:] if text[:1] in {"-", "+"} else text
    length = 0
    while length < len(digits) and length < 9 and digits[length] in "0123456789":
        length += 1
    return sign * int(digits[:length]) if length else None


def has_tabindex(attrs: Mapping[str, str]) -> bool:
    """Return whether ``tabindex`` makes the element focusable."""
    return "tabindex" in attrs and tabindex_of(attrs) is not None


def role_of(node: Element, attrs: Mapping[str, str]) -> str:
    """The role a browser gives the element: the first known token, else the native one; "" when there is none.

    A role of ``none`` or ``presentation`` does not hold for an element that takes the focus or has a global attribute
    of ARIA. Source: https://www.w3.org/TR/wai-aria-1.2/#conflict_resolution_presentation_none
    """
    written = attrs.get("role")
    if written:
        role = first_role(written)
        if role in {"none", "presentation"} and conflict_of_presentation(node.tag, attrs):
            role = ""
        if role:
            return role
    return implicit_role(node, attrs)


def conflict_of_presentation(tag: str, attrs: Mapping[str, str]) -> str:
    """Return why a browser ignores ``role=none``: the name of an attribute, ``focus``, or "" if it does not."""
    if is_focusable(tag, attrs) and (tag not in ENTERED or has_tabindex(attrs)):
        return "focus"
    for name, value in attrs.items():
        if name in GLOBAL and name != "aria-hidden" and value and value.strip():
            return name
    return ""


def inherits_nothing(node: Element, role: str) -> bool:
    """Return whether an element of that role has lost it, because the list or table it is part of is mere presentation.

    Source: https://www.w3.org/TR/wai-aria-1.2/#presentation (presentational roles are inherited by required elements).
    """
    wholes = _WHOLE.get(role)
    if wholes is None or node.attr("role"):
        return False
    at: object = node.parent
    for _ in range(_LEVELS):
        if not isinstance(at, Element):
            break
        if at.tag in wholes:
            written = at.attr("role")
            return bool(written) and first_role(str(written)) in {"none", "presentation"}
        at = at.parent
    return False


def keeps_role(tag: str, attrs: Mapping[str, str]) -> bool:
    """Return whether a browser ignores ``role=none``; an empty ARIA attribute is a sufficient reason."""
    return is_focusable(tag, attrs) or any(name in GLOBAL and name != "aria-hidden" for name in attrs)


def supports(role: str, attribute: str) -> bool:
    """Return whether the role supports the attribute (global attributes are supported everywhere)."""
    return attribute in GLOBAL or (role in ROLES and attribute[5:] in ROLES[role].attributes)
