"""Finds images whose space the style sheets of a page reserve before they load."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Final

import turbohtml
from turbohtml import Element

MAX_RULES: Final = 200
"""Rules about sizes that are tried, and images that they are tried on."""
MAX_SELECTOR: Final = 2_000
"""Characters of the selectors of one rule."""
_COMMENT: Final = re.compile(r"/\*[\s\S]*?(?:\*/|\Z)")
_LENGTH: Final = re.compile(r"\+?(?:\d+\.?\d*|\.\d+)(?:[a-z]+|%)?$|(?:calc|min|max|clamp|var|env)\(")
_MAX_VALUE: Final = 100


def images_with_space(
    images: Iterable[Element], sheets: Iterable[str], further: Iterable[str] = ()
) -> frozenset[Element]:
    """Return the images that a rule outside of conditions gives both sides, a side and a ratio, or takes out of flow.

    Args:
        images: In document order; those behind the limit get no answer.
        sheets: Texts of the ``<style>`` elements.
        further: Selectors of style sheets that were fetched, as ``reserving_selectors`` returns them.

    Source: https://web.dev/articles/optimize-cls
    """
    asked = [*islice(images, MAX_RULES)]
    own = (selector for sheet in sheets for selector in _reserving(sheet))
    selectors = [*islice(chain(own, further), MAX_RULES)] if asked else ()
    return frozenset(image for image in asked if any(_matches(image, selector) for selector in selectors))


def reserving_selectors(sheet: str) -> tuple[str, ...]:
    """Return the selectors of the rules of a sheet that reserve the space of what they select, at most 200."""
    return tuple(islice(_reserving(sheet), MAX_RULES))


def _reserving(sheet: str) -> Iterator[str]:
    depth = 0
    before = ""
    css = _COMMENT.sub(" ", sheet) if "/*" in sheet else sheet
    for block, lowered in zip(css.split("}")[:-1], css.lower().split("}"), strict=False):
        if not depth:
            before = block
        depth += block.count("{") - 1
        if depth == 0:
            may_be_sized = ("height" in lowered and "width" in lowered) or "aspect-ratio" in lowered
            if (may_be_sized or "position" in lowered) and _reserves(lowered.rpartition("{")[2]):
                prelude = before.partition("{")[0].rpartition(";")[2].strip()
                if 0 < len(prelude) <= MAX_SELECTOR and not prelude.startswith("@"):
                    yield prelude
        elif depth < 0:
            depth = 0


def _reserves(lowered: str) -> bool:
    """Return whether declarations in small letters keep the space of an image free, or put it beside the flow."""
    # Few rules say anything of the kind, and only those are taken apart.
    has_width, has_height = "width" in lowered, "height" in lowered
    may_be_sized = (has_width and has_height) or ("aspect-ratio" in lowered and (has_width or has_height))
    if not may_be_sized and not ("position" in lowered and ("absolute" in lowered or "fixed" in lowered)):
        return False
    values = {}
    for declaration in lowered.split(";"):
        name, _, value = declaration.partition(":")
        values[name.strip()] = value.replace("!important", "").strip()[:_MAX_VALUE]
    if values.get("position") in {"absolute", "fixed"}:
        return True
    width, height = (_LENGTH.match(values.get(side, "")) is not None for side in ("width", "height"))
    has_ratio = any(character.isdigit() for character in values.get("aspect-ratio", ""))
    return (width and height) or ((width or height) and has_ratio)


def _matches(image: Element, selector: str) -> bool:
    try:
        return image.matches(selector)
    except turbohtml.SelectorSyntaxError:
        return False  # A browser drops the rule.
