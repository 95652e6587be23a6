from typing import Final

from pagegrade.checks._amounts import amount, part, rounded
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Resource, Resources
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Saving, Severity

SMALL_BYTES: Final = 10_000
MIN_SAVING_BYTES: Final = 4_096
TARGET_BYTES_PER_PIXEL: Final = 2 / 12
"""Bytes per pixel of an AVIF or good WebP photo, rounded up."""
MODERN: Final = frozenset({"webp", "avif", "jxl", "heic"})
MODERN_TYPES: Final = frozenset({"image/webp", "image/avif", "image/jxl"})
MODERN_ENDINGS: Final = (".webp", ".avif", ".jxl")
LEGACY: Final = frozenset({"jpeg", "png", "gif", "bmp", "tiff"})


@check(
    id="image-format",
    title="Image formats",
    severity=Severity.LOW,
    cause="image-bytes",
    since="0.1.0",
    states=(
        State("modern", "Every larger image is in a modern format."),
        State(
            "efficient_legacy",
            "Images are in an older format, but already small for their size.",
            loss=0.5,
            title="Images in older formats",
            why="WebP or AVIF would make these images somewhat smaller still.",
            fix="Offer AVIF or WebP when the images are next exported, or let a CDN convert them.",
            counted=True,
        ),
        State(
            "legacy",
            "Images are in an older format and could be much smaller.",
            loss=1.0,
            title="Serve images in modern formats",
            why="WebP and AVIF need a quarter to a half fewer bytes than JPEG and PNG for the same image.",
            fix=(
                "Offer AVIF or WebP with the old file as the fallback, or let a CDN convert the images:\n\n"
                "```\n"
                "<picture>\n"
                '  <source type="image/avif" srcset="/chair.avif">\n'
                '  <img src="/chair.jpg" alt="Green garden chair" width="800" height="600">\n'
                "</picture>\n"
                "```"
            ),
        ),
    ),
    sources=(
        "https://developer.mozilla.org/en-US/docs/Web/Media/Guides/Formats/Image_types",
        "https://developers.google.com/speed/webp/docs/webp_study",
    ),
)
def image_format(document: Document, resources: Resources) -> Verdict:
    """WebP and AVIF need far fewer bytes than JPEG and PNG for the same image.

    ## What it checks

    Every image of more than 10,000 bytes that the HTML names and that was fetched; images that only a stylesheet names
    are left out, because a page rarely uses all of them. The format is read from its first bytes, never from the
    name. WebP, AVIF and JPEG XL are fine, and so is an older format that a `<picture>` or a `srcset` offers only beside
    a modern one (by its `type`, its content or, if it was not fetched, its extension). A JPEG, PNG, GIF, BMP or TIFF
    costs half when it is already near the 0.17 bytes a pixel that good modern formats need, or when its pixels are not
    known: the format itself is evaluated here, while `image-efficiency` looks at bytes alone. It costs everything when
    more than 4,096 bytes could be saved against that. SVG and icons are not evaluated.

    ## Fails on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <img src="/chair.jpg" alt="Green garden chair">
    ```

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/chair.jpg",
          "kinds": ["image"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/chair.jpg", "status": 200, "wire_bytes": 240000},
          "image": {"format": "jpeg", "width_px": 800, "height_px": 600}
        }
      ]
    }
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <img src="/chair.jpg" alt="Green garden chair">
    ```

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/chair.jpg",
          "kinds": ["image"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/chair.jpg", "status": 200, "wire_bytes": 60000},
          "image": {"format": "webp", "width_px": 800, "height_px": 600}
        }
      ]
    }
    ```
    """
    evaluated = [
        found for item in resources.items if item.initiator_url == document.url and (found := _raster(item)) is not None
    ]
    if not evaluated:
        return NotApplicable("No raster image that the HTML names was fetched.")
    fallbacks = _fallbacks(document, resources)
    offenders: list[tuple[int, Resource, int, int | None]] = []
    for item, size in evaluated:
        image = item.image
        if size <= SMALL_BYTES or image is None or image.format in MODERN or item.url in fallbacks:
            continue
        saving: int | None = None
        if image.width_px and image.height_px:
            saving = size - round(image.width_px * image.height_px * TARGET_BYTES_PER_PIXEL)
        offenders.append((saving or 0, item, size, saving))
    offenders.sort(key=lambda offender: (-offender[0], -offender[2], offender[1].url))
    if not offenders:
        return Outcome("modern", value=amount(len(evaluated), "image"))
    wasteful = sum(saving > MIN_SAVING_BYTES for saving, *_ in offenders)
    evidence = tuple(
        Evidence(
            url=item.url,
            value=f"{size:,} bytes",
            reason=_reason(item, size, saving),
            state="efficient_legacy" if wasteful and saving is not None and saving <= MIN_SAVING_BYTES else "",
        )
        for _, item, size, saving in offenders[:MAX_EVIDENCE]
    )
    return Outcome(
        "legacy" if wasteful else "efficient_legacy",
        value=part(len(offenders), len(evaluated), "image"),
        evidence=evidence,
        total=len(offenders),
        details=(Detail(code="largest_saving_bytes", actual=offenders[0][0], limit=MIN_SAVING_BYTES),),
        saving=Saving(sum(saving for saving, *_ in offenders if saving > MIN_SAVING_BYTES), "bytes")
        if wasteful
        else None,
    )


def _raster(item: Resource) -> tuple[Resource, int] | None:
    """The image with its bytes on the wire, when it is one that was received and has a raster format."""
    response = item.response
    if item.image is None or response is None or response.wire_bytes is None or "image" not in item.kinds:
        return None
    if not 200 <= response.status < 300 or item.image.format not in MODERN | LEGACY:
        return None
    return item, response.wire_bytes


def _fallbacks(document: Document, resources: Resources) -> set[str]:
    """Images that a browser takes only when it knows no modern format: candidates of no other kind of place."""
    formats = {item.url: item.image.format for item in resources.items if item.image is not None}
    offered: set[str] = set()
    plain: set[str] = set()
    for image in document.images:
        modern = not MODERN_TYPES.isdisjoint(image.picture_types) or any(
            _is_modern(url, formats.get(url)) for url in image.candidates
        )
        (offered if modern else plain).update(image.candidates)
    return offered - plain


def _is_modern(url: str, seen: str | None) -> bool:
    """By the file where it was fetched, else by the ending of its name."""
    if seen is not None:
        return seen in MODERN
    return url.partition("?")[0].partition("#")[0].lower().endswith(MODERN_ENDINGS)


def _reason(item: Resource, size: int, saving: int | None) -> str:
    image = item.image
    if image is None:
        return ""
    if saving is None:
        return f"{image.format}, pixel size unknown"
    pixels = f"{image.format}, {image.width_px} x {image.height_px} pixels"
    return (
        f"{pixels}, as WebP or AVIF about {rounded(size - saving)} bytes"
        if saving > MIN_SAVING_BYTES
        else f"{pixels}, already well compressed"
    )
