from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Severity

MAX_CHARACTERS: Final = 150


@check(
    id="image-alt-length",
    title="Length of alternative text",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("short", "No image has a very long alternative text."),
        State(
            "long",
            "Images have very long alternative texts.",
            title="Images with very long alternative text",
            why="Screen reader users cannot pause within an alternative text or go back a sentence.",
            fix="Describe the image in a sentence, and put the rest into a caption or into the text beside it.",
            counted=True,
        ),
    ),
    sources=("https://www.w3.org/WAI/tutorials/images/tips/",),
)
def image_alt_length(document: Document) -> Verdict:
    """Screen readers read alternative text in one go, so a short one serves best.

    ## What it checks

    Images that are not hidden, whose `alt` has more than 150 characters. It is informative and costs nothing: no
    standard names a limit, and some images need more.

    ## Fails on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <img src="/chair.jpg" alt="A wooden chair stands in a garden in front of a red wall with ivy.
    Beside the chair stands a table with a blue cup of coffee, a newspaper of last week and a lamp.">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <img src="/chair.jpg" alt="A wooden chair in a garden">
    ```
    """
    described = [image for image in document.images if image.alt and not image.hidden]
    if not described:
        return NotApplicable("No image of the page has an alternative text.")
    found = [
        Offender(image.node, f"has {length} characters", image.alt or "", image.url or "")
        for image in described
        if (length := len(" ".join((image.alt or "").split()))) > MAX_CHARACTERS
    ]
    return counted(
        document,
        found,
        "short",
        "long",
        "One image has an alternative text of more than 150 characters.",
        "{count} images have alternative texts of more than 150 characters.",
        low=0,
        high=0,
    )
