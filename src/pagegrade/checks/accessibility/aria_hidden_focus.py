from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import Outcome, Severity


@check(
    id="aria-hidden-focus",
    title="Hidden, but reached by keyboard",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("closed", "Nothing that is hidden from assistive technology is reached by keyboard."),
        State("reached", "The keyboard reaches elements that are hidden from assistive technology.", 0.25, 0.5),
    ),
    sources=(
        "https://www.w3.org/TR/wai-aria-1.2/#aria-hidden",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/6cfa84/",
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
    ),
)
def aria_hidden_focus(document: Document, accessibility: Accessibility) -> Outcome:
    """What is hidden with `aria-hidden="true"` must not take the focus: the keyboard would stop on nothing.

    ## What it checks

    Links, buttons, fields, players with `controls` and elements with a `tabindex` that are inside an element with
    `aria-hidden="true"`, or have it themselves. Those that are disabled, have a negative `tabindex`, or lie in a part
    with `hidden`, `inert` or an inline `display: none` are left out, and so are frames, of which the content is not
    known. So are parts that say that they are closed, because a stylesheet then hides them from everyone: a dialog,
    menu, list box or tooltip with `aria-hidden="true"`, and what a switch with `aria-expanded="false"` names in its
    `aria-controls`. Stylesheets hide others too, and scripts may send the focus on at once, which cannot be seen here,
    so it never costs more than half: a quarter for one element, half for ten or more.

    ## Why it matters

    A screen reader falls silent while the focus is on such an element, and no one knows why.

    ## How to fix

    Take the elements out with `tabindex="-1"`, or hide the whole part with `hidden` or `inert` instead.

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
    found = [Offender(one.node, "takes the focus inside aria-hidden") for one in accessibility.hidden_focusables]
    return counted(
        document,
        found,
        "closed",
        "reached",
        "The keyboard reaches one element that is hidden from assistive technology.",
        "The keyboard reaches {count} elements that are hidden from assistive technology.",
        low=0.25,
        high=0.5,
    )
