from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document, Markup
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="button-type",
    title="Button type",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("typed", "Every button in a form declares its type."),
        State(
            "untyped",
            "Buttons in forms declare no type, so they submit the form.",
            title="Buttons in forms without a type",
            why="A button that was meant to open a menu or show a password submits the half-filled form instead.",
            fix=(
                'Add `type="button"` to buttons that a script handles, and `type="submit"` to those that submit '
                "the form."
            ),
            counted=True,
        ),
    ),
    sources=("https://html.spec.whatwg.org/multipage/form-elements.html#attr-button-type",),
)
def button_type(document: Document, markup: Markup) -> Outcome | NotApplicable:
    """A button in a form submits it unless its `type` says otherwise.

    ## What it checks

    `<button>` elements with a `type` that browsers do not know, and those without one inside a form, or tied to one
    with the `form` attribute. Other buttons without a type submit nothing and are not listed. Often the button is meant
    to submit, so the check is informative and costs nothing.

    ## Fails on

    ```html
    <!doctype html>
    <title>Search</title>
    <form action="/find"><input name="q" aria-label="Search"><button>Clear</button></form>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Search</title>
    <form action="/find"><input name="q" aria-label="Search"><button type="submit">Search</button></form>
    <button>Menu</button>
    ```
    """
    if not markup.submittable_buttons:
        return NotApplicable("The page has no buttons that could submit a form.")
    found = [Offender(button.node, "no valid type: submits the form") for button in markup.untyped_buttons]
    return Outcome(
        "untyped" if found else "typed", value=len(found), evidence=evidence_of(document, found), total=len(found)
    )
