from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="accesskeys",
    title="Shortcut keys",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("different", "No shortcut key is given twice."),
        State("doubled", "Shortcut keys are given twice."),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/interaction.html#the-accesskey-attribute",
        "https://webaim.org/techniques/keyboard/accesskey",
    ),
)
def accesskeys(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """An `accesskey` is a shortcut to one element; given twice, only one of them works.

    ## What it checks

    Elements with an `accesskey` that are not hidden, case aside. It is informative and costs nothing.

    ## Why it matters

    Which of the two a browser chooses is up to the browser.

    ## How to fix

    Use each key once, or none at all: shortcuts of pages often collide with those of screen readers.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/" accesskey="h">Home</a><a href="/help" accesskey="H">Help</a>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/" accesskey="h">Home</a><a href="/help" accesskey="p">Help</a>
    ```
    """
    keys = accessibility.accesskeys
    if not keys:
        return NotApplicable("The page has no shortcut keys.")
    count: dict[str, int] = {}
    for _, key in keys:
        count[key] = count.get(key, 0) + 1
    found = [Offender(one.node, "another element has this key", key) for one, key in keys if count[key] > 1]
    return counted(
        document,
        found,
        "different",
        "doubled",
        "One shortcut key is given twice.",
        "{count} elements share their shortcut key.",
        low=0,
        high=0,
    )
