from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity

_ROLES: Final = frozenset(
    (
        "alertdialog checkbox combobox dialog doc-backlink doc-biblioref doc-glossref doc-noteref listbox menuitem "
        "menuitemcheckbox menuitemradio meter option progressbar radio searchbox slider spinbutton switch tab textbox "
        "tooltip treeitem"
    ).split()
)
_GROUPS: Final = frozenset({"grid", "radiogroup", "tabpanel", "tree", "treegrid"})
"""Roles that group widgets or hold content: the parts have names of their own, so a missing one costs less."""
_LINKLIKE: Final = frozenset({"doc-backlink", "doc-biblioref", "doc-glossref", "doc-noteref", "tab"})
"""Roles with which the checks of links and buttons evaluate an element of HTML."""
_NATIVE: Final = frozenset({"img", "input", "select", "summary", "textarea"})
"""Evaluated by the checks of fields, images and summaries."""


@check(
    id="aria-name",
    title="Names of ARIA widgets",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("named", "Every widget has an accessible name."),
        State(
            "unnamed_groups",
            "Groups of widgets have no accessible name.",
            0.25,
            title="Groups of ARIA widgets without an accessible name",
            why='Screen readers announce "tree" or "tab panel", and users do not know what the group contains.',
            fix=(
                "Refer to the visible heading with `aria-labelledby`; for a tab panel, to the tab that opens it. "
                "Where there is no such text, add an `aria-label`."
            ),
            counted=True,
        ),
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
    slider, spinbutton, and also tabs and references to notes, terms and sources (`doc-noteref` and the like) that are
    no links or buttons of HTML. Trees, grids, tab panels and groups of radio buttons without a name cost a quarter,
    however many they are. Names come from `aria-label`, `aria-labelledby` or `title`, and from the text inside where
    the role allows that; a dialog, a text field or a slider is never named by its content. HTML fields, images and
    summaries have checks of their own, and so have links and buttons without such a role. A `<label>` names a button of
    HTML, whatever its role. The list that belongs to a combobox, or is inside it, needs no name, nor does a combobox
    around an HTML field, which is evaluated itself. The loss grows from half (one widget) to everything (ten or more).

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
        if (one.written in _ROLES or one.written in _GROUPS)
        and not one.hidden
        and one.node.tag not in _NATIVE
        and not (one.written == "listbox" and (one.around == "combobox" or one.attrs.get("id") in popups))
        and not (one.written in _LINKLIKE and one.node.tag in {"a", "area", "button"} and one.focusable)
        and not one.wraps_field
    ]
    if not widgets:
        return NotApplicable("The page has no ARIA widgets.")
    groups: list[Offender] = []
    found: list[Offender] = []
    for one in widgets:
        if not one.name:
            offender = Offender(one.node, f"the {one.written} has no accessible name")
            (groups if one.written in _GROUPS else found).append(offender)
    if groups and not found:
        return counted(
            document,
            groups,
            "named",
            "unnamed_groups",
            "One group of widgets has no accessible name.",
            "{count} groups of widgets have no accessible name.",
            low=0.25,
            high=0.25,
        )
    return counted(
        document,
        found,
        "named",
        "nameless",
        "One widget has no accessible name.",
        "{count} widgets have no accessible name.",
        lesser={"unnamed_groups": groups},
    )
