from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.html.image_alternatives import poor_alternative

_SVG: Final = frozenset(
    "circle ellipse foreignObject g image line path polygon polyline rect svg symbol text tspan use".split()
)

_ONLY_IN_CONTROLS: Final = (
    "The only SVG images without a name stand in links or buttons without one, which are findings of their own."
)


@check(
    id="svg-img-alt",
    title="SVG alternative text",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("named", "Every SVG with an image role has an accessible name."),
        State(
            "poor",
            "Some SVG images are named by a file name or a filler word.",
            loss=0.25,
            title="SVG images named by a file name or a filler word",
            why='A name such as "IMG_2041.jpg" or a word such as "image" says nothing about what it shows.',
            fix='Say in the `<title>` what the image shows, or hide a decorative one with `aria-hidden="true"`.',
            counted=True,
        ),
        State(
            "nameless",
            "SVG images have no accessible name.",
            0.5,
            1.0,
            title="SVG images without a name",
            why='Screen readers announce just "image".',
            fix='Put a `<title>` first into the SVG, or hide a decorative one with `aria-hidden="true"`.',
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/non-text-content.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/7d6734/",
        "https://www.w3.org/TR/svg-aam-1.0/#mapping_additional_nd",
    ),
)
def svg_img_alt(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """An SVG that is marked as an image needs a name that says what it shows.

    ## What it checks

    SVG elements with the role `img`, `image`, `graphics-document` or `graphics-symbol` that are not hidden. Each needs
    a `<title>` with text as its own child, an `aria-label`, an `aria-labelledby` that leads to text, or a `title`
    attribute. Text and descriptions inside are no name, and a file name or a filler word such as "icon" costs a
    quarter. SVGs without such a role are left out: beside text they are decoration. Where the link, button or summary
    around an SVG has no name either, that is the finding, and the SVG is not charged again. The loss grows from half
    (one SVG) to everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <svg role="img" viewBox="0 0 9 9"><circle r="4"/></svg>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <svg role="img" viewBox="0 0 9 9"><title>Open</title><circle r="4"/></svg>
    ```
    """
    drawings = [one for one in document.named if one.role == "img" and one.node.tag in _SVG and not one.hidden]
    if not drawings:
        return NotApplicable("No SVG of the page is marked as an image.")
    nameless = [one.node for one in drawings if not one.name]
    found = [
        Offender(one, "no accessible name")
        for one in nameless
        if one not in accessibility.drawings_of_nameless_controls
    ]
    poor = [
        Offender(one.node, reason, one.name)
        for one in drawings
        if one.name and (reason := poor_alternative(one.name, None))
    ]
    if nameless and not found and not poor:
        return NotApplicable(_ONLY_IN_CONTROLS)
    if poor and not found:
        return counted(
            document,
            poor,
            "named",
            "poor",
            "One SVG image is named by a file name or a filler word.",
            "{count} SVG images are named by a file name or a filler word.",
            low=0.25,
            high=0.25,
        )
    return counted(
        document,
        found,
        "named",
        "nameless",
        "One SVG image has no accessible name.",
        "{count} SVG images have no accessible name.",
        lesser={"poor": poor},
    )
