from collections.abc import Iterator
from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.parse.http.csp import CSP, Policy, SourceList
from pagegrade.parse.http.headers import parse_tokens

_HEADER: Final = "X-Frame-Options"
_CLOSED: Final = frozenset({"deny", "sameorigin"})


@check(
    id="clickjacking",
    title="Clickjacking protection",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("policy", "The Content-Security-Policy header limits which sites may frame the page."),
        State("header", "The X-Frame-Options header prevents other sites from framing the page."),
        State(
            "conflict",
            "The page sends X-Frame-Options headers that contradict each other.",
            loss=0.5,
            title="Conflicting X-Frame-Options headers",
            why=(
                "Browsers block framing altogether or ignore the headers, depending on the values, so the "
                "protection is unreliable."
            ),
            fix=(
                "Send the header once, or better a `frame-ancestors` directive. Look for a second one set by a "
                "proxy or the application."
            ),
        ),
        State(
            "allow-from",
            "The page relies on ALLOW-FROM, which current browsers ignore.",
            loss=0.5,
            title="Replace ALLOW-FROM by frame-ancestors",
            why="Browsers ignore the header, so any site may frame the page.",
            fix=(
                "List the sites that may frame the page in a Content-Security-Policy header:\n\n"
                "```\n"
                "Content-Security-Policy: frame-ancestors 'self' https://partner.example\n"
                "```"
            ),
        ),
        State(
            "open-policy",
            "The Content-Security-Policy header lets every site frame the page.",
            loss=1.0,
            title="Policy allows every site to frame the page",
            why=(
                "Other sites can show the page in an invisible frame and trick visitors into clicking. Browsers "
                "ignore X-Frame-Options beside this directive."
            ),
            fix="Set `frame-ancestors` to `'self'`, or to the sites that may frame the page.",
        ),
        State(
            "unknown",
            "The X-Frame-Options header has a value that browsers do not know.",
            loss=1.0,
            title="X-Frame-Options has an invalid value",
            why="Browsers ignore the header, so any site may frame the page.",
            fix="Send `X-Frame-Options: SAMEORIGIN`, or better `Content-Security-Policy: frame-ancestors 'self'`.",
        ),
        State(
            "missing",
            "Any site may show the page in a frame.",
            loss=1.0,
            title="Restrict which sites may frame the page",
            why=(
                "Another site can lay the page invisibly over its own and make logged-in visitors click on "
                "things they do not see."
            ),
            fix=(
                "Send this header, and list sites that may embed the page after `'self'`:\n\n"
                "```\n"
                "Content-Security-Policy: frame-ancestors 'self'\n"
                "```"
            ),
        ),
    ),
    sources=(
        "https://www.w3.org/TR/CSP3/#directive-frame-ancestors",
        "https://html.spec.whatwg.org/multipage/document-lifecycle.html#the-x-frame-options-header",
        "https://www.rfc-editor.org/rfc/rfc7034",
    ),
)
def clickjacking(seen_response: Response, csp: CSP) -> Outcome:
    """Without protection, other sites can show the page in an invisible frame and trick visitors into clicking.

    ## What it checks

    The `frame-ancestors` directive of the Content-Security-Policy header, and the older `X-Frame-Options` header. Where
    an enforced policy has `frame-ancestors`, browsers look at it alone; it passes unless it lets everyone in (`*` or a
    bare scheme). Without it, `X-Frame-Options` passes with `DENY` or `SAMEORIGIN`. It costs half with `ALLOW-FROM`,
    which current browsers ignore so that everyone may frame the page, and with values that contradict each other. The
    same value sent twice is fine, since the standard counts it once. A `<meta>` can carry neither, and a report-only
    policy protects from nothing.

    About half of the most visited sites still have no such header. It costs everything because one line protects every
    page, and only a page that anyone may frame needs none.

    ## Fails on

    ```http
    HTTP/2 200
    Content-Type: text/html

    <!doctype html><title>Bank</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Content-Type: text/html
    Content-Security-Policy: frame-ancestors 'none'

    <!doctype html><title>Bank</title>
    ```
    """
    policies = [policy for policy in csp.enforced if "frame-ancestors" in policy.directives]
    values = seen_response.header_values(_HEADER)
    evidence = tuple(_evidence(policies, values))
    if policies:
        closed = any(not _open(policy) for policy in policies)
        return Outcome("policy" if closed else "open-policy", value=_value(policies[0]), evidence=evidence)
    words = set(parse_tokens(values))
    value = ", ".join(values)[:200]
    if not words:
        return Outcome("missing" if not values else "unknown", value=value, evidence=evidence)
    if len(words) > 1 and words & _CLOSED:
        return Outcome("conflict", value=value, evidence=evidence)
    if words <= _CLOSED:
        return Outcome("header", value=value, evidence=evidence)
    if any(word.startswith("allow-from") for word in words):
        return Outcome("allow-from", value=value, evidence=evidence)
    return Outcome("unknown", value=value, evidence=evidence)


def _open(policy: Policy) -> bool:
    return bool(SourceList("frame-ancestors", policy.directives["frame-ancestors"]).open_sources)


def _value(policy: Policy) -> str:
    return " ".join(("frame-ancestors", *policy.directives["frame-ancestors"]))[:200]


def _evidence(policies: list[Policy], values: list[str]) -> Iterator[Evidence]:
    for policy in policies[:10]:
        yield Evidence(header="Content-Security-Policy", snippet=_value(policy))
    for value in values[:10]:
        reason = "ignored by browsers, because frame-ancestors is there" if policies else ""
        yield Evidence(header=_HEADER, snippet=value[:200], reason=reason)
