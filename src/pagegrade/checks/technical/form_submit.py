from itertools import islice
from typing import Final

from turbohtml import Element

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity

MAX_FORMS: Final = 50
MAX_ELEMENTS: Final = 2_000
"""Elements of one form that are looked at; one with more counts as working."""
_SEND: Final = frozenset({"submit", "image"})
_FIELDS: Final = "input,select,textarea"
_NO_FIELDS: Final = frozenset({"hidden", "submit", "image", "reset", "button"})


@check(
    id="form-submit",
    title="Sending of forms",
    severity=Severity.HIGH,
    since="0.2.0",
    visible_only=False,
    states=(
        State("works", "Every form has something that sends it."),
        State(
            "dead",
            "A form cannot be sent: it has no button that sends it, and no script runs.",
            loss=1.0,
            title="A form cannot be sent",
            why="Visitors fill it in, and their message, order or booking never arrives.",
            fix=(
                'Give the form an `action` and a `<button type="submit">`, and remove `disabled` from its button and '
                "fields. If a script should send it, find out why the script is missing."
            ),
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/form-elements.html#attr-button-type",
        "https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#implicit-submission",
    ),
)
def form_submit(document: Document) -> Verdict:
    """A form that nothing sends loses what visitors have written.

    ## What it checks

    Forms of pages that run no script. A form with fields fails if nothing can send it: all its buttons are of another
    type, its buttons or all its fields are disabled, or it has several fields and no button. A single field without a
    button is sent with the Enter key. A page with a script is not evaluated, because the script may send the form; a
    form with a handler or an `id` counts as working.

    ## Fails on

    ```html
    <!doctype html>
    <title>Book a table</title>
    <form>
    <input name="name" aria-label="Name"><input name="day" aria-label="Day"><button type="button">Book</button>
    </form>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Book a table</title>
    <form action="/book" method="post"><input name="name" aria-label="Name"><button type="submit">Book</button></form>
    ```
    """
    if not document.forms:
        return NotApplicable("The page has no forms.")
    if document.running_scripts:
        return NotApplicable("The page runs scripts, which may send its forms.")
    dead = [Offender(one.node, "nothing sends it") for one in document.forms[:MAX_FORMS] if _is_dead(one.node)]
    return Outcome("dead" if dead else "works", value=len(dead), evidence=evidence_of(document, dead), total=len(dead))


def _is_dead(form: object) -> bool:
    """Return whether a form has fields and nothing that sends them, for certain."""
    if not isinstance(form, Element):
        return False
    inside = list(islice(form.iter_elements(), MAX_ELEMENTS))
    has_handler = any(name.startswith("on") for node in (form, *inside) for name in node.attrs)
    # What stands elsewhere may belong to a form that has an id.
    if len(inside) == MAX_ELEMENTS or has_handler or "id" in form.attrs:
        return False
    fields = [one for one in form.select(_FIELDS) if _type_of(one) not in _NO_FIELDS]
    buttons = [one for one in form.select("input") if _type_of(one) in _SEND]
    buttons += [one for one in form.select("button") if _type_of(one) not in {"button", "reset"}]
    if not fields or (not buttons and len(fields) == 1):
        return False
    return all(map(_is_disabled, buttons)) or all(map(_is_disabled, fields))


def _type_of(node: Element) -> str:
    return str(node.attrs.get("type") or "").strip().lower()


def _is_disabled(node: Element) -> bool:
    return "disabled" in node.attrs or node.closest("fieldset[disabled]") is not None
