from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.aria.attributes import ATTRIBUTES


@check(
    id="aria-valid-attr",
    title="Valid ARIA attributes",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("known", "Every ARIA attribute exists."),
        State(
            "unknown",
            "Elements have ARIA attributes that do not exist.",
            0.5,
            1.0,
            title="Unknown ARIA attributes",
            why="A misspelled attribute has no effect: the name or state that it should supply is missing.",
            fix="Correct the spelling, often `aria-labelledby`, or `role` instead of `aria-role`.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/wai-aria-1.2/#state_prop_def",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/5f99a7/",
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
    ),
)
def aria_valid_attr(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """Attributes that begin with `aria-` are read by assistive technology, which knows a fixed list of them.

    ## What it checks

    Every attribute that begins with `aria-`, on elements that are not hidden. Known are those of WAI-ARIA 1.2 and those
    of version 1.3 that browsers have or are about to have: `aria-actions`, `aria-description`, `aria-braillelabel`,
    `aria-brailleroledescription`, `aria-colindextext` and `aria-rowindextext`. The loss grows from half (one attribute)
    to everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <input id="q" aria-labeledby="t"><b id="t">Search</b>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <input id="q" aria-labelledby="t"><b id="t">Search</b>
    ```
    """
    evaluated = [one for one in accessibility.roles if not one.hidden]
    if not accessibility.uses_aria:
        return NotApplicable("The page uses no ARIA attributes.")
    found = [
        Offender(one.node, "no such attribute", name)
        for one in evaluated
        for name in one.attrs
        if name not in ATTRIBUTES and name.startswith("aria-")
    ]
    return counted(
        document,
        found,
        "known",
        "unknown",
        "One ARIA attribute does not exist.",
        "{count} ARIA attributes do not exist.",
    )
