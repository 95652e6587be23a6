"""Images, pictures, players and frames."""

from __future__ import annotations

from typing import Final

from turbohtml import Element

from pagegrade.model.document import Frame, Image
from pagegrade.parse.aria.subtree_flags import HIDDEN, NO_TEXT, SKIP
from pagegrade.parse.html.accessible_names import NAME_ATTRIBUTES
from pagegrade.parse.html.collect import Attributes, Closer, Collector, OpenPicture
from pagegrade.parse.html.elements.text import obsolete
from pagegrade.parse.html.srcset import parse_srcset
from pagegrade.parse.words import collapse

_NOTHING: Final = frozenset({"0", "1", "0px", "1px"})
"""Widths of images and frames that only count visits and are invisible."""
_CANDIDATES: Final = frozenset({"srcset", "data-srcset", "data-src", "data-lazy-srcset"})
"""Attributes with what a picture may show, now or when a script has moved it."""


def img(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """An image with its candidates and its name."""
    if not flags & HIDDEN and attrs.get("width") not in _NOTHING:
        into.media_count += 1
    into.complications += 1
    alt = attrs.get("alt")
    presentational = "role" in attrs and attrs["role"].strip().lower() in {"none", "presentation"}
    labeled = not NAME_ATTRIBUTES.isdisjoint(attrs)
    name = attrs.get("title", "") if alt is None else alt
    name = collapse(name) if name else ""
    lazy = "loading" in attrs and attrs["loading"].strip().lower() == "lazy"
    url = into.resolve(attrs.get("src"))
    candidates: dict[str, None] = {}
    if url is not None:
        candidates[url] = None
        into.reference(node, attrs, flags, url, "image", "src", lazy=lazy)
    if "srcset" in attrs:
        for position, (candidate, _) in enumerate(parse_srcset(attrs["srcset"])):
            absolute = into.resolve(candidate)
            if absolute is not None and absolute not in candidates:
                candidates[absolute] = None
                into.reference(
                    node,
                    attrs,
                    flags,
                    absolute,
                    "image",
                    "srcset",
                    lazy=lazy,
                    alternative=url is not None or position > 0,
                )
    types: tuple[str, ...] = ()
    sized = False
    if into.picture is not None:
        types = tuple(into.picture.types)
        candidates.update(dict.fromkeys(into.picture.urls))
        sized = into.picture.sized and bool(into.picture.urls)
        into.picture.has_image = into.picture.is_chosen = True
    if into.fits(into.images, "images"):
        if labeled:
            into.want_name(into.images, attrs, flags, known=False)
        into.images.append(
            Image(
                node=node,
                attrs=attrs,
                hidden=bool(flags & HIDDEN),
                alt=alt,
                url=url,
                candidates=tuple(candidates),
                picture_types=types,
                picture_sized=sized,
                name=name,
                decorative=presentational or bool(flags & HIDDEN) or (alt == "" and not name and not labeled),
                lazy=lazy,
            ),
        )
    return flags, None


def picture(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """Collects the sources for the image inside."""
    picture = into.picture = OpenPicture()

    def close() -> None:
        into.picture = None
        into.markup.picture(node, attrs, flags, has_image=picture.has_image)

    return flags, close


def source(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A candidate of a picture, or of a player."""
    picture = into.picture
    into.markup.empty_source(node, attrs, flags, "src" if picture is None else "srcset")
    if picture is not None and (picture.is_chosen or attrs.keys().isdisjoint(_CANDIDATES)):
        into.markup.ignored_source(node, attrs, flags)
    elif picture is not None:
        if "type" in attrs:
            picture.types.append(attrs["type"].strip().lower())
        picture.sized = picture.sized and attrs.get("width", "").isdecimal() and attrs.get("height", "").isdecimal()
        for candidate, _ in parse_srcset(attrs.get("srcset", "")):
            url = into.resolve(candidate)
            if url is not None:
                picture.urls.append(url)
                into.reference(node, attrs, flags, url, "image", "srcset", alternative=True)
    elif "src" in attrs and into.media_sources is not None:
        # A browser plays the first source it can; the others are never fetched.
        later = into.media_sources > 0
        into.media_sources += 1
        into.reference(
            node, attrs, flags, into.resolve(attrs["src"]), "media", "src", lazy=into.media_lazy, alternative=later
        )
    return flags, None


def player(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A video or audio element."""
    into.markup.empty_source(node, attrs, flags)
    into.media_count += 1
    into.complications += 1
    into.parts.keep(into.parts.players, node, attrs, flags)
    if "controls" in attrs:
        into.parts.focusable(node, attrs, flags)
    lazy = attrs.get("preload", "").strip().lower() == "none" and "autoplay" not in attrs
    into.reference(node, attrs, flags, into.resolve(attrs.get("src")), "media", "src", lazy=lazy)
    if "poster" in attrs:
        into.reference(node, attrs, flags, into.resolve(attrs["poster"]), "image", "poster")
    into.media_sources, into.media_lazy = (1 if "src" in attrs else 0), lazy

    def close() -> None:
        into.media_sources = None

    # What stands inside is shown only by browsers without the element.
    return flags | NO_TEXT, close


def object_element(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """An embedded object; its content is the fallback."""
    into.media_count += 1
    into.complications += 1
    into.reference(node, attrs, flags, into.resolve(attrs.get("data")), "object", "data")
    into.parts.keep(into.parts.objects, node, attrs, flags)
    return flags | NO_TEXT, None


def embed(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """An embedded plugin object."""
    into.markup.empty_source(node, attrs, flags)
    into.media_count += 1
    into.reference(node, attrs, flags, into.resolve(attrs.get("src")), "object", "src")
    if "src" not in attrs and "data" not in attrs:
        # It shows nothing, but its type still says what it is for.
        into.parts.keep(into.parts.objects, node, attrs, flags)
    return flags, None


def iframe(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """Another document inside this one."""
    into.parts.focusable(node, attrs, flags)
    if not flags & HIDDEN and attrs.get("width") not in _NOTHING:
        into.media_count += 1
    into.complications += 1
    url = into.resolve(attrs.get("src"))
    lazy = attrs.get("loading", "").strip().lower() == "lazy"
    into.reference(node, attrs, flags, url, "frame", "src", lazy=lazy)
    if into.fits(into.frames, "frames"):
        if not NAME_ATTRIBUTES.isdisjoint(attrs):
            into.want_name(into.frames, attrs, flags, known=False)
        into.frames.append(
            Frame(
                node=node,
                attrs=attrs,
                hidden=bool(flags & HIDDEN),
                url=url,
                name=collapse(attrs.get("title", "")),
            ),
        )
    if node.tag == "frame":
        obsolete(into, node, attrs, flags)
    return flags | SKIP, None
