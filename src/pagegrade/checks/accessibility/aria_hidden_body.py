from pagegrade.checks._aria_hidden import hidden_roots
from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document
from pagegrade.model.outcome import Outcome, Severity


@check(
    id="aria-hidden-body",
    title="aria-hidden on the body",
    severity=Severity.CRITICAL,
    since="0.1.0",
    visible_only=False,
    states=(
        State("open", "The page is exposed to assistive technology."),
        State(
            "hidden",
            'The body has aria-hidden="true", which hides the whole page from assistive technology.',
            1.0,
            title="The whole page is hidden from screen readers",
            why="Screen readers read nothing at all, not even the links and fields that take the focus.",
            fix=(
                "Remove `aria-hidden` from `<body>` and `<html>`. For a dialog, use `<dialog>`, which makes the "
                "rest of the page inert by itself."
            ),
        ),
    ),
    sources=(
        "https://www.w3.org/TR/wai-aria-1.2/#aria-hidden",
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
    ),
)
def aria_hidden_body(document: Document) -> Outcome:
    """With `aria-hidden="true"` on its body, a page does not exist for screen readers.

    ## What it checks

    The attribute `aria-hidden` of `<html>` and `<body>` in the HTML as it is sent. Scripts set it temporarily while a
    dialog is open; that is neither seen here nor a fault.

    ## Why it matters

    Screen readers read nothing at all, not even the links and fields that take the focus.

    ## How to fix

    Remove the attribute from the body. For a dialog, use `<dialog>`, which makes the rest of the page inert by itself.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title><body aria-hidden="true"><h1>Shop</h1>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title><body><h1>Shop</h1>
    ```
    """
    found = [Offender(node, "hides the whole page") for node in hidden_roots(document)]
    if found:
        return Outcome("hidden", value=1, evidence=evidence_of(document, found), total=len(found))
    return Outcome("open", value=0)
