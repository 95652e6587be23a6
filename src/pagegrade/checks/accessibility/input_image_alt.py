from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.aria.implicit import input_type


@check(
    id="input-image-alt",
    title="Image button alternative text",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("named", "Every image button has a text alternative."),
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
    that browsers put in its place says nothing. The loss grows from half (one button) to everything (ten or more).

    ## Why it matters

    Screen readers announce "button" or read the file name, so users do not know what the button does.

    ## How to fix

    Write into `alt` what the button does, not what it shows.

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
    return counted(
        document,
        found,
        "named",
        "nameless",
        "One image button has no text alternative.",
        "{count} image buttons have no text alternative.",
    )
