from collections.abc import Sequence
from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility, RoleFact
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.aria.roles import ROLES

_CHECKABLE: Final = frozenset({"checkbox", "menuitemcheckbox", "menuitemradio", "radio", "switch"})
_RANGES: Final = frozenset({"meter", "progressbar", "slider", "spinbutton"})


@check(
    id="aria-required-attr",
    title="Required ARIA attributes",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("complete", "Every role has its required attributes."),
        State(
            "incomplete",
            "Elements lack attributes that their role requires.",
            0.5,
            1.0,
            title="Roles without their required ARIA attributes",
            why=(
                "Screen readers announce a default state or none at all, for example not whether a checkbox is checked."
            ),
            fix=(
                "Add the attribute and let the script keep it up to date, or use the HTML element, such as "
                '`<input type="checkbox">`.'
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/wai-aria-1.2/#requiredState",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/4e8ab6/",
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
    ),
)
def aria_required_attr(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """Some roles require a state: a checkbox is checked or not, a slider has a value.

    ## What it checks

    Elements with a role that are not hidden: `aria-checked` for checkboxes, radio buttons, switches and such menu
    items; `aria-valuenow` for sliders, meters, scrollbars and separators that take the focus; `aria-controls` for
    scrollbars; `aria-expanded` for comboboxes, and `aria-controls` while they are open; `aria-level` for headings. An
    empty attribute counts as missing, and `aria-valuetext` does not replace `aria-valuenow`. For an open combobox,
    `aria-owns` of older versions of ARIA is accepted. Elements with a native state, such as `<input type="checkbox"
    role="switch">`, need no attribute. The loss grows from half (one element) to everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <div role="checkbox" tabindex="0">Gift wrap</div>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <div role="checkbox" tabindex="0" aria-checked="false">Gift wrap</div>
    ```
    """
    found = []
    evaluated = 0
    for one in accessibility.roles:
        required = () if one.hidden or not one.written or one.role != one.written else _required(one)
        if not required:
            continue
        evaluated += 1
        if _brings_state(one):
            continue
        missing = [f"aria-{name}" for name in required if not one.attrs.get(f"aria-{name}", "").strip()]
        if missing:
            found.append(Offender(one.node, f"{', '.join(missing)} is missing", one.written))
    if not evaluated:
        return NotApplicable("No role of the page requires an attribute.")
    return counted(
        document,
        found,
        "complete",
        "incomplete",
        "One element lacks an attribute that its role requires.",
        "{count} elements lack attributes that their roles require.",
    )


def _required(one: RoleFact) -> Sequence[str]:
    """Attributes that the role needs in the state the element is in, without their prefix."""
    if one.written == "separator" and one.focusable:
        return ("valuenow",)
    if one.written == "combobox" and one.attrs.get("aria-expanded", "").strip().lower() == "true":
        # What is open must be named, so that it can be found.
        return ("controls",) if "aria-owns" not in one.attrs else ("expanded",)
    return ROLES[one.written].required


def _brings_state(one: RoleFact) -> bool:
    """Return whether the element itself has the state that the role needs."""
    if one.native == one.written:
        return True
    if one.native in {"checkbox", "radio"}:
        return one.written in _CHECKABLE
    return one.native in _RANGES and one.written in _RANGES
