from typing import Final

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import State, Verdict, check, offender_loss
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.assets import Asset, Assets

HEAVY_BYTES: Final = 200_000
VERY_HEAVY_BYTES: Final = 500_000
FULL_AT: Final = 5


@check(
    id="image-weight",
    title="Image weight",
    severity=Severity.HIGH,
    cause="image-bytes",
    since="0.1.0",
    states=(
        State("light", "No image is larger than 200 kB."),
        State(
            "heavy",
            "Images of the page are large.",
            loss=0.25,
            loss_max=0.5,
            title="Images larger than 200 kB",
            why="Large images load last and delay the page on slow connections.",
            fix=(
                "Save photos in the size in which they are shown, with a quality of 60 to 80, and as "
                "AVIF or WebP where they are not yet. Offer smaller candidates with `srcset`."
            ),
            counted=True,
        ),
        State(
            "very_heavy",
            "Images of the page are very large.",
            loss=0.5,
            loss_max=1.0,
            title="Images larger than 500 kB",
            why=(
                "An image of 500 kB or more takes seconds on a mobile connection, and is often a photo straight "
                "from the camera."
            ),
            fix=(
                "Scale the image to the size in which it is shown, and save it with a quality of 60 "
                "to 80, as AVIF or WebP where it is not yet. Offer smaller candidates with `srcset`."
            ),
            counted=True,
        ),
    ),
    sources=("https://web.dev/learn/performance/image-performance",),
)
def image_weight(assets: Assets, document: Document) -> Verdict:
    """A single heavy image can weigh more than everything else on the page.

    ## What it checks

    The bytes transferred for each image that the HTML itself names, whatever its format. Up to 200,000 bytes are fine.
    Heavier ones cost a quarter to a half, by their number up to five; from 500,000 bytes they cost half to all. Some
    sites exist for large photos, hence the steps. Backgrounds that a stylesheet names are left out, since they may
    never be fetched, and so are images that were not fetched.

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
          "response": {"url": "https://example.com/chair.jpg", "status": 200, "wire_bytes": 640000},
          "image": {"format": "jpeg", "width_px": 800, "height_px": 600}
        }
      ]
    }
    ```

    ## Passes on

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
          "image": {"format": "jpeg", "width_px": 800, "height_px": 600}
        }
      ]
    }
    ```
    """
    named = {reference.url for reference in document.references if reference.node.tag != "style"}
    images = [item for item in assets.of("image") if item.url in named]
    if not images:
        return NotApplicable("No image that the page names was fetched.")
    total = sum(item.wire_bytes for item in images)
    offenders = sorted((item for item in images if item.wire_bytes > HEAVY_BYTES), key=lambda item: -item.wire_bytes)
    very_heavy = sum(item.wire_bytes > VERY_HEAVY_BYTES for item in offenders)
    details = (
        Detail(code="heavy_images", actual=len(offenders), limit=0),
        Detail(code="very_heavy_images", actual=very_heavy, limit=0),
        Detail(code="image_bytes", actual=total),
    )
    if not offenders:
        return Outcome("light", value=amount(len(images), "image"), details=details)
    loss = offender_loss(very_heavy, FULL_AT) if very_heavy else 0.5 * offender_loss(len(offenders), FULL_AT)
    return Outcome(
        "very_heavy" if very_heavy else "heavy",
        value=part(len(offenders), len(images), "image"),
        evidence=tuple(
            Evidence(url=item.url, value=f"{item.wire_bytes:,} bytes", reason=_pixels(item))
            for item in offenders[:MAX_EVIDENCE]
        ),
        total=len(offenders),
        count=very_heavy or len(offenders),
        details=details,
        loss=loss,
    )


def _pixels(item: Asset) -> str:
    image = item.resource.image
    if image is None or image.width_px is None:
        return "pixel size unknown"
    return f"{image.format}, {image.width_px} x {image.height_px} pixels"
