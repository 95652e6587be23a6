from collections.abc import Sequence
from itertools import islice
from typing import Final

from pagegrade.checks._check import State, Verdict, check, offender_loss
from pagegrade.model.document import Control, Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, NotApplicable, Outcome, Severity
from pagegrade.parse.aria.implicit import keeps_role
from pagegrade.parse.aria.roles import first_role
from pagegrade.parse.page_content import form_of

FULL_AT: Final = 10


@check(
    id="form-label",
    title="Form field labels",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("labelled", "Every form field has a label."),
        State(
            "placeholder",
            "Form fields have only a placeholder or a hidden label.",
            loss=0.375,
            title="Form fields without a visible label",
            why=(
                "People cannot check what the field is for: a hidden label is never seen, and a placeholder disappears "
                "while they type. Not all assistive technology reads placeholders."
            ),
            fix="Add a visible `<label>` whose `for` is the `id` of the field.",
            counted=True,
        ),
        State(
            "unlabelled",
            "Form fields have no label.",
            0.5,
            1.0,
            title="Form fields without a label",
            why=(
                'Screen readers announce only the kind of field, such as "edit text", so users do not know what to '
                "enter. Voice control cannot address the field."
            ),
            fix=(
                "Give every field a `<label>` whose `for` is the `id` of the field:\n\n"
                "```html\n"
                '<label for="mail">Email address</label>\n'
                '<input id="mail" type="email" name="mail">\n'
                "```"
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/labels-or-instructions.html",
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/e086e5/",
        "https://www.w3.org/TR/html-aam-1.0/#accessible-name-computation",
    ),
)
def form_label(document: Document) -> Verdict:
    """A label says what belongs in a form field.

    ## What it checks

    Input fields, selections and text areas, without buttons and hidden fields. A label is a `<label>` that points to
    the field or contains it at any depth, an `aria-label`, an `aria-labelledby` that leads to text, or a `title`. A
    label belongs to one field: to the one that it points to, or to the first one inside it; further fields inside it
    have none, which some tools overlook. A field that has only a placeholder costs as much as a fault of medium
    severity (three eighths): browsers take it for a name, and many tools accept it, but it disappears while typing. The
    same goes for one whose label is hidden. Disabled fields count, because they are read aloud, too, unless they are
    marked with `role="none"`. Elements that a role makes into fields are evaluated as widgets (`aria-name`). The loss
    for fields without any label grows from half (one field) to everything (ten or more, or all fields of a `<form>`
    that has several).

    Four in ten well-known pages have such a field.

    ## Fails on

    ```html
    <!doctype html><title>Sign up</title>
    <form><input type="email" name="mail"> <button>Sign up</button></form>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Sign up</title>
    <form><label>E-mail address <input type="email" name="mail"></label> <button>Sign up</button></form>
    ```
    """
    visible = [control for control in document.controls if not control.hidden and _is_field(control)]
    if not visible:
        return NotApplicable("The page has no form fields that need a label.")
    missing = [control for control in visible if not control.name]
    placeholder = [
        control
        for control in visible
        if control.name_from == "placeholder" or (control.name_from == "label" and control.label_hidden)
    ]
    if not missing and not placeholder:
        return Outcome("labelled", value=len(visible))
    evidence = tuple(
        document.evidence_at(
            control.node,
            reason=_reason(control),
            value=control.name[:200],
            state="placeholder" if control.name and missing else "",
        )
        for control in islice((*missing, *placeholder), MAX_EVIDENCE)
    )
    total = len(missing) + len(placeholder)
    details = (
        Detail(code="unlabelled", actual=len(missing), limit=0),
        Detail(code="placeholder", actual=len(placeholder), limit=0),
    )
    if not missing:
        return Outcome("placeholder", value=total, evidence=evidence, total=total, details=details)
    count, more = len(missing), len(placeholder)
    lack = "One form field has no label." if count == 1 else f"{count} form fields have no label."
    return Outcome(
        "unlabelled",
        value=count,
        evidence=evidence,
        total=total,
        details=details,
        loss=1.0 if _has_form_without_labels(visible) else offender_loss(count, FULL_AT),
        message=f"{lack} {_poorly_labeled(more)}" if more else lack,
        count=count,
    )


def _has_form_without_labels(fields: Sequence[Control]) -> bool:
    """Return whether no field of a form with several has a label, so that it cannot be filled in at all.

    Fields outside of forms are none together: filters of a list, a search in the header.
    """
    forms: dict[object, list[bool]] = {}
    for one in fields:
        if (form := form_of(one)) is not None:
            forms.setdefault(form, []).append(bool(one.name))
    return any(len(named) > 1 and not any(named) for named in forms.values())


def _is_field(control: Control) -> bool:
    """Return whether assistive technology knows the field: ``role=none`` removes one that cannot take the focus."""
    role = first_role(control.attrs.get("role", ""))
    return role not in {"none", "presentation"} or keeps_role(control.node.tag, control.attrs)


def _poorly_labeled(count: int) -> str:
    if count == 1:
        return "One more has nothing but a placeholder or a hidden label."
    return f"{count} more have nothing but a placeholder or a hidden label."


def _reason(control: Control) -> str:
    if not control.name:
        return "no label"
    return "only a placeholder" if control.name_from == "placeholder" else "its label is hidden"
