from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Control, Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.aria.implicit import tabindex_of
from pagegrade.parse.aria.roles import first_role
from pagegrade.parse.html.controls import WIDGETS

_FIELDS: Final = frozenset(
    (
        "additional-name address-level1 address-level2 address-level3 address-level4 address-line1 address-line2 "
        "address-line3 bday bday-day bday-month bday-year cc-additional-name cc-csc cc-exp cc-exp-month cc-exp-year "
        "cc-family-name cc-given-name cc-name cc-number cc-type country country-name current-password family-name "
        "given-name honorific-prefix honorific-suffix language name new-password nickname one-time-code organization "
        "organization-title photo postal-code sex street-address transaction-amount transaction-currency url username"
    ).split()
)
_CONTACTS: Final = frozenset(
    (
        "email impp tel tel-area-code tel-country-code tel-extension tel-local tel-local-prefix tel-local-suffix "
        "tel-national"
    ).split()
)
_SWITCHES: Final = frozenset("disabled enabled false none null off on true undefined xoff xon".split())
"""Only ``on`` and ``off`` are words of the standard; the others are meant like them and harm no one."""
_WHERE: Final = frozenset({"home", "work", "mobile", "fax", "pager"})


@check(
    id="autocomplete-valid",
    title="Autocomplete attribute",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("valid", "Every autocomplete attribute has a valid value."),
        State(
            "invalid",
            "Fields have invalid autocomplete values.",
            0.5,
            1.0,
            title="Invalid autocomplete values",
            why=("Browsers do not learn what to fill in. People who find typing or remembering hard depend on that."),
            fix="Use a value of the HTML standard: `email` instead of `e-mail`, `family-name` instead of `lastname`.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/identify-input-purpose.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/73f2c2/",
        "https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill",
    ),
)
def autocomplete_valid(document: Document) -> Outcome | NotApplicable:
    """The `autocomplete` attribute says which personal data belongs in a field, with fixed values.

    ## What it checks

    Fields with a value in `autocomplete` that are not hidden, disabled or read-only, and that people can fill in: a
    field with a negative `tabindex` and the role of something else is none. Allowed are `on` or `off`, or in
    this order: a section (`section-` and a name), `shipping` or `billing`, for numbers and addresses of people `home`,
    `work`, `mobile`, `fax` or `pager`, the name of the field, and `webauthn`. Case does not matter. Whether the word
    fits the type of the field is not evaluated. The loss grows from half (one field) to everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <label>E-mail <input type="email" autocomplete="e-mail"></label>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <label>E-mail <input type="email" autocomplete="email"></label>
    ```
    """
    fields = [
        control
        for control in document.controls
        if control.attrs.get("autocomplete", "").strip() and not control.hidden and not _is_locked(control)
    ]
    if not fields:
        return NotApplicable("No field of the page has an autocomplete attribute.")
    found = []
    for field in fields:
        reason = _problem(field.attrs["autocomplete"].lower().split())
        if reason:
            found.append(Offender(field.node, reason, field.attrs["autocomplete"]))
    return counted(
        document,
        found,
        "valid",
        "invalid",
        "One field has an invalid autocomplete value.",
        "{count} fields have invalid autocomplete values.",
    )


def _is_locked(control: Control) -> bool:
    attrs = control.attrs
    if "disabled" in attrs or "readonly" in attrs:
        return True
    if any(attrs.get(name, "").strip().lower() == "true" for name in ("aria-disabled", "aria-readonly")):
        return True
    role = first_role(attrs.get("role", ""))
    return bool(role) and role not in WIDGETS and (tabindex_of(attrs) or 0) < 0


def _problem(words: list[str]) -> str:
    """Explain why browsers do not understand the value; "" when they do."""
    if len(words) == 1 and words[0] in _SWITCHES:
        return ""
    if words and words[-1] == "webauthn":
        words = words[:-1]
        if not words:
            return "webauthn stands alone"
    if words and words[0].startswith("section-") and len(words[0]) > len("section-"):
        words = words[1:]
    if words and words[0] in {"shipping", "billing"}:
        words = words[1:]
    contact = bool(words) and words[0] in _WHERE
    if contact:
        words = words[1:]
    if not words:
        return "no field is named"
    if words[0] not in _CONTACTS and (contact or words[0] not in _FIELDS):
        return f"{words[0][:50]} is no contact" if words[0] in _FIELDS else f"{words[0][:50]} is no field"
    return "words after the field" if len(words) > 1 else ""
