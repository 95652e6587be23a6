import re
from itertools import islice
from typing import Final

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import State, Verdict, check, offender_loss
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.document import Document, Image
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, NotApplicable, Outcome, Severity
from pagegrade.model.rendering import Rendering

FULL_AT: Final = 10
MAX_VALUE: Final = 40
"""Characters of a length that are read, so that the expressions below stay linear on hostile digits."""
_DIMENSION: Final = re.compile(r"[ \t\n\f\r]*[0-9]+(?:\.[0-9]*)?(?![0-9.]*%)")
_PERCENTAGE: Final = re.compile(r"[ \t\n\f\r]*[0-9]+(?:\.[0-9]*)?%")
_EXPLICIT: Final = re.compile(r"\+?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[a-z]+|%)?$|(?:calc|min|max|clamp|var|env)\(")
_RATIO: Final = re.compile(r"[0-9]")


@check(
    id="image-dimensions",
    title="Image dimensions",
    severity=Severity.MEDIUM,
    cause="layout-shift",
    since="0.1.0",
    visible_only=True,
    states=(
        State("reserved", "Every image declares its dimensions."),
        State(
            "unsized",
            "Images do not declare their dimensions.",
            loss=0.25,
            loss_max=0.5,
            title="Images without width and height",
            why=(
                "Unless a stylesheet reserves the space, everything below moves when the image loads, while "
                "people read or are about to tap (layout shift)."
            ),
            fix=(
                "Write the pixel size of the file as `width` and `height` on each image, and let `height: auto` "
                "in the stylesheet keep the proportions:\n\n"
                "```\n"
                '<img src="/chair.webp" alt="Green garden chair" width="800" height="600">\n'
                "```"
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/embedded-content-other.html#dimension-attributes",
        "https://html.spec.whatwg.org/multipage/rendering.html#attributes-for-embedded-content-and-images",
        "https://web.dev/articles/optimize-cls",
    ),
)
def image_dimensions(document: Document, rendering: Rendering | NotGathered) -> Verdict:
    """Without `width` and `height`, an image shifts the content below it when it loads.

    ## What it checks

    Whether every `<img>` has numeric `width` and `height` attributes, or says the same in its `style` attribute: both
    sides, or an `aspect-ratio` with one side. A width may be a percentage, since the height is what is kept free; a
    height attribute may not, and a percentage of the height in `style` is accepted. Sizes on every `<source>` of its
    `<picture>` count too, and so do rules outside of conditions in the page's `<style>` elements and in the style
    sheets that were fetched. Where a browser drew the page, the style that it computed for an image decides. Left out
    are images that cannot push anything: hidden ones, ones positioned absolutely or fixed, and placeholders (no URL
    yet, or inline `data:`).

    A script or a condition may reserve the space unseen by this check, so it only ever costs a part: a quarter for the
    first image, up to half for ten. About three of four well-known pages have such an image. The share is that large
    because the attributes went out of use when layouts became fluid. Since 2020 browsers reserve the space by them
    again, and without them the page still shifts while people read.

    ## Fails on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <img src="/chair.webp" alt="Green garden chair">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <img src="/chair.webp" alt="Green garden chair" width="800" height="600">
    ```
    """
    shown = [image for image in document.images if not image.hidden and _takes_space(image)]
    if not shown:
        return NotApplicable("The page has no images that need dimensions.")
    reserved = _reserved_in_browser(rendering)
    offenders = [
        image
        for image in shown
        if not _is_sized(image) and image.node not in document.images_with_space and image.url not in reserved
    ]
    if not offenders:
        return Outcome("reserved", value=amount(len(shown), "image"))
    count = len(offenders)
    return Outcome(
        "unsized",
        value=part(count, len(shown), "image"),
        evidence=tuple(
            document.evidence(image, reason=_reason(image), url=image.url or "")
            for image in islice(offenders, MAX_EVIDENCE)
        ),
        total=count,
        details=(Detail(code="unsized_images", actual=count, limit=0),),
        loss=0.5 * offender_loss(count, FULL_AT),
    )


def _reserved_in_browser(rendering: Rendering | NotGathered) -> frozenset[str]:
    """Return the addresses of images whose space is reserved wherever they are drawn."""
    if isinstance(rendering, NotGathered):
        return frozenset()
    free = {image.declared_url for image in rendering.images if not image.has_space}
    return frozenset(image.declared_url for image in rendering.images) - free


def _takes_space(image: Image) -> bool:
    source = image.attrs.get("src", "").strip()
    if (not source and "srcset" not in image.attrs) or source[:5].lower() == "data:":
        return False
    position = _style(image).get("position", "") if "position" in image.attrs.get("style", "").lower() else ""
    return position not in {"absolute", "fixed"}


def _is_sized(image: Image) -> bool:
    width = _DIMENSION.match(image.attrs.get("width", "")[:MAX_VALUE]) is not None
    height = _DIMENSION.match(image.attrs.get("height", "")[:MAX_VALUE]) is not None
    if (width and height) or image.picture_sized:
        return True
    width = width or _PERCENTAGE.match(image.attrs.get("width", "")[:MAX_VALUE]) is not None
    style = _style(image) if "style" in image.attrs else {}
    width = width or _EXPLICIT.match(style.get("width", "")) is not None
    height = height or _EXPLICIT.match(style.get("height", "")) is not None
    if width and height:
        return True
    return (width or height) and _RATIO.search(style.get("aspect-ratio", "")) is not None


def _style(image: Image) -> dict[str, str]:
    """Declarations of the ``style`` attribute, lower case; the last of a property wins."""
    declarations = (part.partition(":") for part in image.attrs.get("style", "").lower()[:2_000].split(";"))
    return {name.strip(): value.replace("!important", "").strip()[:MAX_VALUE] for name, _, value in declarations}


def _reason(image: Image) -> str:
    missing = [side for side in ("width", "height") if side not in image.attrs]
    return f"no {' and '.join(missing)}" if missing else "width and height are not both numbers"
