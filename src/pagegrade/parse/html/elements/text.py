"""Elements that give text its place: headings, regions, dialogs, drawings, and obsolete ones."""

from __future__ import annotations

import re
from typing import Final

from turbohtml import Element

from pagegrade.model.document import Obsolete, Paragraph
from pagegrade.parse.aria.implicit import keeps_role
from pagegrade.parse.aria.roles import first_role
from pagegrade.parse.aria.subtree_flags import BOILERPLATE, HIDDEN, IN_ARTICLE, INVISIBLE, NO_TEXT, SKIP
from pagegrade.parse.html.collect import MAX_OPEN_TEXTS, Attributes, Closer, Collector
from pagegrade.parse.html.elements.interactive import anchor
from pagegrade.parse.words import collapse

OBSOLETE: Final = frozenset(
    (
        "acronym applet basefont bgsound big blink center dir font frame frameset isindex keygen listing "
        "marquee menuitem multicol nextid nobr noembed noframes param plaintext rb rtc spacer strike tt xmp"
    ).split(),
)
"""``s`` and ``u`` are not here: they conform. Source: https://html.spec.whatwg.org/multipage/obsolete.html"""
_HEADING: Final = frozenset({"", "heading"})
_NOTHING: Final = frozenset({"none", "presentation"})
_MAX_NOSCRIPTS: Final = 20
_MAX_NOSCRIPT: Final = 4_000
_TAG: Final = re.compile(r"<[^<>]{0,2000}>")
_SVG_SILENT: Final = frozenset({"style", "script", "desc", "metadata", "defs"})


def heading(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A heading, unless a role makes something else of it; its text is known when it closes."""
    if "role" in attrs:
        role = first_role(attrs["role"])
        if role not in _HEADING and not (role in _NOTHING and keeps_role(node.tag, attrs)):
            return flags, None
    return flags, into.open_heading(node, attrs, flags, int(node.tag[1]))


def silent(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """Content that a browser with scripting does not show."""
    if node.tag in OBSOLETE:
        obsolete(into, node, attrs, flags)
    if len(into.noscripts) < _MAX_NOSCRIPTS:
        # With scripting the parser keeps its content as text, tags included.
        into.noscripts.append(_TAG.sub(" ", node.text[:_MAX_NOSCRIPT]))
    if into.picture is not None:
        into.picture.has_image = True  # The usual way to load late: a script puts the image in its place.
    return flags | SKIP, None


def dialog(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A dialog is no main text."""
    del node, attrs
    into.complications += 1
    return flags | BOILERPLATE, None


def paragraph(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A paragraph of the main content, unless a role makes something else of it; its text is known when it closes."""
    if "role" in attrs or flags & (BOILERPLATE | HIDDEN | NO_TEXT):
        return flags, None
    start, before = len(into.texts), len(into.paragraphs)

    def close() -> None:
        # Of paragraphs inside each other only the innermost counts, so that no text is joined twice.
        inside = len(into.paragraphs) - before
        if not inside and 0 < len(into.texts) - start <= MAX_OPEN_TEXTS and into.fits(into.paragraphs, "paragraphs"):
            text = collapse("".join(into.texts[start:]))
            if text:
                into.paragraphs.append(Paragraph(node=node, attrs=attrs, text=text))

    return flags, close


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


def main(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """The main content."""
    into.parts.keep(into.parts.mains, node, attrs, flags)
    return flags | IN_ARTICLE, None


def obsolete(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """An element that HTML calls obsolete."""
    if into.fits(into.obsolete, "obsolete"):
        into.obsolete.append(Obsolete(node=node, attrs=attrs, hidden=bool(flags & INVISIBLE)))
    return flags, None


def foreign_element(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """An SVG or MathML element that shares its name with one of HTML (or matters by itself)."""
    tag = node.tag
    if tag == "title":
        # It names its drawing and is not shown.
        into.complications += 1
        return flags | NO_TEXT, None
    if tag in _SVG_SILENT:
        return flags | SKIP, None
    if tag in ("image", "feImage"):
        href = attrs.get("href", attrs.get("xlink:href"))
        into.reference(node, attrs, flags, into.resolve(href), "image", "href")
    elif tag == "a" and ("href" in attrs or "xlink:href" in attrs):
        return anchor(into, node, {**attrs, "href": attrs.get("href", attrs.get("xlink:href", ""))}, flags)
    return flags, None
