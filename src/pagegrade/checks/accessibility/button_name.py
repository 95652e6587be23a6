from collections.abc import Iterator
from itertools import islice
from typing import Final

from pagegrade.checks._check import State, check, offender_loss
from pagegrade.checks._offenders import lack_of_name
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Anchor, Document, NamedElement
from pagegrade.model.outcome import MAX_EVIDENCE, NotApplicable, Outcome, Severity
from pagegrade.parse.aria.implicit import keeps_role
from pagegrade.parse.aria.roles import first_role
from pagegrade.parse.html.accessibility import NAMED

FULL_AT: Final = 10
_LINKS: Final = frozenset({"link", "doc-backlink", "doc-biblioref", "doc-glossref", "doc-noteref"})


@check(
    id="button-name",
    title="Button names",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("named", "Every button has an accessible name."),
        State(
            "nameless",
            "Buttons have no accessible name.",
            0.5,
            1.0,
            title="Buttons without an accessible name",
            why=(
                'Screen readers announce only "button", and voice control cannot address it. Menus, searches '
                "and dialogs are often opened by such buttons."
            ),
            fix=(
                "Put text into the button, or name its action in an `aria-label`:\n\n"
                "```html\n"
                '<button aria-label="Open menu"><svg aria-hidden="true">...</svg></button>\n'
                "```"
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/97a4e1/",
        "https://www.w3.org/TR/html-aam-1.0/#button-element-accessible-name-computation",
    ),
)
def button_name(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """Screen readers announce a button without a name just as "button".

    ## What it checks

    `<button>` elements and elements with `role="button"`. The name comes from text inside, the alternative of an image
    inside, a `<label>`, or from `aria-label`, `aria-labelledby` or `title`; the `value` of a `<button>` is no name.
    Hidden buttons are left out; input buttons, image buttons and summaries have checks of their own, and so has a
    `<button>` that a role makes a link, a menu item or a field. Text that a stylesheet adds, glyphs of an icon font and
    characters without width are no name. Text that stylesheets hide on a phone or on a laptop is no name there, as far
    as the page declares its viewport. The loss grows from half (one button) to everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <button class="icon-menu"></button>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <button class="icon-menu" aria-label="Open menu"></button>
    ```
    """
    buttons = list(_buttons(document))
    if not buttons:
        return NotApplicable("The page has no buttons.")
    nameless = [button for button in buttons if not button.name or button.node in accessibility.nameless_on]
    if not nameless:
        return Outcome("named", value=0)
    count = len(nameless)
    return Outcome(
        "nameless",
        value=count,
        evidence=tuple(
            document.evidence(button, reason=lack_of_name(accessibility.nameless_on.get(button.node)))
            for button in islice(nameless, MAX_EVIDENCE)
        ),
        total=count,
        loss=offender_loss(count, FULL_AT),
        message="One button has no accessible name." if count == 1 else f"{count} buttons have no accessible name.",
    )


def _buttons(document: Document) -> Iterator[NamedElement | Anchor]:
    for anchor in document.anchors:
        # Those without an address are among the named elements.
        if anchor.href is None or anchor.hidden:
            continue
        if first_role(anchor.attrs.get("role", "")) == "button":
            yield anchor
    for element in document.named:
        if element.role == "button" and not element.hidden and _is_button(element):
            yield element


def _is_button(element: NamedElement) -> bool:
    """Return whether it is a button to people: inputs have their own check, and a role can make it something else."""
    tag = element.node.tag
    role = first_role(element.attrs.get("role", ""))
    if role in {"none", "presentation"}:
        return keeps_role(tag, element.attrs)
    return tag != "input" and role not in NAMED and role not in _LINKS
