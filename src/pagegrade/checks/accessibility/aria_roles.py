from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.aria.roles import ROLES


@check(
    id="aria-roles",
    title="Valid ARIA roles",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("known", "Every role is valid."),
        State(
            "unknown",
            "Elements have invalid roles.",
            0.5,
            1.0,
            title="Invalid ARIA roles",
            why="Browsers ignore the role, so screen readers do not announce what the element is.",
            fix=(
                "Correct the spelling, use a role of the specification, or use the HTML element that has the "
                "role by itself, such as `<button>`."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/wai-aria-1.2/#role_definitions",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/674b10/",
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
    ),
)
def aria_roles(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """The `role` of an element says what it is to assistive technology, with a value from a fixed list.

    ## What it checks

    Elements with a `role` that are not hidden. Browsers take the first word they know, so it fails where they know none
    of them, and where the role is abstract (`widget`, `section` and others that only structure the list). Known are the
    roles of WAI-ARIA 1.2, of its modules for publishing (`doc-`) and graphics (`graphics-`), and those of version 1.3
    that browsers already support. An empty `role` counts as missing. The loss grows from half (one element) to
    everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <div role="buton" tabindex="0">Buy</div>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <div role="button" tabindex="0">Buy</div>
    ```
    """
    written = [one for one in accessibility.roles if one.tokens and not one.hidden]
    if not written:
        return NotApplicable("No element of the page has a role.")
    found = [
        Offender(one.node, reason, " ".join(one.tokens))
        for one in written
        if (reason := _reason(one.tokens, one.written))
    ]
    return counted(
        document,
        found,
        "known",
        "unknown",
        "One element has an invalid role.",
        "{count} elements have invalid roles.",
    )


def _reason(tokens: tuple[str, ...], role: str) -> str:
    for token in tokens:
        if token in ROLES and ROLES[token].abstract:
            return f"the role {token} is abstract"
    return "" if role else "no such role"
