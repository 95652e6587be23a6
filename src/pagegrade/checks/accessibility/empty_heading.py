from typing import Final

from pagegrade.checks._check import NEEDS_RENDERING, State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome, Severity

_ONLY_IMAGES: Final = (
    "The only headings without text hold an image without alternative text, which is a finding of its own."
)


@check(
    id="empty-heading",
    title="Empty headings",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("filled", "Every heading has text."),
        State(
            "empty",
            "Headings have no text.",
            0.5,
            1.0,
            title="Empty headings",
            why="Screen readers list headings for navigation; an empty one does not say what follows.",
            fix=(
                "Remove the heading, add text, or give the image inside it an alternative text. Add spacing "
                "with a stylesheet."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/headings-and-labels.html",
        "https://www.w3.org/WAI/WCAG22/Understanding/info-and-relationships.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/ffd0e9/",
    ),
)
def empty_heading(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable | NotRun:
    """Screen readers announce headings without text, too.

    ## What it checks

    Elements `<h1>` to `<h6>` and `role="heading"` that are not hidden. The text may come from words inside (not from
    glyphs of an icon font and characters without width), from the alternative of an image or the title of an SVG
    inside, or from `aria-label`, `aria-labelledby` or `title`. A heading that another role makes into something else is
    left out; `role="none"` does so only where the heading does not take the focus and has no attribute of ARIA. One
    that is only empty because its image has no alternative is left to `image-alt`. Pages rendered by scripts are not
    evaluated. The loss grows from half (one heading) to everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <h1>Shop</h1><h2></h2>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <h1>Shop</h1><h2>Bicycles</h2>
    ```
    """
    headings = [heading for heading in document.headings if not heading.hidden]
    if not headings:
        return NotApplicable("The page has no headings.")
    empty = [one.node for one in headings if not one.text]
    if empty and document.client_rendered:
        return NEEDS_RENDERING
    found = [Offender(one, "no accessible name") for one in empty if one not in accessibility.named_by_nameless_images]
    if empty and not found:
        return NotApplicable(_ONLY_IMAGES)
    return counted(document, found, "filled", "empty", "One heading is empty.", "{count} headings are empty.")
