"""Facts about single elements, asked for few of them, so that the walk does not collect them.

The menu around an element, the citation around a link, the words before it, the text in an element, and parameters of
an embedded object.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from turbohtml import Element, Text

from pagegrade.model.document import Node, Visibility


def is_in_menu(node: Node) -> bool:
    """Return whether navigation is around the element; false for a node that is no element."""
    return isinstance(node, Element) and node.closest("nav,[role=navigation i]") is not None


MAX_CHILDREN: Final = 1_000


def own_text(node: Node) -> str:
    """Text nodes that are children of the element, white space collapsed; "" for a node that is no element."""
    if not isinstance(node, Element):
        return ""
    parts: list[str] = []
    for number, child in enumerate(node):
        if number >= MAX_CHILDREN:
            break
        parts.append(child.data if isinstance(child, Text) else " ")
    return " ".join("".join(parts).split())


MAX_NODES: Final = 300
MAX_CELLS: Final = 2_000
_SILENT: Final = frozenset({"noscript", "script", "select", "style", "svg", "template", "textarea"})
_UNSEEN: Final = frozenset(
    (
        "a11y-hidden assistive-text cdk-visually-hidden element-invisible hidden-visually hide-visually "
        "screen-reader-only screen-reader-text screenreader-only show-for-sr sr-only u-hidden-visually "
        "u-visually-hidden visually-hidden visuallyhidden"
    ).split()
)
"""Classes that hide a text from the eye only, in the frameworks that are used most."""
_SEEN: Final = "button, canvas, i, iframe, img, input, object, select, svg, textarea, video, [class], [style]"
_PICTURED: Final = frozenset({"mat-icon", "material-icons"})
_PICTURED_BEGINNINGS: Final = ("material-icons-", "material-symbols-")
"""Classes of fonts that draw a picture for a word."""


def shown_text(node: Node, visibility: Visibility) -> str | None:
    """Text inside the element that neither style sheets nor well-known classes hide or turn into a picture.

    Returns:
        The text with white space collapsed; ``None`` when the element holds more than ``MAX_NODES`` nodes.
    """
    if not isinstance(node, Element):
        return ""
    parts: list[str] = []
    stack = [iter(node)]
    left = MAX_NODES
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
            continue
        left -= 1
        if not left:
            return None
        if isinstance(child, Text):
            parts.append(child.data)
        elif isinstance(child, Element) and child.tag not in _SILENT and not _is_picture_or_unseen(child, visibility):
            parts.append(" ")
            stack.append(iter(child))
    return " ".join("".join(parts).split())


def _is_picture_or_unseen(node: Element, visibility: Visibility) -> bool:
    if visibility.hides(node) or visibility.is_clipped(node):
        return True
    attrs = node.attrs
    if not attrs:
        return False
    classes = attrs.get("class") or ()
    return any(
        word in _UNSEEN or word in _PICTURED or word.startswith(_PICTURED_BEGINNINGS)
        for word in (classes.split() if isinstance(classes, str) else classes)
    )


def holds(node: Node, selector: str) -> bool:
    """Return whether an element that a selector names is inside of the node."""
    return isinstance(node, Element) and next(iter(node.select(selector)), None) is not None


_CODE: Final = "code, kbd, pre, samp, var, blockquote"


def holds_code(node: Node) -> bool:
    """Return whether an element holds code or what it prints, so that signs in its text may be an example."""
    return isinstance(node, Element) and node.select_one("code, kbd, pre, samp, tt, var") is not None


def is_in_code(node: Node) -> bool:
    """Return whether an element holds code, or is a part of some or of a quotation."""
    return isinstance(node, Element) and (node.closest(_CODE) is not None or holds_code(node))


def is_hollow(node: Node) -> bool:
    """Return whether nothing inside an element is seen without a text, nor drawn by a rule for its class."""
    return isinstance(node, Element) and node.select_one(_SEEN) is None


def text_length(node: Node) -> int:
    """Characters of the text in an element, shown or not."""
    return len(str(node.text)) if isinstance(node, Element) else 0


def short_texts(root: Node, selector: str, length: int) -> Iterator[tuple[Node, str]]:
    """Yield the elements that a selector names and that hold no code, with the beginning of their text."""
    for node in islice(root.select(selector), MAX_CELLS) if isinstance(root, Element) else ():
        if not is_in_code(node):
            yield node, " ".join(str(node.text)[:length].split())


MAX_PARAMETERS: Final = 200


def parameters(node: Node) -> dict[str, str]:
    """Name in lower case -> value of the parameters directly inside; the first of a name counts."""
    found: dict[str, str] = {}
    if isinstance(node, Element):
        for number, child in enumerate(node):
            if number >= MAX_PARAMETERS:
                break
            if isinstance(child, Element) and child.tag == "param":
                found.setdefault((child.attr("name") or "").strip().lower(), (child.attr("value") or "").strip())
    return found


MAX_LEVELS: Final = 8
"""Elements looked at around a link or a paragraph, from the nearest on."""
_NAMES: Final = frozenset(
    "bibliography citation citations csl-bib-body csl-entry footnotes literature reference references reflist".split()
)
"""Classes and ids of lists of sources, and of the entries in them."""
_ROLES: Final = frozenset({"doc-biblioentry", "doc-bibliography", "doc-endnote", "doc-endnotes", "doc-footnote"})


def is_cited(node: Node) -> bool:
    """Return whether an element around ``node`` is a citation or a list of sources, by its tag, role, class or id."""
    if not isinstance(node, Element):
        return False
    for around in islice(node.ancestors, MAX_LEVELS):
        if not isinstance(around, Element):
            break
        if around.tag == "cite" or around.attr("role") in _ROLES or around.attr("id") in _NAMES:
            return True
        classes = around.attrs.get("class") or ()
        words = classes.split() if isinstance(classes, str) else classes
        if not _NAMES.isdisjoint(word.lower() for word in words):
            return True
    return False


def fills_item(node: Node) -> bool:
    """Return whether an item of a list or a cell around ``node`` holds nothing else."""
    for around in islice(node.ancestors, MAX_LEVELS) if isinstance(node, Element) else ():
        filled = (one for one in around if isinstance(one, Element) or (isinstance(one, Text) and one.data.strip()))
        if not isinstance(around, Element) or len(list(islice(filled, 2))) > 1:
            return False
        if around.tag in {"dd", "dt", "li", "td", "th"}:
            return True
    return False


def words_before(node: Node) -> list[str]:
    """The words of the text right before ``node``, in the same element; signs alone are none."""
    before = node.previous_sibling if isinstance(node, Element) else None
    return [one for one in before.data.split() if any(map(str.isalnum, one))] if isinstance(before, Text) else []


def language_around(node: Node) -> str | None:
    """Return the ``lang`` of the nearest element around ``node`` that has one; ``None`` where none has."""
    if not isinstance(node, Element):
        return None
    for around in node.ancestors:
        if isinstance(around, Element) and "lang" in around.attrs:
            return str(around.attrs["lang"] or "")
    return None
