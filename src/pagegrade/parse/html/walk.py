"""The one walk of the tree: every element is visited once and becomes facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from turbohtml import CData, Element, Namespace, Text

from pagegrade.parse.aria.subtree_flags import (
    BOILERPLATE,
    IN_BODY,
    INVISIBLE,
    NO_TEXT,
    SHUT,
    SKIP,
    VEILED_NARROW,
    VEILED_WIDE,
)
from pagegrade.parse.html.attribute_kinds import ID, PLAIN_ATTRIBUTES, SHOWING, kinds_of
from pagegrade.parse.html.collect import Collector
from pagegrade.parse.html.elements import HANDLERS, MODEST, Handler
from pagegrade.parse.html.elements.text import foreign_element

MAX_NODES: Final = 200_000
MAX_DEPTH: Final = 512
"""A deeper tree is read, and said to be too deep."""
_INLINE: Final = frozenset(
    (
        "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark meter output "
        "picture progress q ruby rb rp rt s samp small span strike strong sub sup svg time tt u var wbr nobr"
    ).split(),
)
_VOID: Final = frozenset("area base br col embed hr img link meta source track wbr".split())
_NO_ATTRIBUTES: Final[dict[str, str]] = {}
_SEEN: Final = IN_BODY | NO_TEXT | INVISIBLE
_INHERITED: Final = SHUT | VEILED_NARROW | VEILED_WIDE
"""Everything inside has to be asked whether it is rendered."""
_OPENING: Final = frozenset({"details", "dialog"})
"""Elements that browsers themselves close."""

_Kind = tuple[Handler | None, bool, bool, bool, bool]
"""(handler, whether it wants the attributes of every element, breaks the line, never holds anything, may be closed)."""
_OTHER: Final[_Kind] = (None, False, True, False, False)
_KINDS: Final[dict[str, _Kind]] = {
    tag: (HANDLERS.get(tag), tag in HANDLERS and tag not in MODEST, tag not in _INLINE, tag in _VOID, tag in _OPENING)
    for tag in {*HANDLERS, *_INLINE, *_VOID, *_OPENING}
}
"""Properties of elements that the walk needs, in one place."""
_REFERRING: Final[dict[str, _Kind]] = {
    **dict.fromkeys(_VOID, (None, False, False, True, False)),
    **{
        tag: (HANDLERS[tag], True, False, tag in _VOID, False)
        for tag in (
            "a area audio body defs desc embed feImage frame head iframe image img input link meta metadata object "
            "picture script source style template video"
        ).split()
    },
}
"""Elements that refer to something, or whose content does not; without their text and their part in the layout."""
_MAY_REFER: Final = ",".join((*(tag for tag, kind in _REFERRING.items() if kind[0] is not None), "[style]"))
"""These elements, and those with a style of their own, which may name pictures."""

# Any, because the type of a node is tested by identity below: isinstance would cost a tenth of the walk.
_Frame = tuple[Iterator[Any], int, int, Callable[[], None] | None, bool]


def walk(root: Element, into: Collector, *, references_only: bool = False) -> None:  # noqa: C901, PLR0912, PLR0915 - one loop, flat for speed
    """Visit every element from ``root`` down and hand it to the handlers.

    Iterative, so that depth costs no stack. Local names and one flat loop because this is the hottest code there is:
    it runs for every element and text of every page.

    Args:
        root: Of the tree.
        into: Collector of the facts.
        references_only: Collect what the page refers to and links to, and no text; other facts are incomplete.
    """
    kind_of, other, html = _KINDS.get, _OTHER, Namespace.HTML
    relevant = -1
    texts, limit, plain = into.texts, MAX_NODES, PLAIN_ATTRIBUTES.issuperset
    add_text = texts.append
    visibility = into.visibility
    enter, suspects = visibility.enter, visibility.suspects
    known: dict[str, int] = {}
    count = deepest = widest = depth = flags = children = entered = 0
    inside: Callable[[Element], Iterator[Any]] = iter
    if references_only:
        kind_of, relevant, flags = _REFERRING.get, SHOWING, NO_TEXT
        ways = _ways_to_references(root)

        def inside(node: Element) -> Iterator[Any]:
            return iter(ways.get(node, ()))

    deepest_node: Element = root
    closer: Callable[[], None] | None = None
    block = False
    iterator: Iterator[Any] = iter((root,))
    stack: list[_Frame] = []
    while True:
        for node in iterator:
            kind = type(node)
            if kind is Element:
                if count >= limit:
                    into.limits.append("nodes")
                    _unwind(stack, closer)
                    stack.clear()
                    break
                count += 1
                children += 1
                tag = node.tag
                raw = node.attrs
                inner = flags
                handler, wanted, breaks, is_void, is_opening = kind_of(tag, other)
                attrs = _NO_ATTRIBUTES
                kinds: int | None = 0
                if raw:
                    # To read the names alone costs a third of what it costs to read the values, too.
                    names = raw.copy() if wanted else raw
                    if not plain(names):
                        # A page has few different sets of names.
                        key = " ".join(names)
                        kinds = known.get(key)
                        if kinds is None:
                            kinds = known[key] = kinds_of(names) & relevant
                    if kinds or wanted:
                        attrs = names if wanted else raw.copy()
                        for name, value in attrs.items():
                            # The parser splits token lists (class, rel ...); all other code needs the string.
                            if type(value) is not str:
                                attrs[name] = " ".join(value) if value else ""
                if flags & _INHERITED or (kinds and kinds & SHOWING) or is_opening or (suspects and node in suspects):
                    inner = enter(node, flags)
                    if inner != flags:
                        into.complications += 1
                if kinds:
                    if kinds == ID:
                        into.identify(node, attrs, inner)
                    else:
                        inner = into.common(node, attrs, inner, kinds)
                next_closer = None
                if handler is not None:
                    if node.namespace is html:
                        inner, next_closer = handler(into, node, attrs, inner)
                    else:
                        inner, next_closer = foreign_element(into, node, attrs, inner)
                if next_closer is None and "role" in attrs:
                    next_closer = into.open_role(node, attrs, inner)
                if breaks and inner & IN_BODY:
                    add_text(" ")
                if inner & SKIP:
                    if next_closer is not None:
                        next_closer()
                    continue
                if is_void and node.namespace is html:
                    # Nothing can stand inside: what opens closes at once.
                    if depth >= deepest:
                        deepest = depth + 1
                        deepest_node = node
                    if next_closer is not None:
                        next_closer()
                    continue
                if inner != flags and inner & ~flags & BOILERPLATE:
                    entered = len(texts)
                stack.append((iterator, flags, children, closer, block))
                depth += 1
                if depth > deepest:
                    deepest = depth
                    deepest_node = node
                iterator, flags, children, closer, block = inside(node), inner, 0, next_closer, breaks
                break
            if (kind is Text or kind is CData) and flags & _SEEN == IN_BODY:
                add_text(node.data)
        else:
            if children > widest:  # noqa: PLR1730 - a call of max() costs more than the rest of this line
                widest = children
            if closer is not None:
                closer()
            if block and flags & IN_BODY:
                add_text(" ")
            if not stack:
                break
            left = flags
            iterator, flags, children, closer, block = stack.pop()
            depth -= 1
            if left != flags and left & ~flags & BOILERPLATE:
                into.boilerplate.append((entered, len(texts)))
            continue
        if not stack:
            break
    into.element_count = count
    into.max_depth = deepest
    into.deepest = deepest_node
    into.max_children = widest
    if deepest > MAX_DEPTH:
        into.limits.append("depth")


def _ways_to_references(root: Element) -> dict[Element, list[Element]]:
    """Return, for each element, those of its children that may refer to something, or hold what does, in their order.

    The walk then passes over all others, of which a page may have hundreds of thousands.
    """
    ways: dict[Any, list[Element]] = {}
    linked = {root}
    for found in root.select(_MAY_REFER)[:MAX_NODES]:
        node: Any = found
        while node not in linked:
            linked.add(node)
            parent = node.parent
            ways.setdefault(parent, []).append(node)
            node = parent
    return ways


def _unwind(stack: list[_Frame], closer: Callable[[], None] | None) -> None:
    """Close what is open, innermost first, when the walk ends early."""
    for _, _, _, outer, _ in reversed(stack):
        if closer is not None:
            closer()
        closer = outer
    if closer is not None:
        closer()
