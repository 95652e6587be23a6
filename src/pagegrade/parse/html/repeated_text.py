"""Images whose alternative repeats what stands beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from turbohtml import Element, Text

from pagegrade.model.document import Image
from pagegrade.parse.aria.roles import first_role
from pagegrade.parse.cascade.visibility import Visibility
from pagegrade.parse.html.accessible_names import is_hidden

MAX_STEPS: Final = 50_000
"""Nodes looked at for all images of a document together."""
MAX_LEVELS: Final = 10
"""Elements around an image that are asked whether they are its surroundings."""
_SURROUNDINGS: Final = frozenset({"button", "p", "li", "td", "th"})
_SILENT: Final = frozenset({"script", "style", "template", "noscript", "svg"})


def repeated_images(images: Sequence[Image], visibility: Visibility) -> list[Image]:
    """Images whose alternative is the whole text of the link, button, paragraph, list item or cell around them.

    In a figure its caption is what stands beside the image.
    """
    found: list[Image] = []
    steps = MAX_STEPS
    for image in images:
        wanted = _squeeze(image.name)
        if not wanted or image.hidden or image.decorative or not isinstance(image.node, Element):
            continue
        around = _surroundings(image.node)
        if around is None:
            continue
        says, steps = _says(around, wanted, steps, visibility)
        if says:
            found.append(image)
        if steps <= 0:
            break
    return found


def _surroundings(node: Element) -> Element | None:
    at: Any = node.parent
    for _ in range(MAX_LEVELS):
        if not isinstance(at, Element):
            return None
        if at.tag == "figure":
            caption = next((one for one in at if isinstance(one, Element) and one.tag == "figcaption"), None)
            if caption is not None:
                return caption
        if at.tag in _SURROUNDINGS or (at.tag == "a" and "href" in at.attrs):
            return at
        if "role" in at.attrs and first_role(at.attr("role") or "") in {"button", "link"}:
            return at
        at = at.parent
    return None


def _says(node: Element, wanted: str, steps: int, visibility: Visibility) -> tuple[bool, int]:
    """(whether the text inside is ``wanted``, steps that are left); text that is longer is not read to its end."""
    said = ""
    stack = [iter(node)]
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
            continue
        steps -= 1
        if steps <= 0:
            return False, 0
        if isinstance(child, Text):
            said += _squeeze(child.data)
            if not wanted.startswith(said):
                return False, steps
        elif isinstance(child, Element) and child.tag not in _SILENT and not is_hidden(child, visibility):
            stack.append(iter(child))
    return said == wanted, steps


def _squeeze(text: str) -> str:
    """Without blanks and case: markup breaks lines where it likes."""
    return "".join(text.split()).casefold()
