from typing import Final

from pagegrade.checks._aria_hidden import hidden_roots
from pagegrade.checks._check import Cap, State, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document
from pagegrade.model.outcome import Outcome, Severity
from pagegrade.parse.page_content import closed_parts

MIN_HIDDEN: Final = 200
"""Characters of a part that is no decoration."""


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
            "The page is hidden from assistive technology.",
            1.0,
            title="The whole page is hidden from screen readers",
            why="Screen readers read nothing at all, not even the links and fields that take the focus.",
            fix=(
                "Remove `aria-hidden` from what holds the page. For a dialog, use `<dialog>`, which makes the "
                "rest of the page inert by itself."
            ),
        ),
        State(
            "inert",
            "The page is inert: nothing on it can be pressed, followed, filled in or selected.",
            1.0,
            title="Nothing on the page can be used",
            why="Links, buttons and fields do not react to anyone, and screen readers read nothing at all.",
            fix=(
                "Remove `inert` from `<body>` and `<html>`. For a dialog, use `<dialog>`, which makes the rest of the "
                "page inert by itself and ends that when it closes."
            ),
        ),
    ),
    cap=Cap(49),
    sources=(
        "https://www.w3.org/TR/wai-aria-1.2/#aria-hidden",
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
        "https://html.spec.whatwg.org/multipage/interaction.html#the-inert-attribute",
    ),
)
def aria_hidden_body(document: Document) -> Outcome:
    """With `aria-hidden="true"` on its body, a page does not exist for screen readers.

    ## What it checks

    The attributes `aria-hidden` and `inert` of `<html>` and `<body>` in the HTML as it is sent. Scripts set them
    temporarily while a dialog is open; that is neither seen here nor a fault. A page that is sent inert can be used by
    no one, and one that is sent hidden by no one who has it read aloud: both score 49 at most. So does a page without
    scripts of which 80 % stand in an inert element, or in a hidden one with 200 characters or more.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title><body aria-hidden="true"><h1>Shop</h1>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title><body><h1>Shop</h1>
    ```
    """
    around = (document.html, document.body)
    roots = [one.node for one in around if one is not None and "inert" in one.attrs]
    inert_parts, hidden_parts = closed_parts(document, least=MIN_HIDDEN)
    roots = roots or inert_parts
    if roots:
        inert = [Offender(one, "makes the whole page inert") for one in roots]
        return Outcome("inert", value=len(roots), evidence=evidence_of(document, inert), total=len(roots))
    found = [Offender(node, "hides the whole page") for node in hidden_roots(document)]
    found = found or [Offender(node, "hides most of the page") for node in hidden_parts]
    if found:
        return Outcome("hidden", value=1, evidence=evidence_of(document, found), total=len(found))
    return Outcome("open", value=0)
