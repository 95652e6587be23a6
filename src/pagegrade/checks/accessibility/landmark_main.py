from typing import Final

from pagegrade.checks._check import NEEDS_RENDERING, State, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome, Severity

_DIALOGS: Final = frozenset({"alertdialog", "dialog"})


@check(
    id="landmark-main",
    title="Main landmark",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("one", "The page has one main landmark."),
        State(
            "several",
            "The page has several main landmarks.",
            0.5,
            title="Several main landmarks",
            why="Screen reader users who jump to the main content do not know which of them they reached.",
            fix="Keep one `<main>` around the content that is specific to this page.",
        ),
        State(
            "missing",
            "The page has no main landmark.",
            0.5,
            title="Add a main landmark",
            why="Screen reader users cannot jump to the content, and reading modes have to guess where it begins.",
            fix="Put the content that is specific to this page into one `<main>` element.",
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/ARIA/apg/practices/landmark-regions/",
        "https://html.spec.whatwg.org/multipage/grouping-content.html#the-main-element",
    ),
)
def landmark_main(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable | NotRun:
    """The `<main>` element marks the content of the page, after menus and banners.

    ## What it checks

    Elements `<main>` and `role="main"` that are not hidden: there should be exactly one. As in browsers, the first role
    that they know counts, in any case, and an unknown one changes nothing. Several are fine while all but one are
    hidden. None, or several at once, costs half; no success criterion demands the element, so it never costs more. A
    main element inside a frame is not seen. Pages rendered by scripts are not evaluated, nor are those whose main
    element is hidden while a dialog is open.

    About half of well-known pages have none. They are all flagged, because one element fixes it, and without it screen
    reader users have no quick way to the content.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <div id="content"><h1>Shop</h1></div>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <main><h1>Shop</h1></main>
    ```
    """
    mains = accessibility.mains
    if not mains:
        if document.client_rendered:
            return NEEDS_RENDERING
        if accessibility.hidden_mains and any(
            role.role in _DIALOGS and not role.hidden for role in accessibility.roles
        ):
            return NotApplicable("A dialog is open, and the page behind it is hidden while it is.")
        return Outcome("missing", value=0)
    if len(mains) == 1:
        return Outcome("one", value=1)
    return Outcome(
        "several",
        value=len(mains),
        evidence=evidence_of(document, [Offender(one.node, "a main landmark") for one in mains]),
        total=len(mains),
    )
