import re
from itertools import islice
from typing import Final

from pagegrade.checks._amounts import part
from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.artifacts import NotGathered, Resource, Resources
from pagegrade.model.document import Document, Image
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, NotApplicable, Outcome, Severity
from pagegrade.parse.url import strip_fragment

FIRST: Final = 3
MANY: Final = 5
BAD: Final = 30
SMALL_PX: Final = 100
_SIDE: Final = re.compile(r"(?<![\w-])(?:width|height)\s{0,9}:\s{0,9}([0-9]{1,5})(?:\.[0-9]{0,9})?px", re.IGNORECASE)


@check(
    id="image-lazy-loading",
    title="Lazy loading of images",
    severity=Severity.LOW,
    cause="lazy-loading",
    since="0.1.0",
    visible_only=True,
    states=(
        State("lazy", "Images further down are loaded lazily."),
        State(
            "eager",
            "Images further down are loaded at once.",
            loss=0.2,
            loss_max=0.5,
            title="Images further down that are not lazy-loaded",
            why=(
                "They compete for bandwidth with the images that visitors are looking at, and are downloaded "
                "even if no one scrolls that far."
            ),
            fix=(
                'Add `loading="lazy"` to every image that is not on the first screen, but not to the large '
                "image at the top."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/urls-and-fetching.html#lazy-loading-attributes",
        "https://web.dev/articles/browser-level-image-lazy-loading",
    ),
)
def image_lazy_loading(document: Document, resources: Resources | NotGathered) -> Verdict:
    """Images below the first screen need not be loaded until they come into view.

    ## What it checks

    Whether images after the first three have `loading="lazy"`. Five or more without it cost a fifth, thirty or more
    half. Where the first screen ends is not known without rendering the page, so it never costs more, and the first
    three are never reported; `offscreen-images` knows it where a browser rendered the page, and the two are charged
    once. Left out are hidden images, icons (100 pixels or less on both sides, by attributes,
    `style` or file, and SVG), inline `data:`, images whose URL a script inserts, those with `loading="eager"`, which is
    a decision, and files that are also used further up, since they are already loaded.

    About two of five well-known pages have five such images, most of them because they are older than the attribute.
    They are reported because all visitors download these images, whether they scroll that far or not, and one attribute
    fixes it. Because it is so common, it costs little.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <!-- the next line 12 times -->
    <img src="/photo-{n}.jpg" alt="Photo {n}">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <img src="/photo.jpg" alt="The garden">
    <!-- the next line 12 times -->
    <img src="/photo-{n}.jpg" alt="Photo {n}" loading="lazy">
    ```
    """
    files = resources.by_url() if isinstance(resources, Resources) else {}
    shown = [image for image in document.images if not image.hidden and image.url is not None and _counts(image, files)]
    above = {image.url for image in shown[:FIRST]}
    later: dict[str | None, Image] = {}
    for image in shown[FIRST:]:
        if image.url not in above:
            later.setdefault(image.url, image)
    if not later:
        return NotApplicable(f"The page has at most {FIRST} images to evaluate.")
    eager = [image for image in later.values() if not image.lazy and not _is_meant(image)]
    loss = 0.0 if len(eager) < MANY else max(0.2, 0.5 * meter_loss(len(eager), MANY - 1, BAD))
    details = (Detail(code="eager_images", actual=len(eager), limit=MANY - 1),)
    value = part(len(eager), len(later), "image")
    if loss == 0:
        return Outcome("lazy", value=value, details=details)
    return Outcome(
        "eager",
        value=value,
        evidence=tuple(document.evidence(image, url=image.url or "") for image in islice(eager, MAX_EVIDENCE)),
        total=len(eager),
        details=details,
        loss=loss,
        message=f"{len(eager)} images after the first {FIRST} load at once.",
    )


def _is_meant(image: Image) -> bool:
    """Return whether the page asks for the image to load at once, rather than saying nothing."""
    return image.attrs.get("loading", "").strip().lower() == "eager"


def _counts(image: Image, files: dict[str, Resource]) -> bool:
    url = strip_fragment(image.url or "")
    if url.startswith("data:") or url.partition("?")[0].lower().endswith(".svg"):
        return False
    attrs = image.attrs
    sides = [attrs[name].strip().removesuffix("px") if name in attrs else "" for name in ("width", "height")]
    if "style" in attrs and not all(sides):
        sides = _SIDE.findall(attrs["style"][:500]) or sides
    if not any(sides):
        file = files.get(url)
        facts = None if file is None else file.image
        if facts is not None and facts.width_px and facts.height_px:
            sides = [str(facts.width_px), str(facts.height_px)]
    # One large side decides, and most images have one.
    for side in sides:
        if not side.isdecimal() or int(side[:6]) > SMALL_PX:
            return True
    return len(sides) < 2
