from itertools import islice
from typing import Final

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Resources
from pagegrade.model.document import Document, Image
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, NotApplicable, Outcome, Severity
from pagegrade.parse.url import strip_fragment

WIDTH_PX: Final = 1_000


@check(
    id="responsive-images",
    title="Responsive images",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("offered", "Large images are offered in several sizes."),
        State(
            "single",
            "Large images are offered in one size only.",
            title="Large images in one size only",
            why="Phones download an image made for a desktop, with several times the pixels that they can show.",
            fix=(
                "Offer the image in two or three widths:\n\n"
                "```\n"
                '<img src="/chair-1600.webp" srcset="/chair-800.webp 800w, /chair-1600.webp 1600w" '
                'sizes="100vw" alt="Chair">\n'
                "```"
            ),
            counted=True,
        ),
    ),
    sources=("https://html.spec.whatwg.org/multipage/images.html#responsive-images",),
)
def responsive_images(document: Document, resources: Resources) -> Verdict:
    """A phone should not have to download an image made for a desktop.

    ## What it checks

    Images of the page whose file is more than 1,000 pixels wide, and that offer no other size with `srcset` or a
    `<picture>`. It is informative, because whether a smaller one is enough depends on the displayed size, which only a
    browser knows. SVGs have no pixels and are left out.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <img src="/chair.jpg" alt="Green garden chair">
    ```

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/chair.jpg",
          "kinds": ["image"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/chair.jpg", "status": 200, "wire_bytes": 90000},
          "image": {"format": "jpeg", "width_px": 2400, "height_px": 1600}
        }
      ]
    }
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <img src="/chair.jpg" alt="Green garden chair" srcset="/chair-800.jpg 800w">
    ```

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/chair.jpg",
          "kinds": ["image"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/chair.jpg", "status": 200, "wire_bytes": 90000},
          "image": {"format": "jpeg", "width_px": 2400, "height_px": 1600}
        }
      ]
    }
    ```
    """
    files = resources.by_url()
    large: list[tuple[Image, int]] = []
    for image in document.images:
        file = files.get(strip_fragment(image.url or ""))
        facts = None if file is None else file.image
        if facts is not None and facts.format != "svg" and (facts.width_px or 0) > WIDTH_PX:
            large.append((image, facts.width_px or 0))
    if not large:
        return NotApplicable(f"No image of more than {WIDTH_PX:,} pixels of width was fetched.")
    offenders = [(image, width) for image, width in large if len(image.candidates) < 2]
    return Outcome(
        "single" if offenders else "offered",
        value=part(len(offenders), len(large), "image") if offenders else amount(len(large), "image"),
        evidence=tuple(
            document.evidence(image, reason=f"{width:,} pixels wide", url=image.url or "")
            for image, width in islice(offenders, MAX_EVIDENCE)
        ),
        total=len(offenders) if offenders else None,
        details=(Detail(code="images_of_one_size", actual=len(offenders)),),
    )
