from collections.abc import Iterator
from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, Outcome, Severity

_OBSOLETE: Final = {
    "expect-ct": "browsers demand certificate transparency by themselves",
    "feature-policy": "replaced by Permissions-Policy",
    "p3p": "only Internet Explorer read it",
    "public-key-pins": "removed from all browsers, because it locked people out",
    "public-key-pins-report-only": "removed from all browsers",
    "x-content-security-policy": "replaced by Content-Security-Policy",
    "x-ua-compatible": "only Internet Explorer read it",
    "x-webkit-csp": "replaced by Content-Security-Policy",
}
"""Source: MDN's pages on each header and the specifications that withdrew them, as of 2026-08."""


@check(
    id="obsolete-headers",
    title="Obsolete headers",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("current", "The response has no obsolete headers."),
        State(
            "obsolete",
            "The response has headers that browsers no longer use.",
            title="Obsolete headers",
            why="They add bytes to every page and suggest protection that does not exist.",
            fix=(
                "Remove them from the configuration of the server or application. A Content Security Policy "
                "replaces `X-XSS-Protection`."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers",
        "https://www.rfc-editor.org/rfc/rfc9111#section-5.4",
    ),
)
def obsolete_headers(seen_response: Response) -> Outcome:
    """Headers that browsers no longer read add bytes without a purpose.

    ## What it checks

    The headers of the page itself for `Expect-CT`, `Feature-Policy`, `P3P`, `Pragma`, `Public-Key-Pins`,
    `X-Content-Security-Policy`, `X-UA-Compatible`, `X-WebKit-CSP`, and `X-XSS-Protection` where it does not switch the
    old filter off with `0`. `Pragma` is listed only beside `Cache-Control`, which overrules it. This check costs
    nothing.

    ## Fails on

    ```http
    HTTP/2 200
    Content-Type: text/html
    X-XSS-Protection: 1; mode=block

    <!doctype html><title>Example</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Content-Type: text/html
    X-XSS-Protection: 0

    <!doctype html><title>Example</title>
    ```
    """
    found = tuple(_found(seen_response))
    return Outcome(
        "obsolete" if found else "current", value=len(found), evidence=found[:MAX_EVIDENCE], total=len(found)
    )


def _found(response: Response) -> Iterator[Evidence]:
    caches = response.header("cache-control") is not None
    for name, value in response.headers:
        reason = _OBSOLETE.get(name.lower(), "")
        if name.lower() == "pragma" and caches:
            reason = "overruled by Cache-Control"
        elif name.lower() == "x-xss-protection" and not value.strip().startswith("0"):
            reason = "controlled a filter that browsers have removed"
        if reason:
            yield Evidence(header=name, snippet=value[:200], reason=reason)
