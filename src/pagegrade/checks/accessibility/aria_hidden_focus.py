from pagegrade.checks._aria_hidden import hidden_roots
from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Severity


@check(
    id="aria-hidden-focus",
    title="Focusable elements in aria-hidden content",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("closed", "No focusable element is hidden from assistive technology."),
        State(
            "reached",
            "Focusable elements are hidden from assistive technology.",
            0.25,
            0.5,
            title="Focusable elements inside aria-hidden content",
            why="Screen readers announce nothing while the focus is on such an element.",
            fix=(
                "Hide the whole part with `hidden` or `inert`, or remove its elements from the tab order with "
                '`tabindex="-1"`.'
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/wai-aria-1.2/#aria-hidden",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/6cfa84/",
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
    ),
)
def aria_hidden_focus(document: Document, accessibility: Accessibility) -> Verdict:
    """Content with `aria-hidden="true"` must not take the keyboard focus.

    ## What it checks

    Links, buttons, fields, players with `controls` and elements with a `tabindex` that are inside an element with
    `aria-hidden="true"`, or have it themselves. Those that are disabled, have a negative `tabindex`, or are not
    rendered (`hidden`, `inert`, closed, or hidden by a style sheet) are left out, and so are frames, of which the
    content is not known. So are parts that are marked as closed, because a script then hides them from everyone: a
    dialog, menu, list box or tooltip with `aria-hidden="true"`, and what a switch with `aria-expanded="false"` names in
    its `aria-controls`. A page that is hidden as a whole is reported by `aria-hidden-body` alone. Scripts may also move
    the focus on at once, which cannot be seen here, so it never costs more than half: a quarter for one element, half
    for ten or more.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <div aria-hidden="true"><a href="/sale">Sale</a></div>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <div aria-hidden="true"><a href="/sale" tabindex="-1">Sale</a></div>
    ```
    """
    if hidden_roots(document):
        return NotApplicable("The whole page is hidden, which is a finding of its own.")
    if "true" not in accessibility.aria_hidden:
        return NotApplicable("Nothing on the page is hidden from assistive technology alone.")
    found = [Offender(one.node, "focusable inside aria-hidden") for one in accessibility.hidden_focusables]
    return counted(
        document,
        found,
        "closed",
        "reached",
        "One focusable element is hidden from assistive technology.",
        "{count} focusable elements are hidden from assistive technology.",
        low=0.25,
        high=0.5,
    )
