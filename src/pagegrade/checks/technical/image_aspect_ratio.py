from typing import Final

from pagegrade.checks._check import State, Verdict, check, offender_loss
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, NotApplicable, Outcome, Severity
from pagegrade.model.rendering import RenderedImage, Rendering

MIN_SIDE_PX: Final = 6.0
"""Lines and dots that are stretched on purpose are smaller."""
MAX_DIFFERENCE_PX: Final = 2.0
FULL_AT: Final = 10
"""Distorted images that cost everything."""
MAX_DIFFERENCE: Final = 0.02
"""Share of a side: a layout rounds to whole pixels."""


@check(
    id="image-aspect-ratio",
    title="Proportions of images",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("kept", "Images are shown in the proportions of their files."),
        State(
            "distorted",
            "Images are stretched or squeezed.",
            loss=0.5,
            loss_max=1.0,
            title="Show images in their own proportions",
            why="Distorted photos and logos look like a mistake, and people in them look wrong.",
            fix="Set only one side of the listed images in the style sheet and leave the other to `auto`, or add "
            "`object-fit: cover`.",
            counted=True,
        ),
    ),
    sources=(
        "https://developer.chrome.com/docs/lighthouse/best-practices/image-aspect-ratio",
        "https://drafts.csswg.org/css-images/#the-object-fit",
    ),
)
def image_aspect_ratio(rendering: Rendering) -> Verdict:
    """An image is shown in the proportions of its file.

    ## What it checks

    The size of every `<img>` in the layout, against the pixels of its file. An image is distorted when its height is
    off by 2 CSS pixels or more, and by more than 2 % of it, from the height that its width asks for. Images with an
    `object-fit` that keeps the proportions, SVGs, images inside the HTML and those with a side below 6 pixels are left
    out.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "images": [
        {
          "url": "https://example.com/bench.jpg", "selector": "main > img", "html": "<img src=/bench.jpg>",
          "natural_width_px": 800, "natural_height_px": 600, "x_px": 0, "y_px": 100, "width_px": 400, "height_px": 200
        }
      ]
    }
    ```

    ## Passes on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "images": [
        {
          "url": "https://example.com/bench.jpg", "selector": "main > img", "html": "<img src=/bench.jpg>",
          "natural_width_px": 800, "natural_height_px": 600, "x_px": 0, "y_px": 100, "width_px": 400, "height_px": 300
        }
      ]
    }
    ```
    """
    shown = [image for image in rendering.images if _counts(image)]
    if not shown:
        return NotApplicable("The browser drew no image whose proportions are known.")
    found = [image for image in shown if _is_distorted(image)]
    if not found:
        return Outcome("kept", value=len(shown))
    return Outcome(
        "distorted",
        value=len(found),
        evidence=tuple(
            Evidence(
                selector=image.selector,
                snippet=image.html,
                url=image.url,
                reason=f"{image.natural_width_px} x {image.natural_height_px} pixels, shown as "
                f"{image.width_px:.0f} x {image.height_px:.0f}",
            )
            for image in found[:MAX_EVIDENCE]
        ),
        total=len(found),
        loss=offender_loss(len(found), FULL_AT),
    )


def _counts(image: RenderedImage) -> bool:
    path = image.url.partition("?")[0].partition("#")[0].lower()
    known = image.natural_width_px > 0 and image.natural_height_px > 0
    drawn = min(image.width_px, image.height_px) >= MIN_SIDE_PX
    return bool(path) and not path.endswith(".svg") and image.fit == "fill" and known and drawn


def _is_distorted(image: RenderedImage) -> bool:
    wanted_px = image.width_px * image.natural_height_px / image.natural_width_px
    difference_px = abs(wanted_px - image.height_px)
    return difference_px >= MAX_DIFFERENCE_PX and difference_px > MAX_DIFFERENCE * max(wanted_px, image.height_px)
