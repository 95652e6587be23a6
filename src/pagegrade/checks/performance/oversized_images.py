from typing import Final

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Saving, Severity
from pagegrade.model.rendering import RenderedImage, Rendering

MIN_SAVING_BYTES: Final = 4_096
BAD_BYTES: Final = 500_000


@check(
    id="oversized-images",
    title="Oversized images",
    severity=Severity.LOW,
    cause="image-bytes",
    since="0.1.0",
    states=(
        State("fitting", "Images have about as many pixels as the screen shows of them."),
        State(
            "oversized",
            "Images have more pixels than the screen shows of them.",
            loss=0.2,
            loss_max=1.0,
            title="Serve images in the size in which they are shown",
            why="The browser downloads pixels that it throws away, which delays everything else on a slow connection.",
            fix="Scale the listed images to their size on the screen, and offer several widths with `srcset`.",
        ),
    ),
    sources=("https://web.dev/articles/serve-responsive-images",),
)
def oversized_images(rendering: Rendering) -> Verdict:
    """A browser scales an image down to the size of its place, and every pixel beyond it was downloaded for nothing.

    ## What it checks

    The pixels of every `<img>` that the browser has drawn, against the pixels of the screen that it covers: its size in
    the layout times the pixel density of the device (1.75 on the phone). With `object-fit: cover`, the part that is cut
    off counts as shown. The surplus share of a file counts with its transferred bytes when that is more than 4,096; all
    surplus together costs in five steps from nothing to 500,000 bytes. Where a file is shown several times, its largest
    place counts. SVGs, images inside the HTML, and files that the browser had from its cache are left out.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "images": [
        {"url": "https://example.com/chair.jpg", "selector": "main > img", "html": "<img>",
          "natural_width_px": 2400, "natural_height_px": 1600, "x_px": 0, "y_px": 0, "width_px": 300, "height_px": 200}
      ],
      "requests": [{"url": "https://example.com/chair.jpg", "mime_type": "image/jpeg", "wire_bytes": 400000}]
    }
    ```

    ## Passes on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "images": [
        {"url": "https://example.com/chair.jpg", "selector": "main > img", "html": "<img>",
          "natural_width_px": 300, "natural_height_px": 200, "x_px": 0, "y_px": 0, "width_px": 300, "height_px": 200}
      ],
      "requests": [{"url": "https://example.com/chair.jpg", "mime_type": "image/jpeg", "wire_bytes": 40000}]
    }
    ```
    """
    transferred = {
        request.url: request.wire_bytes
        for request in rendering.requests
        if request.wire_bytes and not request.from_cache and "svg" not in request.mime_type
    }
    fits: dict[str, tuple[float, RenderedImage]] = {}
    for image in rendering.images:
        if image.url in transferred and image.width_px > 0 and image.height_px > 0:
            shown = _shown_share(image, rendering.pixel_ratio)
            if image.url not in fits or shown > fits[image.url][0]:
                fits[image.url] = (shown, image)
    if not fits:
        return NotApplicable("The browser drew no image with a file of its own.")
    found = [(round(transferred[url] * (1 - shown)), image) for url, (shown, image) in fits.items()]
    found = sorted((one for one in found if one[0] > MIN_SAVING_BYTES), key=lambda one: (-one[0], one[1].url))
    if not found:
        return Outcome("fitting", value=amount(len(fits), "image"))
    wasted = sum(size for size, _ in found)
    return Outcome(
        "oversized",
        value=part(len(found), len(fits), "image"),
        evidence=tuple(
            Evidence(
                url=image.url,
                selector=image.selector,
                snippet=image.html[:200],
                value=f"{image.natural_width_px:,} x {image.natural_height_px:,} pixels",
                reason=f"shown at {image.width_px:,.0f} x {image.height_px:,.0f} CSS pixels",
            )
            for _, image in found[:MAX_EVIDENCE]
        ),
        total=len(found),
        details=(Detail(code="surplus_bytes", actual=wasted, limit=MIN_SAVING_BYTES),),
        loss=max(0.2, meter_loss(wasted, 0, BAD_BYTES)),
        saving=Saving(wasted, "bytes"),
    )


def _shown_share(image: RenderedImage, pixel_ratio: float) -> float:
    """The share of the pixels of a file that are needed at the size in which it is drawn, 0 to 1."""
    across = image.width_px * pixel_ratio / image.natural_width_px
    down = image.height_px * pixel_ratio / image.natural_height_px
    if image.fit == "cover":
        across = down = max(across, down)
    elif image.fit in ("contain", "scale-down"):
        across = down = min(across, down)
    elif image.fit == "none":
        return 1.0
    return min(1.0, across) * min(1.0, down)
