from typing import Final

from pagegrade.checks._amounts import amount, part, rounded
from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Saving, Severity
from pagegrade.parse.assets import Asset, Assets

TARGET_BYTES_PER_PIXEL: Final = 2 / 12
MIN_SAVING_BYTES: Final = 4_096
BAD_BYTES: Final = 500_000
RASTER: Final = frozenset({"jpeg", "png", "gif", "webp", "avif", "jxl", "heic", "bmp", "tiff"})


@check(
    id="image-efficiency",
    title="Image compression",
    severity=Severity.LOW,
    cause="image-bytes",
    since="0.1.0",
    states=(
        State("efficient", "Images need few bytes for their size."),
        State(
            "wasteful",
            "Images need many bytes for their size.",
            loss=0.2,
            loss_max=1.0,
            title="Compress images",
            why="The same images can be sent in far fewer bytes without a visible difference.",
            fix=(
                "Save the listed images again with a quality of 60 to 80; convert those that are JPEG "
                "or PNG to WebP or AVIF."
            ),
        ),
    ),
    sources=("https://developer.chrome.com/docs/performance/insights/image-delivery",),
)
def image_efficiency(assets: Assets) -> Verdict:
    """An image can be small on the screen and still be badly compressed.

    ## What it checks

    Every raster image (JPEG, PNG, GIF, WebP, AVIF, JPEG XL) whose pixel size could be read. A photo in a good format
    needs about a sixth of a byte for each pixel. What an image takes beyond that is counted when it is more than 4,096
    bytes; all of it together costs in five steps from nothing to 500,000 bytes. Animated images, icons and SVGs are
    left out, and so are images that only a stylesheet names, because a page rarely uses all of them. Pictures with much
    fine detail need more, hence the low severity.

    ## Fails on

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

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/chair.jpg",
          "kinds": ["image"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/chair.jpg", "status": 200, "wire_bytes": 60000},
          "image": {"format": "jpeg", "width_px": 800, "height_px": 600}
        }
      ]
    }
    ```
    """
    evaluated = 0
    offenders: list[tuple[int, Asset]] = []
    for item in assets.of("image"):
        image = item.resource.image
        if image is None or image.format not in RASTER or image.animated or not image.width_px or not image.height_px:
            continue
        if item.response.truncated is not None or not item.in_html:
            continue
        evaluated += 1
        saving = item.wire_bytes - round(image.width_px * image.height_px * TARGET_BYTES_PER_PIXEL)
        if saving > MIN_SAVING_BYTES:
            offenders.append((saving, item))
    if not evaluated:
        return NotApplicable("No raster image of a known size was fetched.")
    if not offenders:
        return Outcome("efficient", value=amount(evaluated, "image"))
    offenders.sort(key=lambda entry: (-entry[0], entry[1].url))
    wasted = sum(saving for saving, _ in offenders)
    return Outcome(
        "wasteful",
        value=f"{rounded(wasted)} bytes",
        evidence=tuple(
            Evidence(url=item.url, value=f"{item.wire_bytes:,} bytes", reason=_reason(item, saving))
            for saving, item in offenders[:MAX_EVIDENCE]
        ),
        total=len(offenders),
        details=(Detail(code="wasted_bytes", actual=wasted, limit=MIN_SAVING_BYTES),),
        loss=meter_loss(wasted, 0, BAD_BYTES),
        message=f"{part(len(offenders), evaluated, 'image')} could be smaller at the same size in pixels.",
        saving=Saving(wasted, "bytes"),
    )


def _reason(item: Asset, saving: int) -> str:
    image = item.resource.image
    more = f"about {rounded(saving)} bytes more than needed"
    return more if image is None else f"{image.format}, {image.width_px} x {image.height_px} pixels, {more}"
