from typing import Final

from pagegrade.checks._amounts import part
from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Saving, Severity
from pagegrade.model.rendering import RenderedImage, Rendering

MARGIN_SCREENS: Final = 0.5
"""Below the first screen, in heights of it: what may be in view as soon as a visitor scrolls."""
MIN_BYTES: Final = 4_096
GOOD_BYTES: Final = 50_000
BAD_BYTES: Final = 1_000_000


@check(
    id="offscreen-images",
    title="Offscreen images",
    severity=Severity.LOW,
    cause="lazy-loading",
    since="0.1.0",
    states=(
        State("deferred", "Images outside of the first screen are loaded when they are needed."),
        State(
            "loaded",
            "Images outside of the first screen are loaded at once.",
            loss=0.2,
            loss_max=1.0,
            title="Defer offscreen images",
            why=(
                "They share the connection with what the first screen needs, and are downloaded even if no one "
                "scrolls to them."
            ),
            fix='Add `loading="lazy"` to the listed images. Galleries and menus can set `src` when they are opened.',
        ),
    ),
    sources=("https://web.dev/articles/browser-level-image-lazy-loading",),
)
def offscreen_images(rendering: Rendering) -> Verdict:
    """Images that no visitor sees at first need not be downloaded at first.

    ## What it checks

    The images that the browser downloaded without `loading="lazy"`, and that are drawn more than half a screen below
    the first screen, beside the page, or not at all. The transferred bytes of each file count if they are more than
    4,096 and it is not shown further up, too. Up to 50,000 bytes in all are fine, 1,000,000 and more cost everything,
    with five steps between. Files that the browser had from its cache and images inside the HTML are left out.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "images": [
        {"url": "https://example.com/chair.jpg", "selector": "main > img", "html": "<img>",
          "natural_width_px": 800, "natural_height_px": 600, "x_px": 0, "y_px": 4000, "width_px": 400, "height_px": 300}
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
          "natural_width_px": 800, "natural_height_px": 600, "x_px": 0, "y_px": 300, "width_px": 400, "height_px": 300}
      ],
      "requests": [{"url": "https://example.com/chair.jpg", "mime_type": "image/jpeg", "wire_bytes": 400000}]
    }
    ```
    """
    transferred = {
        request.url: request.wire_bytes
        for request in rendering.requests
        if request.wire_bytes and not request.from_cache
    }
    width, height = rendering.viewport_px
    seen: set[str] = set()
    later: dict[str, RenderedImage] = {}
    for image in rendering.images:
        if image.url not in transferred:
            continue
        if image.lazy or _is_near(image, width, height * (1 + MARGIN_SCREENS)):
            seen.add(image.url)
        else:
            later.setdefault(image.url, image)
    if not seen and not later:
        return NotApplicable("The browser drew no image with a file of its own.")
    found = sorted(
        ((transferred[url], image) for url, image in later.items() if url not in seen and transferred[url] > MIN_BYTES),
        key=lambda one: (-one[0], one[1].url),
    )
    total = sum(size for size, _ in found)
    loss = meter_loss(total, GOOD_BYTES, BAD_BYTES)
    details = (Detail(code="offscreen_bytes", actual=total, limit=GOOD_BYTES),)
    value = part(len(found), len(seen | later.keys()), "image")
    if loss == 0:
        return Outcome("deferred", value=value, details=details)
    return Outcome(
        "loaded",
        value=value,
        evidence=tuple(
            Evidence(
                url=image.url,
                selector=image.selector,
                snippet=image.html[:200],
                value=f"{size:,} bytes",
                reason=_where(image),
            )
            for size, image in found[:MAX_EVIDENCE]
        ),
        total=len(found),
        details=details,
        loss=max(0.2, loss),
        saving=Saving(total, "bytes"),
    )


def _is_near(image: RenderedImage, width_px: float, height_px: float) -> bool:
    """Return whether a part of an image lies within so many CSS pixels from the upper left corner of the page."""
    across = image.x_px < width_px and image.x_px + image.width_px > 0
    down = image.y_px < height_px and image.y_px + image.height_px > 0
    return image.width_px > 0 and image.height_px > 0 and across and down


def _where(image: RenderedImage) -> str:
    if image.width_px <= 0 or image.height_px <= 0:
        return "not drawn"
    return f"{image.x_px:,.0f} pixels from the left, {image.y_px:,.0f} from the top"
