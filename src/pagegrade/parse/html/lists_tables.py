"""Lists and tables as assistive technology sees them.

Sources: https://html.spec.whatwg.org/multipage/grouping-content.html and
https://html.spec.whatwg.org/multipage/tables.html#forming-a-table
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from turbohtml import Element, Text

from pagegrade.model.accessibility import Cell, ListFact, TableFact
from pagegrade.model.document import ElementFact, Node
from pagegrade.parse.aria.implicit import conflict_of_presentation
from pagegrade.parse.aria.parts import Touched
from pagegrade.parse.aria.roles import first_role
from pagegrade.parse.aria.subtree_flags import HIDDEN
from pagegrade.parse.cascade.visibility import Visibility
from pagegrade.parse.html.accessible_names import is_hidden

MAX_CELLS: Final = 20_000
"""Cells read of all tables together."""
MAX_SPAN: Final = 200
"""Rows or columns that one cell reaches over; browsers go further, tables for people do not."""
MAX_COLUMNS: Final = 400
"""Further right, cells that reach down are not looked after."""
MAX_INSIDE_CELL: Final = 100
"""Nodes of a cell that are looked at; more are content."""
_SUPPORT: Final = frozenset({"script", "template", "style", "noscript", "link", "meta", "base", "slot"})
"""Elements that show nothing of their own; some conform anywhere, the others are harmless."""
_LISTS: Final = frozenset({"ul", "ol", "menu"})
_NOTHING: Final = frozenset({"none", "presentation"})
_LIST_ROLES: Final = frozenset({"directory", "list"})
"""Browsers make a list of both; the first is deprecated."""
_HEADER_ROLES: Final = frozenset({"columnheader", "rowheader"})
_SHOWN: Final = frozenset({"audio", "canvas", "iframe", "img", "input", "object", "select", "svg", "textarea", "video"})
_NO_ATTRIBUTES: Final[Mapping[str, str]] = {}
_TABLE_ROLES: Final = frozenset({"table", "grid", "treegrid"})


def list_fact(part: Touched, visibility: Visibility) -> ListFact | None:
    """A list with what does not belong in it; ``None`` for one without, hidden, or with a role that says more."""
    node, attrs, flags = part
    if flags & HIDDEN or ("role" in attrs and first_role(attrs["role"])):
        return None
    strays: list[tuple[Node, str]] = []
    if node.tag == "dl":
        _description_strays(node, strays, visibility)
    else:
        for child in node:
            if isinstance(child, Element):
                if child.tag == "li" and "role" not in child.attrs:
                    continue
                if child.tag in _SUPPORT or is_hidden(child, visibility) or _is_hidden_field(child):
                    continue
                role = first_role(str(child.attrs.get("role") or ""))
                if role != "listitem" and not (child.tag == "li" and not role):
                    strays.append((child, f"{_called(child.tag, role)} directly in a list"))
            elif isinstance(child, Text) and child.data.strip():
                strays.append((node, "text directly in a list"))
                break
    return ListFact(node=node, attrs=attrs, strays=tuple(strays)) if strays else None


def _is_hidden_field(node: Element) -> bool:
    return node.tag == "input" and str(node.attrs.get("type") or "").lower() == "hidden"


def _called(tag: str, role: str) -> str:
    return f"<{tag}> with the role {role}" if role else f"<{tag}>"


def _description_strays(node: Element, strays: list[tuple[Node, str]], visibility: Visibility) -> None:
    """A description list holds terms and their descriptions, alone or in groups."""
    terms = descriptions = pairs = 0
    groups = [iter(node)]
    while groups:
        child = next(groups[-1], None)
        if child is None:
            groups.pop()
        elif isinstance(child, Element):
            tag = child.tag
            if tag in _SUPPORT or is_hidden(child, visibility) or _is_hidden_field(child):
                continue
            role = first_role(str(child.attrs.get("role") or ""))
            if tag == "div" and role in {"", *_NOTHING} and len(groups) == 1:
                groups.append(iter(child))
            elif (tag == "dt" and role in {"", "listitem"}) or role == "term":
                terms += 1
            elif (tag == "dd" and role in {"", "listitem"}) or role == "definition":
                descriptions += 1
                pairs += terms > 0
            else:
                strays.append((child, f"{_called(tag, role)} directly in a description list"))
        elif isinstance(child, Text) and child.data.strip():
            strays.append((node, "text directly in a description list"))
            return
    if (terms or descriptions) and not pairs:
        strays.append((node, "no term with a description after it"))


def stray_item(part: Touched) -> tuple[ElementFact, str] | None:
    """An item and why its surroundings make no list of it; ``None`` when they do."""
    node, attrs, flags = part
    if flags & HIDDEN or first_role(attrs.get("role", "")):
        return None
    parent = node.parent
    if (
        node.tag != "li"
        and isinstance(parent, Element)
        and parent.tag == "div"
        and first_role(str(parent.attrs.get("role") or "")) in {"", *_NOTHING}
    ):
        parent = parent.parent
    if not isinstance(parent, Element):
        # The root of nothing: what is around it is not known.
        return None
    if "-" in parent.tag:
        # An element that a script defines: it may give itself the role of a list, or put its content into one.
        return None
    role = first_role(str(parent.attrs.get("role") or ""))
    if role in _LIST_ROLES or role in _NOTHING or (not role and parent.tag == "slot"):
        return None
    wanted = _LISTS if node.tag == "li" else frozenset({"dl"})
    if parent.tag in wanted:
        if not role:
            return None
        return ElementFact(node=node, attrs=attrs), f"its list has the role {role}"
    return ElementFact(node=node, attrs=attrs), f"stands in <{parent.tag}>, not in a list"


class Tables:
    """Reads the tables of one document within one budget of cells."""

    def __init__(self, visibility: Visibility) -> None:
        self._visibility = visibility
        self._left = MAX_CELLS

    def fact(self, part: Touched) -> TableFact | None:
        """Return the facts of one table; ``None`` for one that is hidden, marked as layout, or beyond the budget."""
        node, attrs, flags = part
        role = first_role(attrs.get("role", ""))
        if role in _NOTHING and conflict_of_presentation(node.tag, attrs):
            role = ""
        if flags & HIDDEN or (role and role not in _TABLE_ROLES) or self._left <= 0:
            return None
        caption: str | None = None
        head = nested = False
        rows: list[Element] = []
        for child in node:
            if not isinstance(child, Element):
                continue
            if child.tag == "caption" and caption is None:
                caption = " ".join(child.text[:2_000].split())
            elif child.tag in {"tbody", "thead", "tfoot"}:
                head = head or child.tag != "tbody"
                rows += [row for row in child if isinstance(row, Element) and row.tag == "tr"]
            elif child.tag == "tr":
                rows.append(child)
        cells, width = self._cells(rows)
        nested = node.find("table") is not None
        return TableFact(
            node=node,
            attrs=attrs,
            cells=tuple(cells),
            row_count=len(rows),
            column_count=width,
            caption=caption,
            head=head,
            nested=nested,
        )

    def _cells(self, rows: list[Element]) -> tuple[list[Cell], int]:
        """The cells with their places; a cell that reaches down pushes those below it to the right."""
        cells: list[Cell] = []
        width = 0
        reach: dict[int, int] = {}
        """Column -> rows it is still taken for by a cell from above."""
        for number, row in enumerate(rows):
            column = 0
            taken = {place: left - 1 for place, left in reach.items() if left > 1}
            for child in row:
                if not isinstance(child, Element) or child.tag not in {"td", "th"}:
                    continue
                self._left -= 1
                if self._left <= 0:
                    return cells, width
                while reach.get(column, 0) > 0:
                    column += 1
                attrs = child.attrs or _NO_ATTRIBUTES
                columns = _span(attrs.get("colspan"))
                height = min(_span(attrs.get("rowspan"), zero=True) or len(rows), len(rows) - number, MAX_SPAN)
                role = first_role(str(attrs["role"] or "")) if "role" in attrs else ""
                scope = attrs.get("scope")
                cells.append(
                    Cell(
                        node=child,
                        tag=child.tag,
                        id=str(attrs.get("id") or ""),
                        scope=None if "scope" not in attrs else str(scope or "").lower(),
                        headers=tuple((child.attr("headers") or "").split()) if "headers" in attrs else (),
                        is_header=role in _HEADER_ROLES or (child.tag == "th" and not role),
                        hidden=is_hidden(child, self._visibility),
                        row=number,
                        column=column,
                        rows=height,
                        columns=columns,
                    ),
                )
                if height > 1:
                    for place in range(column, min(column + columns, MAX_COLUMNS)):
                        taken[place] = height - 1
                column += columns
            width = max(width, column)
            reach = taken
        return cells, width


def has_content(cell: Cell) -> bool:
    """Return whether a cell holds text or other visible content; only its first nodes are searched."""
    node = cell.node
    if not isinstance(node, Element):
        return False
    for number, inside in enumerate(node.descendants):
        if number >= MAX_INSIDE_CELL:
            return True
        if isinstance(inside, Text):
            if inside.data.strip():
                return True
        elif isinstance(inside, Element) and inside.tag in _SHOWN:
            return True
    return False


def is_empty(cell: Cell) -> bool:
    """Return whether a cell holds no element and no text, and has no label either: it heads nothing.

    Source: https://html.spec.whatwg.org/multipage/tables.html#empty-cell
    """
    node = cell.node
    if not isinstance(node, Element) or has_label(cell):
        return False
    return not any(isinstance(one, Element) or (isinstance(one, Text) and one.data.strip()) for one in node)


def has_label(cell: Cell) -> bool:
    """Return whether a cell brings a name of its own."""
    node = cell.node
    return isinstance(node, Element) and not {"aria-label", "aria-labelledby"}.isdisjoint(node.attrs)


def _span(value: object, *, zero: bool = False) -> int:
    text = str(value).strip() if value is not None else ""
    if not text.isascii() or not text.isdecimal() or len(text) > 6:
        return 1
    number = int(text)
    return min(number, MAX_SPAN) if number or zero else 1
