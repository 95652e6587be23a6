import re
from collections.abc import Sequence
from itertools import islice
from typing import Final

from pagegrade.checks._check import Cap, State, Verdict, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.page_content import attributes_in, form_of, is_dead_form, texts_of, words_in
from pagegrade.parse.url import host

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

_TEST_KEY: Final = re.compile(
    r"(?<![\w-])(?:(?:pk|pub|rzp|key)_?(?:test|sandbox|sbox)|test|sandbox|FLWPUBK_TEST)[_-](?:sq0idb-|[a-z0-9]{8}_)?"
    r"(?=[A-Za-z]{0,60}\d)(?=\d{0,60}[A-Za-z])[A-Za-z0-9]{14,120}(?![\w-])"
)
"""A key for browsers with which providers of payments try everything and charge nothing."""
_TEST_WORDS: Final = ("test", "TEST", "sandbox", "sbox")
_PARTS_OF_KEY: Final = tuple(f"{word}{sign}" for word in _TEST_WORDS for sign in "_-")
"""One of them is in everything that the pattern above matches, near its beginning."""
_MAX_BEFORE: Final = 8
"""Characters of a key before such a part."""
_SETTING: Final = re.compile(
    r"[\"']?\b(?:env|environment|mode|data-env|data-environment|data-mode)[\"']?\s{0,3}[:=]\s{0,3}[\"'](?:test|sandbox)[\"']",
    re.IGNORECASE,
)
_ABOUT_MONEY: Final = re.compile(r"pay|checkout|card|merchant|charge|publishable|\bcc-", re.IGNORECASE)
_TRIED_OUT: Final = re.compile(
    r"(?<![a-z])(?:demo|dev|develop|docs?|local|localhost|playground|preview|preprod|qa|sandbox|stage"
    r"|staging|test|testing|uat)(?![a-z])"
)
"""Parts of the names of machines on which payments are tried out."""
_MIN_KEY: Final = 18
_MAX_SHOWN: Final = 200


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
        State(
            "test_mode",
            "A form for payments runs in the test mode of its provider.",
            loss=1.0,
            title="Payments run in test mode",
            why="Real cards are refused, or orders are accepted and no payment ever arrives.",
            fix="Replace the key for tests by the live one, and set the environment of the provider to production.",
        ),
    ),
    cap=Cap(49, states=("only", "test_mode")),
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

    So does a page with a form for a payment and a key for tests of its provider, in an inline script or an attribute,
    such as `pk_test_` and a long word, or with fields for a card and a script that sets the environment of a payment to
    `test` or `sandbox`. Pages that show the key as code, and hosts for trials such as `staging.example.com`, are left
    out.

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
    tested = _find_tests(document)
    dead = [Offender(one.node, "nothing sends it") for one in document.forms[:MAX_FORMS] if is_dead_form(one.node)]
    if tested:
        return Outcome("test_mode", value=len(tested), evidence=evidence_of(document, tested), total=len(tested))
    if dead and any(
        one.url is not None or _MAY_SEND.search(one.text[:_MAX_SCRIPT]) for one in document.running_scripts
    ):
        return NotRun("undecided", "The page runs scripts, which may send its forms.")
    state = "works" if not dead else "only" if _is_all(document, dead) else "dead"
    return Outcome(state, value=len(dead), evidence=evidence_of(document, dead), total=len(dead))


def _find_tests(document: Document) -> list[Offender]:
    """The scripts, and the parts of forms, with which the payments of the page are only tried out."""
    takes_card = _takes_card(document)
    forms = [one for one in document.forms[:MAX_FORMS] if one.method == "post" or takes_card]
    if not forms or _TRIED_OUT.search(host(document.url)) is not None:
        return []
    found = [
        Offender(node, "key for tests")
        for one in forms
        for node, value in attributes_in(one.node)
        if len(value) > _MIN_KEY and _is_test_key(value)
    ]
    for script in document.running_scripts:
        text = script.text[:_MAX_SCRIPT]
        # What is quickest to rule out comes first.
        is_set = _has_test_key(text) or (
            takes_card and any(word in text for word in _TEST_WORDS) and _SETTING.search(text) is not None
        )
        if is_set and _ABOUT_MONEY.search(text) is not None:
            found.append(Offender(script.node, "sets up payments for tests"))
    return [] if found and _is_shown_as_code(document) else found


def _takes_card(document: Document) -> bool:
    return any("cc-" in one.attrs.get("autocomplete", "") for one in document.controls[:1_000])


def _is_test_key(value: str) -> bool:
    return any(part in value for part in _PARTS_OF_KEY) and _TEST_KEY.fullmatch(value) is not None


def _has_test_key(text: str) -> bool:
    for part in _PARTS_OF_KEY:
        at = text.find(part)
        while at >= 0:
            if any(_TEST_KEY.match(text, begin) for begin in range(max(0, at - _MAX_BEFORE), at + 1)):
                return True
            at = text.find(part, at + 1)
    return False


def _is_shown_as_code(document: Document) -> bool:
    """Return whether the page shows a key for tests to readers, as instructions do."""
    shown = islice(texts_of(document, "pre", "code", "samp"), _MAX_SHOWN)
    return any(_TEST_KEY.search(one[:4_000]) is not None for one in shown)


def _is_all(document: Document, dead: Sequence[Offender]) -> bool:
    """Return whether these forms, which nothing sends, are all that the main content offers."""
    nodes = [one.node for one in dead]
    fields = sum(1 for one in document.controls if form_of(one) in nodes and not one.hidden)
    if fields < MIN_FIELDS or any(form_of(one) not in {*nodes, None} for one in document.controls if not one.hidden):
        return False
    within = sum(map(words_in, nodes))
    return document.main_word_count - within <= MAX_BESIDE
