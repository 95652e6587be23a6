"""The one walk of the tree: every element is visited once and becomes facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from turbohtml import CData, DocumentFragment, Element, Namespace, Node, Text

from pagegrade.parse._flags import ARIA_HIDDEN, BOILERPLATE, IN_BODY, INVISIBLE, NO_NAME, NO_TEXT, SKIP, SVG_TITLE
from pagegrade.parse.collect import Collector
from pagegrade.parse.elements import HANDLERS
from pagegrade.parse.elements.text import foreign_element

MAX_NODES: Final = 200_000
MAX_DEPTH: Final = 512
"""A deeper tree is read, and said to be too deep."""
_INLINE: Final = frozenset(
    (
        "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark meter output "
        "picture progress q ruby rb rp rt s samp small span strike strong sub sup svg time tt u var wbr nobr"
    ).split(),
)
_NO_ATTRIBUTES: Final[dict[str, str]] = {}
_UNSEEN: Final = NO_TEXT | INVISIBLE
_UNNAMED: Final = NO_NAME | INVISIBLE | ARIA_HIDDEN

_Frame = tuple[Iterator[Node], int, int, Callable[[], None] | None, bool]


def walk(root: Element, into: Collector) -> None:  # noqa: C901, PLR0912, PLR0915 - one loop, flat for speed
    """Visit every element from ``root`` down and hand it to the handlers.

    Iterative, so that depth costs no stack. Local names and one flat loop because this is the hottest code there is:
    it runs for every element and text of every page.
    """
    handlers = HANDLERS
    texts, main_texts, open_names = into.texts, into.main_texts, into.open_names
    count = deepest = widest = nodes = flags = children = 0
    closer: Callable[[], None] | None = None
    block = False
    iterator: Iterator[Node] = iter((root,))
    stack: list[_Frame] = []
    while True:
        for node in iterator:
            kind = type(node)
            if kind is Element:
                nodes += 1
                if nodes > MAX_NODES:
                    break
                count += 1
                children += 1
                tag = node.tag
                raw = node.attrs
                inner = flags
                if raw:
                    attrs = raw.copy()
                    for name, value in attrs.items():
                        # The parser splits token lists (class, rel, headers ...); everybody else wants the string.
                        if type(value) is not str:
                            attrs[name] = " ".join(value) if value else ""
                    inner = into.common(node, attrs, flags)
                else:
                    attrs = _NO_ATTRIBUTES
                next_closer = None
                handler = handlers.get(tag)
                if handler is not None:
                    if node.namespace is Namespace.HTML:
                        inner, next_closer = handler(into, node, attrs, inner)
                    else:
                        inner, next_closer = foreign_element(into, node, attrs, inner)
                if next_closer is None and "role" in attrs:
                    next_closer = into.open_role(node, attrs, inner)
                breaks = tag not in _INLINE
                if breaks and inner & IN_BODY:
                    texts.append(" ")
                    main_texts.append(" ")
                    for name_parts in open_names:
                        name_parts.append(" ")
                if inner & SKIP:
                    if next_closer is not None:
                        next_closer()
                    continue
                stack.append((iterator, flags, children, closer, block))
                deepest = max(deepest, len(stack))
                iterator, flags, children, closer, block = iter(node), inner, 0, next_closer, breaks
                break
            if kind is Text or kind is CData:
                if flags & IN_BODY:
                    data = node.data
                    if not flags & _UNSEEN:
                        texts.append(data)
                        if not flags & BOILERPLATE:
                            main_texts.append(data)
                    if open_names and not flags & _UNNAMED and (not flags & NO_TEXT or flags & SVG_TITLE):
                        for name_parts in open_names:
                            name_parts.append(data)
            elif kind is DocumentFragment:
                # Only a declarative shadow root comes this far: its content is rendered.
                stack.append((iterator, flags, children, closer, block))
                iterator, children, closer, block = iter(node), 0, None, False
                break
        else:
            widest = max(widest, children)
            if closer is not None:
                closer()
            if block and flags & IN_BODY:
                texts.append(" ")
                main_texts.append(" ")
                for name_parts in open_names:
                    name_parts.append(" ")
            if not stack:
                break
            iterator, flags, children, closer, block = stack.pop()
            continue
        if nodes > MAX_NODES:
            into.limits.append("nodes")
            while stack:
                if closer is not None:
                    closer()
                iterator, flags, children, closer, block = stack.pop()
            break
    into.element_count = count
    into.max_depth = deepest
    into.max_children = widest
    if deepest > MAX_DEPTH:
        into.limits.append("depth")
