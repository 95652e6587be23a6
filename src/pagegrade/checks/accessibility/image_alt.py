import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from pagegrade.checks._check import State, check, offender_loss
from pagegrade.model.document import Document, ElementFact, Image
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Outcome, Severity
from pagegrade.parse.aria.implicit import conflict_of_presentation

FULL_AT: Final = 10
MAX_ALT_CHARACTERS: Final = 150
"""No standard sets a limit; longer descriptions are better read as text."""
_FILE_NAME: Final = re.compile(r"[^\s]{1,200}\.(?:jpe?g|png|gif|webp|avif|svg|bmp|tiff?|heic)", re.IGNORECASE)
_GENERIC: Final = frozenset(
    "image images img photo photograph picture pic graphic icon thumbnail untitled placeholder bild foto grafik"
    " afbeelding imagen imagem immagine obraz resim alt".split(),
)
_LAZY_SOURCES: Final = ("data-src", "data-srcset", "data-lazy-src", "data-original", "data-lazy")
_JUDGED_ELSEWHERE: Final = frozenset(
    "circle ellipse foreignObject g image img input line path polygon polyline rect svg symbol text tspan use".split()
)
_DECORATIVE_ROLES: Final = frozenset({"none", "presentation"})


@check(
    id="image-alt",
    title="Image alternatives",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("described", "Every image has a text alternative or is marked as decoration."),
        State("poor", "Some text alternatives are file names, filler words or very long.", loss=0.25),
        State("missing", "Images have no text alternative.", 0.5, 1.0),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/images.html#alt",
        "https://www.w3.org/WAI/WCAG22/Understanding/non-text-content.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/23a2a8/",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/e88epe/",
        "https://developers.google.com/search/docs/appearance/google-images",
    ),
)
def image_alt(document: Document) -> Outcome:
    """A text alternative says what an image shows to people and programs that cannot see it.

    ## What it checks

    Images, and elements with `role="img"`. Each needs a name: an `alt` attribute, an `aria-label`, an
    `aria-labelledby` that leads to text, or a `title`. Image buttons, areas of image maps and drawings in the page
    have checks of their own. An empty `alt=""` is right for decoration
    and passes, and so do `role="presentation"` and anything hidden. An `alt` of blanks only is no alternative and no
    mark of decoration. Tracking pixels of 1 by 1 and images that never get a source are left out. The loss grows from
    half (one image) to everything (ten or more): a count, so that removing a good image never makes things worse.

    It costs a quarter when an alternative is a file name, a word such as "image" or "photo", or longer than 150
    characters: no standard sets a length, but nobody can pause in the middle of an alternative.

    ## Why it matters

    Screen readers read the alternative aloud; without one they read the file name or say "image". Search engines use
    it to understand the image, and browsers show it when the image does not load.

    ## How to fix

    Give every image that carries meaning an `alt` that says what it shows, and every decoration an empty `alt=""`.

    ```html
    <img src="team.jpg" alt="Our team in front of the workshop">
    <img src="line.png" alt="">
    ```

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <img src="/img/IMG_0231.jpg">
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <img src="/img/IMG_0231.jpg" alt="Red bicycle with a basket">
    <img src="/img/line.png" alt="">
    ```
    """
    missing = list(_missing(document))
    poor = [(image, reason) for image in document.images if (reason := _poor(image))]
    if not missing and not poor:
        return Outcome("described", value=len(document.images))
    shown = [
        document.evidence(element, reason=reason, url=element.url or "" if isinstance(element, Image) else "")
        for element, reason in islice((*((element, "no alternative") for element in missing), *poor), MAX_EVIDENCE)
    ]
    details = (Detail(code="missing", actual=len(missing), limit=0), Detail(code="poor", actual=len(poor), limit=0))
    total = len(missing) + len(poor)
    if not missing:
        return Outcome("poor", value=total, evidence=tuple(shown), total=total, details=details)
    count = len(missing)
    message = "One image has no text alternative." if count == 1 else f"{count} images have no text alternative."
    return Outcome(
        "missing",
        value=count,
        evidence=tuple(shown),
        total=total,
        details=details,
        loss=offender_loss(count, FULL_AT),
        message=message,
    )


def _missing(document: Document) -> Iterator[ElementFact]:
    for image in document.images:
        if not image.hidden and not image.name.strip() and image.alt != "" and _is_shown(image):
            yield image
    for element in document.named:
        if (
            element.role == "img"
            and element.node.tag not in _JUDGED_ELSEWHERE
            and not element.hidden
            and not element.name
        ):
            yield element


def _is_shown(image: Image) -> bool:
    """Whether the image is content: it has a source, now or after a script ran, a size, and no decorative role."""
    attrs = image.attrs
    if attrs.get("role", "").strip().lower() in _DECORATIVE_ROLES and not conflict_of_presentation("img", attrs):
        return False
    if attrs.get("width", "").strip() in {"0", "1"} and attrs.get("height", "").strip() in {"0", "1"}:
        return False
    return bool(attrs.get("src", "").strip() or image.candidates) or any(name in attrs for name in _LAZY_SOURCES)


def _poor(image: Image) -> str:
    """Why the alternative of the image says nothing; "" when it does, or when there is none."""
    if image.hidden or image.alt is None or not image.alt.strip():
        return ""
    alt = image.alt.strip()
    if len(alt) > MAX_ALT_CHARACTERS:
        return f"alternative of {len(alt)} characters"
    if alt.lower() in _GENERIC:
        return "generic word"
    return "file name" if _FILE_NAME.fullmatch(alt) else ""
