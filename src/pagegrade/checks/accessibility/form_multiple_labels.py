from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="form-multiple-labels",
    title="Multiple labels for a field",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("single", "No form field has more than one label."),
        State(
            "several",
            "Form fields have more than one label.",
            title="Form fields with more than one label",
            why="Some screen readers read only the first label, some only the last, and some both.",
            fix="Keep one label, and put additional text into an element that `aria-describedby` refers to.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/labels-or-instructions.html",
        "https://html.spec.whatwg.org/multipage/forms.html#the-label-element",
        "https://www.w3.org/TR/html-aam-1.0/#accessible-name-computation",
    ),
)
def form_multiple_labels(document: Document) -> Outcome | NotApplicable:
    """A form field with two labels is announced differently by different screen readers.

    ## What it checks

    Fields that two or more `<label>` elements belong to, by `for` or by containing the field. Fields that
    `aria-labelledby` or `aria-label` names are left out, because the labels do not count then. It is informative and
    costs nothing.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <label for="zip">Postcode</label> <label for="zip">(required)</label> <input id="zip">
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <label for="zip">Postcode (required)</label> <input id="zip">
    ```
    """
    if not any(control.labels for control in document.controls):
        return NotApplicable("No form field of the page has a label.")
    found = [
        Offender(control.node, f"{len(control.labels)} labels", control.name)
        for control in document.controls
        if len(control.labels) > 1 and not control.hidden and control.name_from in {"label", ""}
    ]
    return counted(
        document,
        found,
        "single",
        "several",
        "One form field has more than one label.",
        "{count} form fields have more than one label.",
        low=0,
        high=0,
    )
