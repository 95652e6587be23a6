"""Find the main image: the largest element that a browser painted, or what is probably it by markup and files."""

from __future__ import annotations

from typing import Final

from pagegrade.model.artifacts import NotGathered, Resource, Resources
from pagegrade.model.document import Document, Image
from pagegrade.model.rendering import Rendering
from pagegrade.parse.html.single_elements import is_in_menu
from pagegrade.parse.url import strip_fragment

FIRST: Final = 5
"""Visible images at the beginning of the page that may be it."""
WIDTH_PX: Final = 300
HEIGHT_PX: Final = 200


def main_image(
    document: Document, resources: Resources | NotGathered, rendering: Rendering | NotGathered
) -> tuple[Image | None, str]:
    """Return the main image, and how it is known to be it.

    Where a browser named the largest element that it painted, only that counts: ``None`` if it is no image of the HTML.
    """
    if not isinstance(rendering, Rendering) or rendering.lcp_element is None:
        return probable_main_image(document, resources), "probably the main image"
    selector = rendering.lcp_element.selector
    painted = next((image.url for image in rendering.images if image.url and image.selector == selector), None)
    if painted is None:
        return None, ""
    shown = (image for image in document.images if painted in {strip_fragment(url) for url in image.candidates})
    found = next(shown, None)
    return found, "the largest element that was painted" if found is not None else ""


def probable_main_image(document: Document, resources: Resources | NotGathered) -> Image | None:
    """The first large image among the first five visible ones; ``None`` when there is none.

    Whether it is the one of Largest Contentful Paint is known only when the page is rendered. Hidden images and inline
    ``data:`` are left out, and so are those of a menu: logos and pictures of people, whose files are often much larger
    than they are shown.
    """
    files = resources.by_url() if isinstance(resources, Resources) else {}
    shown = [image for image in document.images if not image.hidden and (image.url or "").startswith("http")]
    large = (image for image in shown[:FIRST] if _is_large(image, files))
    return next((image for image in large if not is_in_menu(image.node)), None)


def _is_large(image: Image, files: dict[str, Resource]) -> bool:
    """By its attributes; by its file where those say nothing."""
    width, height = (_number(image.attrs.get(name, "")) for name in ("width", "height"))
    if width is None or height is None:
        file = files.get(strip_fragment(image.url or ""))
        facts = None if file is None else file.image
        if facts is None or facts.width_px is None or facts.height_px is None:
            return False
        width, height = width or facts.width_px, height or facts.height_px
    return width >= WIDTH_PX and height >= HEIGHT_PX


def _number(text: str) -> int | None:
    text = text.strip().removesuffix("px")
    return int(text[:6]) if text.isascii() and text.isdecimal() else None
