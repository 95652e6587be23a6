from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="image-redundant-alt",
    title="Redundant alternative text",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("once", "No alternative text repeats the text beside the image."),
        State(
            "twice",
            "Alternative texts repeat the text beside the image.",
            title="Images whose alternative repeats the text beside them",
            why="Screen reader users hear the same text twice.",
            fix='Leave the alternative text of such an image empty: `alt=""`.',
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/non-text-content.html",
        "https://www.w3.org/WAI/WCAG22/Techniques/html/H2",
        "https://www.w3.org/WAI/tutorials/images/decorative/",
    ),
)
def image_redundant_alt(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """When the alternative text repeats the text beside the image, screen reader users hear it twice.

    ## What it checks

    Images with an alternative that are not hidden and are in a link, a button, a paragraph, a list item, a cell or a
    figure: those whose alternative is all the text there, ignoring case and spaces; in a figure, all of its caption. It
    is informative and costs nothing.

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
    if all(image.hidden for image in document.images):
        return NotApplicable("The page has no images that screen readers announce.")
    found = [
        Offender(image.node, "the text beside it is the same", image.name, image.url or "")
        for image in accessibility.repeated_images
    ]
    return counted(
        document,
        found,
        "once",
        "twice",
        "One alternative text repeats the text beside the image.",
        "{count} alternative texts repeat the text beside the image.",
        low=0,
        high=0,
    )
