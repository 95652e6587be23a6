from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, Outcome, Severity

MAX_BYTES: Final = 20_000
MAX_LINES: Final = 30
MAX_LINE: Final = 600
MAX_COOKIE_BYTES: Final = 4_000
EXEMPT: Final = frozenset(
    {"content-security-policy", "content-security-policy-report-only", "permissions-policy", "set-cookie"}
)


@check(
    id="header-bytes",
    title="Size of response headers",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("moderate", "The response headers have a moderate size."),
        State(
            "large",
            "The response headers are large.",
            title="Reduce the size of response headers",
            why=(
                "The first packets of a connection hold about 14 kB; what headers take of them delays the page. "
                "Large cookies are sent back with every request."
            ),
            fix=(
                "Remove headers that only serve debugging, shorten long lists, and keep the contents of cookies "
                "on the server."
            ),
        ),
    ),
    sources=("https://www.rfc-editor.org/rfc/rfc9110#section-5.4",),
)
def header_bytes(seen_response: Response) -> Verdict:
    """Headers are sent before the first byte of the page.

    ## What it checks

    The headers that came with the page: more than 20,000 bytes in all, more than 30 lines, a line of more than 600
    characters other than a content security policy, or more than 4,000 bytes of cookies, which the visitor has to send
    back each time. It is informative and costs nothing. Values are never shown here.

    ## Fails on

    ```http
    HTTP/2 200
    Content-Type: text/html
    X-Part-1: 1
    X-Part-2: 1
    X-Part-3: 1
    X-Part-4: 1
    X-Part-5: 1
    X-Part-6: 1
    X-Part-7: 1
    X-Part-8: 1
    X-Part-9: 1
    X-Part-10: 1
    X-Part-11: 1
    X-Part-12: 1
    X-Part-13: 1
    X-Part-14: 1
    X-Part-15: 1
    X-Part-16: 1
    X-Part-17: 1
    X-Part-18: 1
    X-Part-19: 1
    X-Part-20: 1
    X-Part-21: 1
    X-Part-22: 1
    X-Part-23: 1
    X-Part-24: 1
    X-Part-25: 1
    X-Part-26: 1
    X-Part-27: 1
    X-Part-28: 1
    X-Part-29: 1
    X-Part-30: 1

    <!doctype html><title>Garden furniture</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Content-Type: text/html

    <!doctype html><title>Garden furniture</title>
    ```
    """
    headers = seen_response.headers
    total = sum(len(name) + len(value) + 4 for name, value in headers)
    cookies = sum(len(value) for name, value in headers if name.lower() == "set-cookie")
    long = [(name, len(value)) for name, value in headers if len(value) > MAX_LINE and name.lower() not in EXEMPT]
    reasons = [
        f"{total:,} bytes in all" if total > MAX_BYTES else "",
        f"{len(headers)} lines" if len(headers) > MAX_LINES else "",
        f"{cookies:,} bytes of cookies" if cookies > MAX_COOKIE_BYTES else "",
    ]
    evidence = [Evidence(reason=reason) for reason in reasons if reason]
    evidence += [Evidence(header=name, value=f"{size:,} characters", reason="a long line") for name, size in long]
    return Outcome(
        "large" if evidence else "moderate",
        value=f"{total:,} bytes",
        evidence=tuple(evidence[:MAX_EVIDENCE]),
        total=len(evidence) if evidence else None,
        details=(
            Detail(code="header_bytes", actual=total, limit=MAX_BYTES),
            Detail(code="header_lines", actual=len(headers), limit=MAX_LINES),
            Detail(code="set_cookie_bytes", actual=cookies, limit=MAX_COOKIE_BYTES),
        ),
    )
