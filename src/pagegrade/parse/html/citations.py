"""The surroundings of a link: a citation or a list of sources, and the language they declare."""

from __future__ import annotations

from itertools import islice
from typing import Final

from turbohtml import Element

from pagegrade.model.document import Node

MAX_LEVELS: Final = 8
"""Elements looked at around a link, from the nearest on."""
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


def language_around(node: Node) -> str | None:
    """Return the ``lang`` of the nearest element around ``node`` that has one; ``None`` where none has."""
    if not isinstance(node, Element):
        return None
    for around in node.ancestors:
        if isinstance(around, Element) and "lang" in around.attrs:
            return str(around.attrs["lang"] or "")
    return None
