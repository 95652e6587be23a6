"""Headings below which the text is missing that an element was made for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import islice
from types import MappingProxyType
from typing import Final

from turbohtml import Element, Text

from pagegrade.model.document import Document, Heading
from pagegrade.parse.url import strip_fragment
from pagegrade.parse.words import count_words

MIN_EMPTY_SECTIONS: Final = 4
MOST_EMPTY_SECTIONS: Final = 2 / 3
"""Headings with nothing below them, and their share of all in the main content, from which on its text is missing."""
MAX_BESIDE: Final = 25
"""Words of the main content beside those headings: below a text, parts with a name and no description are ordinary."""
MAX_SECTIONS: Final = 100
MAX_STEPS: Final = 60
"""Elements and texts looked at behind a heading: an empty section has few."""
_LEVELS: Final = frozenset({"h2", "h3", "h4"})
_AROUND: Final = "a, aside, button, dialog, fieldset, figure, footer, form, li, nav, summary, td, th, [role=tab]"
_FOR_TEXT: Final = re.compile(
    r"(?:^|[-_\s])(?:text|desc|description|copy|prose|rich-?text|wysiwyg|bio)(?=$|\s)", re.IGNORECASE
)
"""At the end of a class of an element for sentences, in English in sites of all languages; ``text-center`` says how."""
_FIGURES: Final = re.compile(r"\d[.,:]\d\d|\d\d\W")
_FILLED: Final = re.compile(r"data-|hx-|v-|x-|ng-|aria-(?:busy|live|controls|expanded)|id$|hidden$|on")
"""Names of attributes by which a script finds an element to fill."""
_NO_SECTION: Final = frozenset({"script", "style", "template", "noscript", "br", "p", "wbr"})
"""Elements that are no place: an empty paragraph is what editors put between two lines."""
_PARTS: Final = frozenset(
    {
        "article",
        "div",
        "dl",
        "dd",
        "dt",
        "li",
        "ol",
        "section",
        "span",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    }
)
_UNDER: Final = "h2 + [class], h3 + [class], h4 + [class]"
_MAX_NAMES: Final = 8
_NO_SCRIPTS: Final[Mapping[str, Collection[str] | None]] = MappingProxyType({})


def names_of_places(body: Element) -> tuple[str, ...]:
    """Classes by which a script finds the first empty elements for a text that stand directly below a heading."""
    found: dict[str, None] = {}
    for one in islice(body.select(_UNDER), MAX_SECTIONS):
        classes = _classes(one)
        if len(found) < _MAX_NAMES and _FOR_TEXT.search(classes) is not None and not str(one.text).strip():
            found.update(dict.fromkeys(classes.split()))
    return tuple(found)


def find_empty_sections(
    document: Document, script_names: Mapping[str, Collection[str] | None] = _NO_SCRIPTS
) -> tuple[Heading, ...]:
    """Headings below which an element for the text has none, where they are most of the main content's headings.

    A section is empty if nothing stands between its heading and the next one but elements without a text, one of them
    is for sentences by its class, and none has an attribute by which a script would find it. What the next heading
    stands in is a place for that one. The places are alike, and no script that runs has one of their classes in it or
    was not read (``script_names``: URL -> those of ``names_of_places`` that are in it; ``None`` if it is not known).
    Nothing where fewer than ``MIN_EMPTY_SECTIONS`` are empty, or less than ``MOST_EMPTY_SECTIONS`` of all, or the page
    says more than ``MAX_BESIDE`` words else. Linear.
    """
    shown = [one for one in document.headings[:MAX_SECTIONS] if not one.hidden and one.text]
    if len(shown) < MIN_EMPTY_SECTIONS:
        return ()
    sections = [
        one
        for one in shown
        if isinstance(one.node, Element) and one.node.tag in _LEVELS and one.node.closest(_AROUND) is None
    ]
    # Most pages end here.
    words = count_words(" ".join(one.text for one in sections))
    if len(sections) < MIN_EMPTY_SECTIONS or document.main_word_count - words > MAX_BESIDE:
        return ()
    names = {one.node for one in document.headings}
    places = [_place_below(one.node, names) for one in sections]
    ((alike, number),) = Counter(filter(None, places)).most_common(1) or (("", 0),)
    if number < max(MIN_EMPTY_SECTIONS, MOST_EMPTY_SECTIONS * (len(sections) - places.count(""))):
        return ()
    if _may_be_filled(document, alike.split(), script_names):
        return ()
    return tuple(one for one, place in zip(sections, places, strict=True) if place == alike)


def _may_be_filled(
    document: Document, names: Collection[str], script_names: Mapping[str, Collection[str] | None]
) -> bool:
    """Return whether a script may find the places by a class; one that was not asked for it may."""
    body = document.body.node if document.body is not None else None
    asked = names_of_places(body) if isinstance(body, Element) else ()
    for one in document.running_scripts:
        said = one.text if one.url is None else script_names.get(strip_fragment(one.url))
        if (
            said is None
            or (one.url is not None and not set(names) <= set(asked))
            or any(name in said for name in names)
        ):
            return True
    return False


def _place_below(heading: object, names: AbstractSet[object]) -> str | None:
    """The classes of the empty place below it; "" where a heading of a lower level follows at once, ``None`` else."""
    if not isinstance(heading, Element) or heading.select_one("a, button, img, svg") is not None:
        return None
    # A price or a time in the heading is its content, and so is a picture behind it.
    if _FIGURES.search(heading.text) is not None or heading.closest("[style*='url(']") is not None:
        return None
    seen: list[Element] = []
    around: AbstractSet[object] = frozenset()
    for node in islice(_behind(heading), MAX_STEPS):
        if isinstance(node, Text):
            if node.data.strip():
                return None
        elif isinstance(node, Element):
            if node in names:
                around = frozenset(node.ancestors)
                if node.tag > heading.tag and around.issuperset(seen):
                    return ""
                break
            if node.tag in {"aside", "footer", "nav", "main"}:
                break
            if node.tag in _PARTS:
                seen.append(node)
            elif node.tag not in _NO_SECTION:
                return None
    between = [one for one in seen if one not in around]
    if any(_FILLED.match(str(name)) for one in between for name in one.attrs) or any(
        "url(" in str(one.attrs.get("style", "")) for one in between
    ):
        return None
    return next((classes for classes in map(_classes, between) if _FOR_TEXT.search(classes)), None)


def _behind(heading: Element) -> Iterator[object]:
    """Yield elements and texts behind the heading, and none inside of it, up to the end of the main content."""
    node: Element | None = heading
    while isinstance(node, Element) and node.tag not in {"main", "body"}:
        for after in node.next_siblings:
            yield after
            if isinstance(after, Element):
                yield from after.descendants
        node = node.parent if isinstance(node.parent, Element) else None


def _classes(node: Element) -> str:
    classes = node.attrs.get("class") or ()
    return classes if isinstance(classes, str) else " ".join(classes)
