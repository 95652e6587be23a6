import re
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.page_content import is_dead_form

MAX_FORMS: Final = 50
_MAX_SCRIPT: Final = 100_000
_MAY_SEND: Final = re.compile(
    r"(?<![a-z])forms?(?![a-z])|Form(?:Data|s?\b)|[Ss]ubmit|fetch|XMLHttp|sendBeacon|WebSocket|axios|\bimport\b|\$\("
    r"|jQuery|createElement|querySelector|getElement|\bwrite\(|location|\bon(?:click|change|input|key)"
    r"|addEventListener\(\s*[\"'](?:click|change|input|key|mouse|pointer|touch|DOMContentLoaded|load)"
)
"""Names in a script that may send a form, make a button of it work, or load another script; what only reacts to
scrolling or counts visits has none."""


@check(
    id="form-submit",
    title="Sending of forms",
    severity=Severity.HIGH,
    since="0.1.0",
    visible_only=False,
    states=(
        State("works", "Every form has something that sends it."),
        State(
            "dead",
            "A form cannot be sent: it has no button that sends it, and no script that could.",
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

    Forms of pages without a script that could send them. A form with fields fails if nothing can send it: all its
    buttons are of another type, its buttons or all its fields are disabled, or it has several fields and no button. A
    single field without a button is sent with the Enter key. A page with such a form and a script file, or with a
    script that could find a form, react to visitors, request or load something, is not evaluated, because it may send
    the form; a form with a handler or an `id` counts as working.

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
    dead = [Offender(one.node, "nothing sends it") for one in document.forms[:MAX_FORMS] if is_dead_form(one.node)]
    if dead and any(
        one.url is not None or _MAY_SEND.search(one.text[:_MAX_SCRIPT]) for one in document.running_scripts
    ):
        return NotRun("undecided", "The page runs scripts, which may send its forms.")
    return Outcome("dead" if dead else "works", value=len(dead), evidence=evidence_of(document, dead), total=len(dead))
