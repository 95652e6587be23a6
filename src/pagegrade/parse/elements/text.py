"""Elements that give text its place: headings, regions, dialogs, drawings, and obsolete ones."""

from __future__ import annotations

from typing import Final

from turbohtml import Element

from pagegrade.model.document import Obsolete
from pagegrade.parse._flags import BOILERPLATE, HIDDEN, IN_ARTICLE, INVISIBLE, NO_TEXT, SKIP, SVG_TITLE
from pagegrade.parse.collect import Attributes, Closer, Collector
from pagegrade.parse.elements.interactive import anchor

OBSOLETE: Final = frozenset(
    (
        "acronym applet basefont bgsound big blink center dir font frame frameset isindex keygen listing "
        "marquee menuitem multicol nextid nobr noembed noframes plaintext rb rtc spacer strike tt xmp"
    ).split(),
)
"""``s`` and ``u`` are not here: they conform. Source: https://html.spec.whatwg.org/multipage/obsolete.html"""
_SVG_SILENT: Final = frozenset({"style", "script", "desc", "metadata", "defs"})


def heading(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A heading; its text is known when it closes."""
    return flags, into.open_heading(node, attrs, flags, int(node.tag[1]))


def silent(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """Content that a browser with scripting does not show."""
    if node.tag in OBSOLETE:
        obsolete(into, node, attrs, flags)
    return flags | SKIP, None


def dialog(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A dialog is no main text, and none at all while it is closed."""
    del into, node
    return flags | BOILERPLATE if "open" in attrs else flags | BOILERPLATE | INVISIBLE, None


def boilerplate(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """Navigation, and the header and footer of the page (not of an article)."""
    del into, attrs
    if flags & IN_ARTICLE and node.tag in ("header", "footer"):
        return flags, None
    return flags | BOILERPLATE, None


def article(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """Its own header and footer are content."""
    del into, node, attrs
    return flags | IN_ARTICLE, None


def obsolete(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """An element that HTML calls obsolete."""
    if into.room(into.obsolete, "obsolete"):
        into.obsolete.append(Obsolete(node=node, attrs=attrs, hidden=bool(flags & HIDDEN)))
    return flags, None


def foreign_element(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """An SVG or MathML element that shares its name with one of HTML (or matters by itself)."""
    tag = node.tag
    if tag == "title":
        return flags | NO_TEXT | SVG_TITLE, None
    if tag in _SVG_SILENT:
        return flags | SKIP, None
    if tag in ("image", "feImage"):
        href = attrs.get("href", attrs.get("xlink:href"))
        into.reference(node, attrs, flags, into.resolve(href), "image", "href")
    elif tag == "a" and ("href" in attrs or "xlink:href" in attrs):
        return anchor(into, node, {**attrs, "href": attrs.get("href", attrs.get("xlink:href", ""))}, flags)
    return flags, None
