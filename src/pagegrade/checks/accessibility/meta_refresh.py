from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document
from pagegrade.model.outcome import Outcome, Severity

MAX_SECONDS: Final = 72_000
"""Twenty hours: WCAG 2.2, success criterion 2.2.1. No one is hurried by more."""


@check(
    id="meta-refresh",
    title="Automatic refresh",
    severity=Severity.MEDIUM,
    since="0.1.0",
    visible_only=False,
    states=(
        State("none", "The page does not reload or redirect by itself."),
        State("redirect", "The page redirects immediately with a meta element."),
        State(
            "timed",
            "The page reloads or redirects by itself after a delay.",
            1.0,
            title="Remove the timed refresh",
            why=(
                "People who need longer lose their place or a half-filled form, and screen readers start again "
                "from the top."
            ),
            fix=(
                'Remove the `<meta http-equiv="refresh">`. Redirect with status 301, and refresh parts of the '
                "page when the visitor asks for it."
            ),
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/timing-adjustable.html",
        "https://www.w3.org/WAI/WCAG22/Techniques/html/H76",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/bc659a/",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/bisz58/",
        "https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-refresh",
    ),
)
def meta_refresh(document: Document) -> Outcome:
    """A page that reloads or redirects by itself takes time away from people who read slowly.

    ## What it checks

    Elements `<meta http-equiv="refresh">` whose content browsers understand; of several the first counts. It fails with
    a delay above 0 and up to 20 hours. A delay of 0 is a redirect. The guidelines for accessibility allow it, because
    no one has begun to read, so it costs nothing and is only reported; a response with status 301 or 308 does the same
    for every program, and faster. One without a URL is treated alike: the page requests itself again, and what it then
    shows is not known. Content that browsers do not understand does nothing, and passes. More than 20 hours pass,
    although the strictest level of the guidelines forbids them as well.

    ## Why it matters

    People who need longer lose their place or a half-filled form, and screen readers start again from the top.

    ## How to fix

    Remove the element; redirect with a response of the server, and refresh parts of the page when the visitor asks for
    it.

    ## Fails on

    ```html
    <!doctype html><title>News</title><meta http-equiv="refresh" content="300">
    ```

    ## Passes on

    ```html
    <!doctype html><title>News</title><p><a href="/news">Reload</a></p>
    ```
    """
    for meta in document.metas:
        if meta.http_equiv != "refresh":
            continue
        delay = _delay_seconds(meta.content)
        if delay is None:
            continue
        evidence = evidence_of(document, [Offender(meta.node, amount(delay, "second"))])
        if delay == 0:
            return Outcome("redirect", value=0, evidence=evidence)
        if delay <= MAX_SECONDS:
            return Outcome("timed", value=delay, evidence=evidence)
        break
    return Outcome("none")


def _delay_seconds(content: str) -> int | None:
    """The delay a browser reads; ``None`` for content it does not understand.

    Source: https://html.spec.whatwg.org/multipage/document-lifecycle.html#shared-declarative-refresh-steps
    """
    text = content.lstrip(" \t\n\f\r")
    end = 0
    while end < len(text) and text[end] in "0123456789":
        end += 1
    if end == 0 and text[:1] != ".":
        return None
    rest = text[end:].lstrip("0123456789.")
    if rest and rest[0] not in ";, \t\n\f\r":
        return None
    return min(int(text[: min(end, 9)] or "0"), 999_999_999)
