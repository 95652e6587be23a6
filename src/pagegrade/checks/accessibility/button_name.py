from collections.abc import Iterator
from itertools import islice
from typing import Final

from pagegrade.checks._check import State, check, offender_loss
from pagegrade.model.document import Anchor, Document, NamedElement
from pagegrade.model.outcome import MAX_EVIDENCE, Outcome, Severity
from pagegrade.parse.aria.roles import first_role

FULL_AT: Final = 10


@check(
    id="button-name",
    title="Names of buttons",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("named", "Every button has a name that can be read aloud."),
        State("nameless", "Buttons have no name that can be read aloud.", 0.5, 1.0),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/97a4e1/",
        "https://www.w3.org/TR/html-aam-1.0/#button-element-accessible-name-computation",
    ),
)
def button_name(document: Document) -> Outcome:
    """A button without a name is announced as "button", and nobody who cannot see it knows what it does.

    ## What it checks

    `<button>` elements and elements with `role="button"`. The name comes from text inside, the alternative of an image
    inside, a `<label>`, or from `aria-label`, `aria-labelledby` or `title`. Hidden buttons are left out; input buttons,
    image buttons and summaries have checks of their own. Text that a stylesheet adds, such as an icon font, is no
    name. The loss grows from half (one button) to everything (ten or more).

    ## Why it matters

    Menus, searches and dialogs are opened by buttons that often show only an icon. Without a name they are closed to
    people who use a screen reader or voice control.

    ## How to fix

    Put text into the button, or say what it does in an `aria-label`.

    ```html
    <button aria-label="Open menu"><svg aria-hidden="true">...</svg></button>
    ```

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
    nameless = list(_nameless(document))
    if not nameless:
        return Outcome("named", value=0)
    count = len(nameless)
    return Outcome(
        "nameless",
        value=count,
        evidence=tuple(
            document.evidence(button, reason="no accessible name") for button in islice(nameless, MAX_EVIDENCE)
        ),
        total=count,
        loss=offender_loss(count, FULL_AT),
        message="One button has no name." if count == 1 else f"{count} buttons have no name.",
    )


def _nameless(document: Document) -> Iterator[NamedElement | Anchor]:
    for anchor in document.anchors:
        # Links with an address stay among the links, whatever their role makes of them.
        if anchor.href is None or anchor.hidden or anchor.name:
            continue
        if first_role(anchor.attrs.get("role", "")) == "button":
            yield anchor
    for element in document.named:
        if element.role == "button" and element.node.tag != "input" and not element.hidden and not element.name:
            yield element
