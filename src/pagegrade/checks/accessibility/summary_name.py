from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity

_ONLY_IMAGES: Final = (
    "The only summaries without a name hold an image without alternative text, which is a finding of its own."
)


@check(
    id="summary-name",
    title="Summary names",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("named", "Every summary has an accessible name."),
        State(
            "nameless",
            "Summaries have no accessible name.",
            0.5,
            1.0,
            title="Summaries without text",
            why='Screen readers announce only "collapsed", and users do not know what would open.',
            fix="Name the content in the summary: `<summary>Delivery times</summary>`.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/2t702h/",
        "https://html.spec.whatwg.org/multipage/interactive-elements.html#the-summary-element",
    ),
)
def summary_name(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """A `<summary>` opens and closes a part of the page, and its text says which.

    ## What it checks

    Elements `<summary>` that are not hidden. The name comes from text inside, the alternative of an image or the title
    of an SVG inside, or from `aria-label`, `aria-labelledby` or `title`. One that only lacks a name because its image
    has no alternative is left to `image-alt`. The loss grows from half (one summary) to everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <details><summary></summary><p>We ship in two days.</p></details>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <details><summary>Shipping</summary><p>We ship in two days.</p></details>
    ```
    """
    summaries = [one for one in document.named if one.role == "summary" and not one.hidden]
    if not summaries:
        return NotApplicable("The page has no summaries.")
    nameless = [one.node for one in summaries if not one.name]
    found = [
        Offender(one, "no accessible name") for one in nameless if one not in accessibility.named_by_nameless_images
    ]
    if nameless and not found:
        return NotApplicable(_ONLY_IMAGES)
    return counted(
        document,
        found,
        "named",
        "nameless",
        "One summary has no accessible name.",
        "{count} summaries have no accessible name.",
    )
