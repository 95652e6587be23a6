import re
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import TLS, NotGathered, Response
from pagegrade.model.outcome import Evidence, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.http.headers import split_outside_quotes

_MAX_HEADER: Final = 4_096
_H3: Final = re.compile(r"h3(?:-[0-9]+)?")


@check(
    id="http2",
    title="HTTP/2",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("modern", "The page is available over HTTP/2 or HTTP/3."),
        State(
            "http1",
            "The page is available over HTTP/1.1 only.",
            loss=1.0,
            title="Enable HTTP/2",
            why=(
                "With HTTP/1.1 a browser opens up to six connections to a server, and each transfers one file "
                "at a time: pages with many files wait in line."
            ),
            fix=(
                "Turn on HTTP/2 in the web server, or put a CDN in front of it. Apache needs `Protocols h2 "
                "http/1.1`, nginx needs:\n\n"
                "```\n"
                "http2 on;\n"
                "```"
            ),
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9113",
        "https://www.rfc-editor.org/rfc/rfc7301",
        "https://www.rfc-editor.org/rfc/rfc9114",
    ),
)
def http2(response: Response, tls: TLS | NotGathered) -> Verdict:
    """HTTP/2 and HTTP/3 transfer many files at once over one connection.

    ## What it checks

    Which HTTP version the server chose for the page when HTTP/2 was offered, which version it agrees to in the TLS
    handshake, and whether its `Alt-Svc` header announces HTTP/2 or HTTP/3. One of these is enough. Browsers speak
    HTTP/2 over https only, so the check does not apply to a page over http.

    ## Fails on

    ```http
    HTTP/1.1 200
    Content-Type: text/html; charset=utf-8

    <!doctype html><title>Garden furniture</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Content-Type: text/html; charset=utf-8

    <!doctype html><title>Garden furniture</title>
    ```
    """
    if not response.url.startswith("https:"):
        return NotApplicable("The page is served over http, where browsers use HTTP/1.1 only.")
    alpn = tls.alpn if isinstance(tls, TLS) else None
    version = response.http_version
    if not version and alpn is None:
        return NotRun("not_measured", "The saved page does not include its HTTP version.")
    announced = (response.header("alt-svc") or "")[:_MAX_HEADER]
    seen = [
        Evidence(value=version, reason="version of the response") if version else None,
        Evidence(value=alpn, reason="agreed in the TLS handshake (ALPN)") if alpn else None,
        Evidence(header="Alt-Svc", snippet=announced[:200]) if announced else None,
    ]
    evidence = tuple(entry for entry in seen if entry is not None)
    if version.startswith(("HTTP/2", "HTTP/3")):
        return Outcome("modern", value=version, evidence=evidence)
    protocols = {member.partition("=")[0].strip() for member in split_outside_quotes(announced, ",")}
    if alpn == "h2" or "h2" in protocols:
        return Outcome("modern", value="HTTP/2", evidence=evidence)
    if any(_H3.fullmatch(protocol) for protocol in protocols):
        return Outcome("modern", value="HTTP/3", evidence=evidence)
    return Outcome("http1", value=version or alpn, evidence=evidence)
