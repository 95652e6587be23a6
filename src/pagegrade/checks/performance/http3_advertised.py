import re
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.http.headers import split_outside_quotes

_MAX_HEADER: Final = 4_096
_H3: Final = re.compile(r"h3(?:-[0-9]{1,3})?")


@check(
    id="http3-advertised",
    title="HTTP/3",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("advertised", "The server advertises HTTP/3."),
        State(
            "absent",
            "The server does not advertise HTTP/3.",
            title="Enable HTTP/3",
            why="With HTTP/3 a lost packet delays one file and not all, which makes pages faster on mobile networks.",
            fix=(
                "Turn on HTTP/3 in the CDN or the web server, which then sends an `Alt-Svc` header:\n\n"
                "```\n"
                'Alt-Svc: h3=":443"; ma=86400\n'
                "```"
            ),
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9114#section-3.1.1",
        "https://www.rfc-editor.org/rfc/rfc7838",
    ),
)
def http3_advertised(seen_response: Response) -> Verdict:
    """HTTP/3 keeps pages loading on unreliable connections.

    ## What it checks

    Whether the page came over HTTP/3, or its `Alt-Svc` header names `h3` (or a draft of it such as `h3-29`). A server
    may announce HTTP/3 in the DNS instead, which is not checked, so the check is informative and costs nothing. Pages
    over http cannot have it.

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
