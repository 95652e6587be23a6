"""Elements of the head, and those that may stand anywhere but belong there: what describes or loads."""

from __future__ import annotations

from typing import Final, Literal

from turbohtml import Element

from pagegrade.model.document import ElementFact, Link, Meta, Script, Style, Title
from pagegrade.parse.aria.subtree_flags import HIDDEN, IN_BODY, IN_HEAD, NO_TEXT, SKIP
from pagegrade.parse.cascade.sheets import becomes_stylesheet
from pagegrade.parse.css.urls import find_css_urls
from pagegrade.parse.html.collect import Attributes, Closer, Collector, rel_tokens
from pagegrade.parse.html.srcset import parse_srcset
from pagegrade.parse.structured_data import structured_item_of_json_ld
from pagegrade.parse.words import collapse

_SCRIPT_TYPES: Final = frozenset(
    (
        "application/ecmascript application/javascript application/x-ecmascript application/x-javascript "
        "text/ecmascript text/javascript text/javascript1.0 text/javascript1.1 text/javascript1.2 "
        "text/javascript1.3 text/javascript1.4 text/javascript1.5 text/jscript text/livescript "
        "text/x-ecmascript text/x-javascript"
    ).split(),
)
"""Source: https://mimesniff.spec.whatwg.org/#javascript-mime-type"""
_ICON_RELS: Final = frozenset({"icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon"})


def html(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """The root element: its language and direction."""
    into.html = ElementFact(node=node, attrs=attrs)
    return flags, None


def head(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """Nothing in the head is text of the page."""
    del into, node, attrs
    return flags | IN_HEAD | NO_TEXT, None


def body(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """From here on text counts."""
    into.body = ElementFact(node=node, attrs=attrs)
    if "background" in attrs:
        into.reference(node, attrs, flags, into.resolve(attrs["background"]), "image", "background")
    return flags | IN_BODY, None


def title(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """The title of the document, wherever the parser put it."""
    if into.fits(into.titles, "titles"):
        into.titles.append(Title(node=node, attrs=attrs, text=collapse(node.text), in_head=bool(flags & IN_HEAD)))
    return flags | SKIP, None


def base(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """Only noted; it was applied before the walk."""
    into.bases.append(ElementFact(node=node, attrs=attrs))
    return flags, None


def meta(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A name and a value, or a stand-in for a header."""
    if into.fits(into.metas, "metas"):
        into.metas.append(
            Meta(
                node=node,
                attrs=attrs,
                name=attrs["name"].strip().lower() if "name" in attrs else "",
                property=attrs["property"].strip().lower() if "property" in attrs else "",
                http_equiv=attrs["http-equiv"].strip().lower() if "http-equiv" in attrs else "",
                content=attrs.get("content", ""),
                charset=attrs.get("charset"),
                in_head=bool(flags & IN_HEAD),
            ),
        )
    return flags, None


def link(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A relation to another resource; some of them are fetched."""
    rel = rel_tokens(attrs)
    href = attrs.get("href")
    url = into.resolve(href)
    if into.fits(into.links, "links"):
        into.links.append(
            Link(
                node=node,
                attrs=attrs,
                rel=rel,
                href=None if href is None else href.strip(),
                url=url,
                in_head=bool(flags & IN_HEAD),
            ),
        )
    if url is not None:
        if "stylesheet" in rel:
            if "alternate" not in rel and "disabled" not in attrs:
                lazy = attrs.get("media", "").strip().lower() == "print"
                into.reference(node, attrs, flags, url, "stylesheet", "href", lazy=lazy)
        elif not _ICON_RELS.isdisjoint(rel):
            # Several icons are offered and a browser takes one, after the page.
            into.reference(node, attrs, flags, url, "icon", "href", lazy=True, alternative=True)
        elif "manifest" in rel:
            into.reference(node, attrs, flags, url, "manifest", "href", lazy=True)
        elif "preload" in rel and becomes_stylesheet(attrs):
            into.reference(node, attrs, flags, url, "stylesheet", "href", lazy=True)
        elif "preload" in rel or "modulepreload" in rel:
            into.reference(node, attrs, flags, url, "preload", "href", alternative="imagesrcset" in attrs)
    if "imagesrcset" in attrs and "preload" in rel:
        for candidate, _ in parse_srcset(attrs["imagesrcset"]):
            into.reference(node, attrs, flags, into.resolve(candidate), "preload", "imagesrcset", alternative=True)
    return flags, None


def script(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A program, or data in its clothes."""
    declared = attrs["type"].strip().lower() if "type" in attrs else ""
    kind: Literal["classic", "module", "importmap", "speculationrules", "data"]
    if not declared and "type" not in attrs and attrs.get("language"):
        declared = f"text/{attrs['language'].lower()}"
    # A type with parameters, or of white space alone, is no JavaScript: browsers run no such script.
    if declared in _SCRIPT_TYPES or not attrs.get("type", declared):
        kind = "classic"
    elif declared in ("module", "importmap", "speculationrules"):
        kind = declared  # type: ignore[assignment]
    else:
        kind = "data"
    external = "src" in attrs and kind in ("classic", "module")
    text = "" if external else node.text
    url = into.resolve(attrs.get("src")) if external else None
    runs = kind in ("classic", "module") and not (kind == "classic" and "nomodule" in attrs)
    if url is not None and runs:
        into.reference(node, attrs, flags, url, "script", "src")
    if into.fits(into.scripts, "scripts"):
        into.script_marks.append((len(into.texts), into.media_count))
        into.scripts.append(
            Script(
                node=node,
                attrs=attrs,
                url=url,
                kind=kind,
                in_head=bool(flags & IN_HEAD),
                blocking=url is not None
                and kind == "classic"
                and "async" not in attrs
                and "defer" not in attrs
                and "nomodule" not in attrs,
                trailing=False,
                text=text,
            ),
        )
    is_linked_data = kind == "data" and declared.partition(";")[0].strip() == "application/ld+json"
    if is_linked_data and into.fits(into.structured_items, "structured_items"):
        into.structured_items.append(structured_item_of_json_ld(text, node))
    return flags | SKIP, None


def style(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A stylesheet inside the page: its text is kept, and what it loads noted."""
    text = node.text
    if into.fits(into.styles, "styles"):
        into.styles.append(Style(node=node, attrs=attrs, hidden=bool(flags & HIDDEN), text=text))
    folded = text.lower()
    if "url(" in folded or "@import" in folded or "image-set(" in folded:
        for found in find_css_urls(text, base_url=into.base_url):
            # Fonts and images are fetched only when a rule that names them matches something.
            into.reference(
                node,
                attrs,
                flags,
                found.url,
                found.kind,
                "style",
                lazy=found.kind != "stylesheet",
                alternative=found.alternative,
            )
    return flags | SKIP, None


def template(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """Inert; a declared shadow tree has taken the place of its host's children before."""
    del into, node, attrs
    return flags | SKIP, None
