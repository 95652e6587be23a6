from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity

_NOT_TYPED: Final = frozenset({"checkbox", "color", "file", "radio", "range", "select"})


@check(
    id="paste-blocked",
    title="Pasting into form fields",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("allowed", "No field prevents pasting with an onpaste attribute."),
        State(
            "blocked",
            "Fields prevent pasting.",
            title="Form fields that prevent pasting",
            why=(
                "People have to type what they could paste from a password manager or another program, and make "
                "mistakes. Accessible logins depend on pasting (WCAG 3.3.8)."
            ),
            fix="Remove the `onpaste` handler; it does not improve security.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/accessible-authentication-minimum.html",
        "https://www.ncsc.gov.uk/blog-post/let-them-paste-passwords",
        "https://html.spec.whatwg.org/multipage/webappapis.html#handler-onpaste",
    ),
)
def paste_blocked(document: Document) -> Outcome | NotApplicable:
    """Password managers paste into fields; some fields prevent that.

    ## What it checks

    Fields that are not hidden and whose `onpaste` returns `false` or prevents the default. What scripts add elsewhere
    cannot be seen. It is informative and costs nothing.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <label>Password <input type="password" onpaste="return false"></label>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <label>Password <input type="password"></label>
    ```
    """
    fields = [control for control in document.controls if control.type not in _NOT_TYPED and not control.hidden]
    if not fields:
        return NotApplicable("The page has no fields into which text is typed.")
    found = [
        Offender(field.node, "prevents pasting")
        for field in fields
        if "onpaste" in field.attrs and _refuses(field.attrs["onpaste"])
    ]
    return counted(
        document,
        found,
        "allowed",
        "blocked",
        "One field prevents pasting.",
        "{count} fields prevent pasting.",
        low=0,
        high=0,
    )


def _refuses(handler: str) -> bool:
    plain = "".join(handler.lower().split())
    return "returnfalse" in plain or "preventdefault(" in plain or plain.endswith("return!1")
