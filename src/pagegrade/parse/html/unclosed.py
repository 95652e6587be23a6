"""Finds where a page ends too soon: a construct that is never closed, an answer that breaks off, texts cut short."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final
from unicodedata import category
from urllib.parse import unquote

from turbohtml import Comment, Element, Text

from pagegrade.model.document import Document, Node
from pagegrade.parse.html.regions import Regions

_MAX_LOOKED_AT: Final = 400
_OPEN: Final = "textarea, plaintext, xmp"
"""Elements that, once open, take tags for text until they are closed, and show it."""
_UNSEEN: Final = "style, script, title, iframe, noembed, noframes"
"""The same, with text that no one sees."""
_END: Final = re.compile(r"</(?:body|html|footer|main)\s*>", re.IGNORECASE)
_LAST: Final = re.compile(r"</(?:body|html)\s*>\s*\Z", re.IGNORECASE)
MIN_LOST: Final = 200
"""Characters in a comment that nothing ends, from which on something is missing that was meant to be seen."""
_MAY_STAY_OPEN: Final = frozenset(
    "body colgroup dd dt html li optgroup option p rp rt tbody td tfoot th thead tr".split()
)
MIN_OPEN: Final = 2
"""Elements that have to be closed and are not, around the last text of a document that breaks off."""
MIN_TEXTS: Final = 3
MIN_TEXT: Final = 100
"""Paragraphs of so many characters that all end in punctuation, beside a last one that ends in a letter."""
MIN_LOST_PLACES: Final = 2
"""Places to which the page itself leads and which it does not have: of its table of contents."""
_TAIL: Final = 200
_IN_COMMENT: Final = "eof-in-comment"


MIN_BEGINNINGS: Final = 5
"""Paragraphs that are beginnings of texts and no more, from which on that is no style."""
_MIN_BEGINNING: Final = 20
"""Characters of one."""
_TURNABLE: Final = "a[href], button, summary, [onclick], [role=button], [tabindex]"
_LONGEST_CUT: Final = 6
_CUT: Final = re.compile(r"(?:\u2026|\.\.\.|\u2025|\[\u2026\]|\[\.\.\.\])[\"')\]\u00bb\u201d]?\Z")


def find_beginnings(document: Document) -> list[Node]:
    """The paragraphs of a page that are nearly all cut short, with neither links nor buttons for the rest."""
    texts = [one for one in document.paragraphs[:_MAX_LOOKED_AT] if len(one.text) >= _MIN_BEGINNING]
    cut = [one.node for one in texts if _CUT.search(one.text[-_LONGEST_CUT:]) is not None]
    body = document.body.node if document.body is not None else None
    if len(cut) < MIN_BEGINNINGS or 5 * len(cut) < 4 * len(texts) or not isinstance(body, Element):
        return []
    regions = Regions()
    onward = sum(regions.of(one) == "main" for one in islice(body.select(_TURNABLE), _MAX_LOOKED_AT))
    return cut if 2 * onward < len(cut) else []


def find_swallowing(document: Document, body: Element) -> Node | None:
    """The construct, or what a comment stands in; ``None`` where everything that has to be closed is.

    Linear in the document. What is closed has something behind it, and ends in no end tag of the page.
    """
    for node in islice(body.select(_OPEN), _MAX_LOOKED_AT):
        if _END.search(str(node.text)) is not None and not any(isinstance(one, Element) for one in _behind(node)):
            return node
    counts = getattr(document.markup, "fault_counts", {})
    if _IN_COMMENT in counts and (around := _around_comment(body)) is not None:
        return around
    last = _last(body)
    if last is not None and last.tag in _UNSEEN.split(", ") and _LAST.search(str(last.text)) is not None:
        return last
    return None


def _around_comment(body: Element) -> Node | None:
    """The element that a long comment at the end of the document stands in."""
    at: object = body
    while isinstance(at, Element):
        child = next(iter(reversed(list(at))), None)
        if isinstance(child, Comment):
            return at if len(child.data) >= MIN_LOST else None
        at = child
    return None


def _last(body: Element) -> Element | None:
    """The last element of the document, in whatever it stands."""
    at: object = body
    found: Element | None = None
    while isinstance(at, Element):
        found = at
        at = next((one for one in reversed(list(at)) if isinstance(one, Element)), None)
    return found


def _behind(node: Element) -> Iterator[object]:
    """All that follows an element in the document, outside of it."""
    at: object = node
    while isinstance(at, Element):
        yield from at.next_siblings
        at = at.parent


def find_break(source: bytes, document: Document) -> Node | None:
    """The element in which a document breaks off, in the middle of a text or a tag; ``None`` for one with an end.

    An element that was not closed may be forgotten. Two are no more, nor is one where the last paragraph stops in the
    middle of a sentence or the places are missing to which the page's own links lead.

    Args:
        source: The document as it was served, in an encoding that has ASCII in it.
        document: What was read of it.
    """
    end = source[-_TAIL:].rstrip().lower()
    body = document.body.node if document.body is not None else None
    if (
        not isinstance(body, Element)
        or not end
        or b"\0" in end
        or end.endswith((b">", b"}", b";"))
        or b"</body" in end
        or b"</html" in end
    ):
        return None
    last = _last(body)
    while isinstance(last, Element) and any(_is_said(one) for one in last.next_siblings):
        last = last.parent if isinstance(last.parent, Element) else None
    around = [] if last is None else [last, *(one for one in last.ancestors if isinstance(one, Element))]
    has_to = [one for one in around if one.tag not in _MAY_STAY_OPEN]
    if len(has_to) >= MIN_OPEN or (has_to and (_stops_short(document) or _misses_places(document))):
        return has_to[0]
    return None


def _stops_short(document: Document) -> bool:
    """Return whether the last paragraph ends in a letter, unlike all others; one that is no more than a line may."""
    ends = [one.text[-1] for one in document.paragraphs if len(one.text) >= MIN_TEXT]
    is_long = bool(document.paragraphs) and len(document.paragraphs[-1].text) >= MIN_TEXT
    is_open = is_long and category(ends[-1])[0] in "LM"
    return is_open and len(ends) > MIN_TEXTS and all(category(one)[0] == "P" for one in ends[:-1])


def _misses_places(document: Document) -> bool:
    """Return whether links of the page to places in itself, of one list, lead to none."""
    names = {one.attrs.get("name") for one in document.anchors}
    hrefs = {unquote(href[1:]) for one in document.anchors if (href := one.href or "")[:1] == "#" and not one.hidden}
    return sum(one not in document.ids and one not in names for one in hrefs - {"", "top"}) >= MIN_LOST_PLACES


def _is_said(node: object) -> bool:
    return isinstance(node, Text) and bool(node.data.strip())
