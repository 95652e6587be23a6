from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="image-redundant-alt",
    title="Text said twice",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("once", "No link says the same in its text and in its image."),
        State("twice", "Links say the same in their text and in their image."),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/non-text-content.html",
        "https://www.w3.org/WAI/WCAG22/Techniques/html/H2",
        "https://www.w3.org/WAI/tutorials/images/decorative/",
    ),
)
def image_redundant_alt(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """When an image in a link says the same as the text beside it, people hear it twice.

    ## What it checks

    Images with an alternative inside links that are not hidden: those whose alternative is the text of the link, case
    and blanks aside. It is shown and costs nothing.

    ## Why it matters

    "Bicycles, image, Bicycles" takes twice the time in a list of fifty products.

    ## How to fix

    Leave the alternative of such an image empty: `alt=""`.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/b"><img src="b.jpg" alt="Bicycles"> Bicycles</a>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/b"><img src="b.jpg" alt=""> Bicycles</a>
    ```
    """
    pairs = [
        (anchor, image)
        for anchor, image in accessibility.linked_images
        if not anchor.hidden and not image.hidden and image.alt is not None and anchor.text
    ]
    if not pairs:
        return NotApplicable("No link of the page holds text and an image with an alternative.")
    found = [
        Offender(image.node, "the link says the same", image.name, anchor.url or "")
        for anchor, image in pairs
        if image.name.casefold() == anchor.text.casefold()
    ]
    return counted(
        document,
        found,
        "once",
        "twice",
        "One link says the same in its text and in its image.",
        "{count} links say the same in their text and in their image.",
        low=0,
        high=0,
    )
