"""Headings below which the text is missing that an element was made for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final

from turbohtml import Element, Text

from pagegrade.model.document import Document, Heading

MIN_EMPTY_SECTIONS: Final = 4
MOST_EMPTY_SECTIONS: Final = 2 / 3
"""Headings with nothing below them, and their share of all in the main content, from which on its text is missing."""
MAX_SECTIONS: Final = 100
MAX_STEPS: Final = 60
"""Elements and texts looked at behind a heading: an empty section has few."""
_LEVELS: Final = frozenset({"h2", "h3", "h4"})
_AROUND: Final = "a, aside, button, dialog, fieldset, figure, footer, form, li, nav, summary, td, th, [role=tab]"
_HOLDERS: Final = frozenset({"dd", "dl", "ol", "p", "table", "tbody", "ul"})
_FOR_TEXT: Final = re.compile(
    r"(?:^|[-_\s])(?:text|content|body|desc|description|copy|prose|entry|answer|rich-?text|wysiwyg|bio|details?|editor)"
    r"(?=$|[-_\s])",
    re.IGNORECASE,
)
"""In the classes of elements for a text, which are English in sites of all languages."""
_FILLED: Final = re.compile(r"data-|hx-|v-|x-|ng-|aria-(?:busy|live|controls|expanded)|id$|hidden$|on")
"""Names of attributes by which a script finds an element to fill."""
_NO_SECTION: Final = frozenset({"script", "style", "template", "noscript", "br", "wbr"})
_PARTS: Final = frozenset({"article", "div", "dt", "li", "section", "span", "td", "th", "thead", "tr"})


def find_empty_sections(document: Document) -> tuple[Heading, ...]:
    """Headings below which an element for the text has none, where they are most of the main content's headings.

    A section is empty if nothing stands between its heading and the next one but elements without a text, and one of
    them is for texts, by its tag or its class, with nothing by which a script would find it. Empty where fewer than
    ``MIN_EMPTY_SECTIONS`` are, or less than ``MOST_EMPTY_SECTIONS`` of all. Linear.
    """
    shown = [one for one in document.headings[:MAX_SECTIONS] if not one.hidden and one.text]
    if len(shown) < MIN_EMPTY_SECTIONS:
        return ()
    sections = [
        one
        for one in shown
        if isinstance(one.node, Element) and one.node.tag in _LEVELS and one.node.closest(_AROUND) is None
    ]
    if len(sections) < MIN_EMPTY_SECTIONS:
        return ()
    names = {one.node for one in document.headings}
    empty: list[Heading] = []
    parents = 0
    for left, one in enumerate(sections):
        kind = _kind(one.node, names)
        parents += kind == "parent"
        if kind == "empty":
            empty.append(one)
        if len(empty) + len(sections) - left - 1 < MIN_EMPTY_SECTIONS:
            return ()
    is_most = len(empty) >= max(MIN_EMPTY_SECTIONS, MOST_EMPTY_SECTIONS * (len(sections) - parents))
    return tuple(empty) if is_most else ()


def _kind(heading: object, names: AbstractSet[object]) -> str:
    """``empty``, ``full``, or ``parent`` where a heading of a lower level follows at once."""
    if not isinstance(heading, Element) or heading.select_one("a, button, img, svg") is not None:
        return "full"
    has_place = False
    for node in islice(_behind(heading), MAX_STEPS):
        if isinstance(node, Text):
            if node.data.strip():
                return "full"
        elif isinstance(node, Element):
            if node in names:
                if has_place:
                    return "empty"
                return "parent" if node.tag > heading.tag else "full"
            if node.tag in _HOLDERS:
                has_place = has_place or _is_left_alone(node)
            elif node.tag in _PARTS:
                has_place = has_place or (_is_for_text(node) and _is_left_alone(node))
            elif node.tag in {"aside", "footer", "nav", "main"}:
                break
            elif node.tag not in _NO_SECTION:
                return "full"
    return "empty" if has_place else "full"


def _behind(heading: Element) -> Iterator[object]:
    """Yield elements and texts behind the heading, and none inside of it, up to the end of the main content."""
    node: Element | None = heading
    while isinstance(node, Element) and node.tag not in {"main", "body"}:
        for after in node.next_siblings:
            yield after
            if isinstance(after, Element):
                yield from after.descendants
        node = node.parent if isinstance(node.parent, Element) else None


def _is_for_text(node: Element) -> bool:
    classes = node.attrs.get("class") or ()
    return _FOR_TEXT.search(classes if isinstance(classes, str) else " ".join(classes)) is not None


def _is_left_alone(node: Element) -> bool:
    return not any(_FILLED.match(str(name)) for name in node.attrs)
