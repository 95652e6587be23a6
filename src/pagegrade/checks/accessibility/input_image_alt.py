from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.aria.implicit import input_type
from pagegrade.parse.html.image_alternatives import poor_alternative


@check(
    id="input-image-alt",
    title="Image button alternative text",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("named", "Every image button has a text alternative."),
        State(
            "poor",
            "Some image buttons are named by a file name or a filler word.",
            loss=0.25,
            title="Image buttons named by a file name or a filler word",
            why='A name such as "IMG_2041.jpg" or a word such as "image" says nothing about what the button does.',
            fix="Write into `alt` what the button does, not what it shows.",
            counted=True,
        ),
        State(
            "nameless",
            "Image buttons have no text alternative.",
            0.5,
            1.0,
            title="Image buttons without alternative text",
            why='Screen readers announce "button" or read the file name, so users do not know what the button does.',
            fix='Write into `alt` what the button does, not what it shows: `alt="Search"`.',
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/non-text-content.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/59796f/",
        "https://html.spec.whatwg.org/multipage/input.html#attr-input-alt",
    ),
)
def input_image_alt(document: Document) -> Outcome | NotApplicable:
    """An image that submits a form is a button, and needs a text that says what it does.

    ## What it checks

    Elements `<input type="image">` that are not hidden. Each needs an `alt`, an `aria-label`, an `aria-labelledby` that
    leads to text, a `<label>` or a `title`. An empty alternative is none: a button is never decoration, and the word
    that browsers put in its place says nothing. A file name or a filler word such as "image" costs a quarter. The loss
    grows from half (one button) to everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <form><input type="image" src="/img/magnifier.png"></form>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <form><input type="image" src="/img/magnifier.png" alt="Search"></form>
    ```
    """
    buttons = [
        one for one in document.named if one.node.tag == "input" and input_type(one.attrs) == "image" and not one.hidden
    ]
    if not buttons:
        return NotApplicable("The page has no image buttons.")
    found = [Offender(one.node, "no accessible name") for one in buttons if not one.name]
    poor = [
        Offender(one.node, reason, one.name)
        for one in buttons
        if one.name and (reason := poor_alternative(one.name, one.attrs.get("src")))
    ]
    if poor and not found:
        return counted(
            document,
            poor,
            "named",
            "poor",
            "One image button is named by a file name or a filler word.",
            "{count} image buttons are named by a file name or a filler word.",
            low=0.25,
            high=0.25,
        )
    return counted(
        document,
        found,
        "named",
        "nameless",
        "One image button has no text alternative.",
        "{count} image buttons have no text alternative.",
        lesser={"poor": poor},
    )
