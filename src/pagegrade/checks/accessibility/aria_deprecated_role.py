from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.aria.roles import ROLES


@check(
    id="aria-deprecated-role",
    title="Deprecated ARIA roles",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("current", "No role is deprecated."),
        State(
            "deprecated",
            "Elements use deprecated roles.",
            title="Deprecated ARIA roles",
            why="Deprecated roles are no longer tested and can lose support without notice.",
            fix="Use `list` for `directory`, and list items for `doc-biblioentry` and `doc-endnote`.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/wai-aria-1.2/#directory",
        "https://www.w3.org/TR/dpub-aria-1.1/#doc-endnote",
    ),
)
def aria_deprecated_role(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """Some ARIA roles are deprecated and may lose their meaning in future browsers.

    ## What it checks

    Elements that are not hidden and whose role is `directory`, `doc-biblioentry` or `doc-endnote`. It is informative
    and costs nothing: browsers still know them.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <ul role="directory"><li>Contents</li></ul>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <ul role="list"><li>Contents</li></ul>
    ```
    """
    written = [one for one in accessibility.roles if one.written and not one.hidden]
    if not written:
        return NotApplicable("No element of the page has a role.")
    found = [Offender(one.node, "out of date", one.written) for one in written if ROLES[one.written].deprecated]
    return counted(
        document,
        found,
        "current",
        "deprecated",
        "One element uses a deprecated role.",
        "{count} elements use deprecated roles.",
        low=0,
        high=0,
    )
