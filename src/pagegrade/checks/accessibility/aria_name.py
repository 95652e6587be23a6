from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity

_ROLES: Final = frozenset(
    (
        "alertdialog checkbox combobox dialog listbox menuitem menuitemcheckbox menuitemradio meter option progressbar "
        "radio searchbox slider spinbutton switch textbox tooltip treeitem"
    ).split()
)
_NATIVE: Final = frozenset({"img", "input", "select", "summary", "textarea"})
"""Judged by the checks of fields, images and summaries."""


@check(
    id="aria-name",
    title="Names of ARIA widgets",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("named", "Every widget has an accessible name."),
        State(
            "nameless",
            "Widgets have no accessible name.",
            0.5,
            1.0,
            title="ARIA widgets without an accessible name",
            why='Screen readers announce "slider, 40" or "dialog", and users do not know what it is for.',
            fix="Add an `aria-labelledby` that refers to the visible heading or label, or an `aria-label`.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/wai-aria-1.2/#namefromauthor",
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/e086e5/",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/m6b1q3/",
    ),
)
def aria_name(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """A dialog, a slider or a menu item needs an accessible name, like any button or field.

    ## What it checks

    Elements that are not hidden and have one of these roles written on them: dialog, alertdialog, progressbar, meter,
    tooltip, treeitem, menuitem and its kinds, option, checkbox, radio, switch, textbox, searchbox, combobox, listbox,
    slider, spinbutton. Names come from `aria-label`, `aria-labelledby` or `title`, and from the text inside where the
    role allows that; a dialog, a text field or a slider is never named by its content. HTML fields, images
    and summaries have checks of their own, and so have links and buttons without such a role. The list that belongs to
    a combobox needs no name, nor does a combobox around a field of HTML, which is evaluated itself. The loss grows from
    half (one widget) to everything (ten or more).

    ## Why it matters

    Screen readers announce "slider, 40" or "dialog", and users do not know what it is for.

    ## How to fix

    Add an `aria-labelledby` that refers to the visible heading or label, or an `aria-label`.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <div role="dialog"><h2>Your cart</h2></div>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <div role="dialog" aria-labelledby="c"><h2 id="c">Your cart</h2></div>
    ```
    """
    popups = {
        target
        for one in accessibility.roles
        if one.role == "combobox"
        for name in ("aria-controls", "aria-owns")
        for target in one.attrs.get(name, "").split()
    }
    widgets = [
        one
        for one in accessibility.roles
        if one.written in _ROLES
        and not one.hidden
        and one.node.tag not in _NATIVE
        and not (one.written == "listbox" and one.attrs.get("id") in popups)
        and not one.wraps_field
    ]
    if not widgets:
        return NotApplicable("The page has no ARIA widgets.")
    found = [Offender(one.node, f"the {one.written} has no accessible name") for one in widgets if not one.name]
    return counted(
        document,
        found,
        "named",
        "nameless",
        "One widget has no accessible name.",
        "{count} widgets have no accessible name.",
    )
