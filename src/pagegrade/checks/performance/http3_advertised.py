import re
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.headers import split_outside_quotes

_MAX_HEADER: Final = 4_096
_H3: Final = re.compile(r"h3(?:-[0-9]{1,3})?")


@check(
    id="http3-advertised",
    title="HTTP/3",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("advertised", "The server offers HTTP/3."),
        State("absent", "The server does not say that it offers HTTP/3."),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9114#section-3.1.1",
        "https://www.rfc-editor.org/rfc/rfc7838",
    ),
)
def http3_advertised(seen_response: Response) -> Verdict:
    """HTTP/3 keeps pages moving on bad connections.

    ## What it checks

    Whether the page came over HTTP/3, or its `Alt-Svc` header names `h3` (or a draft of it such as `h3-29`). A server
    may announce HTTP/3 in the DNS instead, which is not looked at; so this is a fact to know and costs nothing. Pages
    over http cannot have it.

    ## Why it matters

    With HTTP/3 a lost packet holds up one file and not all, and moving from one network to another breaks nothing.

    ## How to fix

    Switch HTTP/3 on in the CDN or the web server, which then sends:

    ```
    Alt-Svc: h3=":443"; ma=86400
    ```

    ## Fails on

    ```http
    HTTP/2 200

    <!doctype html><title>Garden furniture</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Alt-Svc: h3=":443"; ma=86400

    <!doctype html><title>Garden furniture</title>
    ```
    """
    if not seen_response.url.startswith("https:"):
        return NotApplicable("The page is served over http, where HTTP/3 is not possible.")
    announced = (seen_response.header("alt-svc") or "")[:_MAX_HEADER]
    protocols = {member.partition("=")[0].strip() for member in split_outside_quotes(announced, ",")}
    is_offered = seen_response.http_version.startswith("HTTP/3") or any(map(_H3.fullmatch, protocols))
    return Outcome(
        "advertised" if is_offered else "absent",
        value=announced[:200] or seen_response.http_version,
        evidence=(Evidence(header="Alt-Svc", value=announced[:200]),) if announced else (),
    )
