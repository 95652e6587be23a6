from collections.abc import Iterator
from itertools import islice
from typing import Final

from pagegrade.checks._check import State, Verdict, check, offender_loss
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document, ElementFact, Image
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, NotApplicable, Outcome, Severity
from pagegrade.parse.html.image_alternatives import lacks_alternative, poor_alternative

FULL_AT: Final = 10
FIRST: Final = 0.25
"""Loss for one: a single one is a small omission, and ten shut people out."""
_EVALUATED_ELSEWHERE: Final = frozenset(
    "circle ellipse foreignObject g image img input line path polygon polyline rect svg symbol text tspan use".split()
)


@check(
    id="image-alt",
    title="Image alternative text",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("described", "Every image has a text alternative or is marked as decorative."),
        State(
            "poor",
            "Some text alternatives are file names or filler words.",
            loss=0.25,
            title="Images whose alternative text is a file name or a filler word",
            why='A name such as "IMG_2041.jpg" or a word such as "image" says nothing about what the image shows.',
            fix='Describe the image in a few words, or use `alt=""` if it is decorative.',
            counted=True,
        ),
        State(
            "missing",
            "Images have no text alternative.",
            FIRST,
            1.0,
            title="Images without alternative text",
            why=(
                'Screen readers read the file name or say "image" instead. Search engines do not learn what the '
                "image shows."
            ),
            fix=(
                "Give every image that carries meaning an `alt` that describes it, and every decorative image "
                'an empty `alt=""`:\n\n'
                "```html\n"
                '<img src="team.jpg" alt="Our team in front of the workshop">\n'
                "```\n\n"
                "In a link without text the `alt` is the name of the link: let it say where the link leads."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/images.html#alt",
        "https://www.w3.org/WAI/WCAG22/Understanding/non-text-content.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/23a2a8/",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/e88epe/",
        "https://developers.google.com/search/docs/appearance/google-images",
    ),
)
def image_alt(document: Document, accessibility: Accessibility) -> Verdict:
    """Alternative text describes an image to people and programs that cannot see it.

    ## What it checks

    Images, and elements with `role="img"`. Each needs a name: an `alt` attribute, an `aria-label`, an `aria-labelledby`
    that leads to text, or a `title`. Image buttons, areas of image maps and SVGs in the page have checks of their own.
    An empty `alt=""` is right for decoration and passes, and so do `role="presentation"` and anything hidden;
    `role="presentation"` on an image that takes the focus or has an attribute of ARIA is void. An `alt` of spaces only
    is neither an alternative nor a mark of decoration. Images that wait for a script to give them a source count.
    Tracking pixels of 1 by 1 are left out, because no one sees them, although most of them should have an empty `alt`.
    So are images in a button, of which only the name of the button is read: `button-name` reports one without. A link,
    summary or heading that only lacks a name because its image has no alternative is charged here alone.
    The loss grows from a quarter (one image) to everything (ten or more): a count, so that removing a good image never
    makes things worse.

    It costs a quarter when an alternative is the name of a file or a word such as "image" or "photo" in any of about
    forty languages, also with a number ("bild1"), and when it is what a program writes for nothing ("undefined",
    "{{ image.alt }}"). The name of a file says too little even beside a link that downloads it. Whether other words fit
    what the image shows cannot be seen in the page. Long alternatives are shown by `image-alt-length`.

    Four in ten well-known pages have an image without an alternative, most of them a handful. The first costs a
    quarter all the same: it is a barrier that the lowest level of the guidelines forbids, and a word or an empty `alt`
    removes it.

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
    missing = list(_missing(document, accessibility))
    poor = [(image, reason) for image in document.images if (reason := _poor(image))]
    if not document.images and not any(element.role == "img" for element in document.named):
        return NotApplicable("The page has no images.")
    if not missing and not poor:
        return Outcome("described", value=len(document.images))
    shown = [
        document.evidence(
            element,
            reason=reason or "no alternative",
            url=element.url or "" if isinstance(element, Image) else "",
            state="poor" if reason and missing else "",
        )
        for element, reason in islice((*((element, "") for element in missing), *poor), MAX_EVIDENCE)
    ]
    details = (Detail(code="missing", actual=len(missing), limit=0), Detail(code="poor", actual=len(poor), limit=0))
    total = len(missing) + len(poor)
    if not missing:
        return Outcome("poor", value=total, evidence=tuple(shown), total=total, details=details)
    count = len(missing)
    lack = "One image has no text alternative." if count == 1 else f"{count} images have no text alternative."
    return Outcome(
        "missing",
        value=count,
        evidence=tuple(shown),
        total=total,
        details=details,
        loss=offender_loss(count, FULL_AT, FIRST),
        message=f"{lack} {_poorly_described(len(poor))}" if poor else lack,
        count=count,
    )


def _poorly_described(count: int) -> str:
    if count == 1:
        return "One more has a file name or a filler word."
    return f"{count} more have a file name or a filler word."


def _missing(document: Document, accessibility: Accessibility) -> Iterator[ElementFact]:
    for image in document.images:
        if lacks_alternative(image) and image.node not in accessibility.images_in_buttons:
            yield image
    for element in document.named:
        if (
            element.role == "img"
            and element.node.tag not in _EVALUATED_ELSEWHERE
            and not element.hidden
            and not element.name
        ):
            yield element


def _poor(image: Image) -> str:
    """Explain why the name of the image says nothing; "" when it says something or there is none."""
    return "" if image.hidden or image.decorative else poor_alternative(image.name, image.url)
