from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="nested-interactive",
    title="Nested interactive elements",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("separate", "No interactive element contains another."),
        State(
            "nested",
            "Interactive elements contain others.",
            0.5,
            1.0,
            title="Interactive elements that contain others",
            why=(
                "The inner element takes the focus without being announced, and a click may activate either of the two."
            ),
            fix="Put the controls side by side instead of inside each other.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/wai-aria-1.2/#childrenArePresentational",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/307n5z/",
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
    ),
)
def nested_interactive(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """Screen readers treat a button as one element: a link or field inside it is not announced but takes the focus.

    ## What it checks

    Buttons, checkboxes, options, tabs, images, sliders and other elements whose content is presentation, by element or
    by role, when they are not hidden: it fails when a link, button, field, summary, player with `controls` or widget
    inside can take the focus, also with a negative `tabindex`. Disabled, inert and hidden ones are left out. So are
    boxes without a role that only take the focus, and the content of a `<summary>`, since HTML allows links and fields
    there. In a link, the same elements count, and frames, which HTML forbids there. The loss grows from half (one
    control) to everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <div role="button" tabindex="0">Buy <a href="/terms">terms</a></div>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <div role="button" tabindex="0">Buy</div> <a href="/terms">terms</a>
    ```
    """
    if not accessibility.focusables:
        return NotApplicable("Nothing on the page takes the focus.")
    found = [Offender(one.node, f"a <{one.inner.tag}> inside takes the focus") for one in accessibility.nested]
    return counted(
        document,
        found,
        "separate",
        "nested",
        "One interactive element contains another.",
        "{count} interactive elements contain others.",
    )
