import re
from collections.abc import Sequence
from typing import Final

from pagegrade.checks._check import Cap, State, Verdict, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.page_content import form_of, is_dead_form, words_in

MAX_FORMS: Final = 50
MAX_BESIDE: Final = 60
"""Words of the main content beside a form up to which the page is there for it."""
MIN_FIELDS: Final = 3
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
        State(
            "only",
            "The form that the page is for cannot be sent.",
            loss=1.0,
            title="A form cannot be sent",
            why="Visitors fill it in, and their message, order or booking never arrives.",
            fix=(
                'Give the form an `action` and a `<button type="submit">`, and remove `disabled` from its button and '
                "fields. If a script should send it, find out why the script is missing."
            ),
        ),
    ),
    cap=Cap(49, states=("only",)),
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
    the form; a form with an `id`, or with a handler that does more than to `return false`, counts as working. A page
    with sixty words at most beside such a form in its main content, and no other form that works, is there for it, and
    scores 49 at most.

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
    state = "works" if not dead else "only" if _is_all(document, dead) else "dead"
    return Outcome(state, value=len(dead), evidence=evidence_of(document, dead), total=len(dead))


def _is_all(document: Document, dead: Sequence[Offender]) -> bool:
    """Return whether these forms, which nothing sends, are all that the main content offers."""
    nodes = [one.node for one in dead]
    fields = sum(1 for one in document.controls if form_of(one) in nodes and not one.hidden)
    if fields < MIN_FIELDS or any(form_of(one) not in {*nodes, None} for one in document.controls if not one.hidden):
        return False
    within = sum(map(words_in, nodes))
    return document.main_word_count - within <= MAX_BESIDE
