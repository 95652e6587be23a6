from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="accesskeys",
    title="Access keys",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("different", "No access key is used twice."),
        State(
            "doubled",
            "Access keys are used more than once.",
            title="Elements that share an access key",
            why="Only one of the elements with the same key can be reached, and which one depends on the browser.",
            fix="Use each key once, or remove the shortcuts: they often collide with those of screen readers.",
            counted=True,
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/interaction.html#the-accesskey-attribute",
        "https://webaim.org/techniques/keyboard/accesskey",
    ),
)
def accesskeys(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """An `accesskey` is a keyboard shortcut to one element; of duplicates only one works.

    ## What it checks

    Elements with an `accesskey` that are not hidden, ignoring case. It is informative and costs nothing.

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
        return NotApplicable("The page has no access keys.")
    count: dict[str, int] = {}
    for _, key in keys:
        count[key] = count.get(key, 0) + 1
    found = [Offender(one.node, "another element has this key", key) for one, key in keys if count[key] > 1]
    return counted(
        document,
        found,
        "different",
        "doubled",
        "One access key is used more than once.",
        "{count} elements share their access key.",
        low=0,
        high=0,
    )
