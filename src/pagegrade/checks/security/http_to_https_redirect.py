from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import TLS, NotGathered, Response, WellKnown
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.http.hsts import preloaded_suffix
from pagegrade.parse.secure_context import host_of, is_local_host

_PERMANENT: Final = frozenset({301, 308})
_FIRST_ERROR: Final = 400
_CLOSED: Final = "connect"
_NO_PORT_80: Final = "not_applicable"
_REPAIRED_BY_BROWSERS: Final = "incomplete_chain"


@check(
    id="http-to-https-redirect",
    title="HTTP to HTTPS redirect",
    severity=Severity.MEDIUM,
    cause="encryption",
    since="0.1.0",
    states=(
        State("direct", "Plain HTTP redirects permanently to HTTPS on the same host."),
        State("closed", "Port 80 is closed, so no page is ever sent in plain text."),
        State("preloaded", "Browsers never use plain HTTP for this host: its whole top-level domain is preloaded."),
        State(
            "temporary",
            "Plain HTTP redirects to HTTPS with a temporary status.",
            loss=0.5,
            title="Make the redirect to HTTPS permanent",
            why="Browsers repeat the unprotected request on every visit, and search engines keep the `http:` URL.",
            fix="Answer with status 301 or 308 instead of 302, 303 or 307.",
        ),
        State(
            "other-host",
            "Plain HTTP redirects to HTTPS on another host.",
            loss=0.5,
            title="Redirect to HTTPS on the same host first",
            why=(
                "A browser stores HSTS for exactly the host that sends it, so the first host stays unprotected "
                "on every later visit."
            ),
            fix="Redirect `http://example.com` to `https://example.com`, and from there to `www`.",
        ),
        State(
            "detour",
            "Plain HTTP redirects to another http URL before HTTPS.",
            loss=0.5,
            title="Redirect to HTTPS in one step",
            why="Each plain HTTP step can be intercepted, and costs a round trip.",
            fix="Redirect to the https URL in the first response.",
        ),
        State(
            "error",
            "Plain HTTP answers with an error instead of a redirect.",
            loss=0.5,
            title="Plain HTTP returns an error instead of a redirect",
            why="Visitors who type the host name or follow an old link see an error.",
            fix=(
                "Answer every request on port 80 with a permanent redirect:\n\n"
                "```\n"
                "return 301 https://$host$request_uri;\n"
                "```"
            ),
        ),
        State(
            "unverified",
            "The redirect from HTTP to HTTPS passes a host whose certificate is invalid.",
            loss=1.0,
            title="Redirect to HTTPS passes an invalid certificate",
            why="Browsers show a warning on the way, and most visitors turn back.",
            fix=(
                "Install a valid certificate on every host of the redirect chain, or redirect to the final host "
                "directly."
            ),
        ),
        State(
            "insecure",
            "Plain HTTP answers without leading to HTTPS.",
            loss=1.0,
            title="Redirect HTTP to HTTPS",
            why=(
                "Visitors who type the host name or follow an old link stay on an unprotected connection, where "
                "others on the network can read and change the page."
            ),
            fix=(
                "Answer every request on port 80 with a permanent redirect. For nginx:\n\n"
                "```\n"
                "return 301 https://$host$request_uri;\n"
                "```"
            ),
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc6797#section-7.2",
        "https://cheatsheetseries.owasp.org/cheatsheets/Transport_Layer_Security_Cheat_Sheet.html",
    ),
)
def http_to_https_redirect(
    response: Response, insecure_probe: WellKnown | NotGathered, tls: TLS | NotGathered
) -> Outcome | NotApplicable | NotRun:
    """Visitors who follow an old link or type the host name arrive over plain HTTP and must be redirected to HTTPS.

    ## What it checks

    What `http://` plus the page's host answers on port 80. It passes when the very first answer is a permanent redirect
    (301 or 308) to HTTPS on the same host, when the port is closed, or when the top-level domain is on the browsers'
    preload list. It costs half when the redirect is temporary (302, 303, 307), goes to another host or to another plain
    URL first, or when port 80 only gives an error. It fails when a page is served or the redirects end on plain HTTP,
    and when a certificate of a redirect does not verify. Paths used by certificate authorities are not requested.

    ## Fails on

    ```http insecure_probe
    HTTP/1.1 200
    Content-Type: text/html

    <title>Welcome</title>
    ```

    ## Passes on

    ```http insecure_probe
    GET http://example.com/
    HTTP/1.1 301
    Location: https://example.com/
    --
    GET https://example.com/
    HTTP/2 200
    ```
    """
    host = host_of(response.url)
    if response.url.startswith("http:") and is_local_host(host):
        return NotApplicable("The page lives on a local name or an onion service, where plain HTTP is fine.")
    suffix = preloaded_suffix(host)
    if isinstance(insecure_probe, NotGathered):
        if insecure_probe.code == _CLOSED:
            return Outcome("closed", value="port 80 is closed")
        if insecure_probe.code == _NO_PORT_80:
            return NotApplicable(insecure_probe.detail or "The page is not on a standard port.")
        if suffix is not None:
            return Outcome("preloaded", value=suffix)
        return NotRun(insecure_probe.code, insecure_probe.detail)
    answers = (*insecure_probe.hops, insecure_probe.response)
    repaired = tls.host if isinstance(tls, TLS) and tls.verify_error == _REPAIRED_BY_BROWSERS else None
    state = _evaluate(answers, host_of(insecure_probe.requested_url), repaired)
    if suffix is not None and state != "direct":
        return Outcome("preloaded", value=suffix, evidence=_chain(answers))
    return Outcome(
        state,
        value=answers[0].status,
        evidence=_chain(answers),
        details=(Detail(code="redirects", actual=len(answers) - 1),),
    )


def _evaluate(answers: tuple[Response, ...], host: str, repaired: str | None) -> str:
    """The state of a chain that starts at ``host``; browsers complete the certificate chain of host ``repaired``."""
    for answer in answers:
        if answer.url.startswith("https:") and answer.certificate_error and host_of(answer.url) != repaired:
            return "unverified"
    if not answers[-1].url.startswith("https:"):
        # One refusal on port 80 serves nothing, but a chain that wanders over plain HTTP has been tampered-with ground.
        return "error" if len(answers) == 1 and answers[0].status >= _FIRST_ERROR else "insecure"
    if len(answers) == 1:
        return "direct"
    target = answers[1].url
    if not target.startswith("https:"):
        return "detour"
    if host_of(target) != host:
        return "other-host"
    return "direct" if answers[0].status in _PERMANENT else "temporary"


def _chain(answers: tuple[Response, ...]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            url=answer.url,
            value=f"status {answer.status}",
            header="Location" if answer.header("location") else "",
            snippet=(answer.header("location") or "")[:200],
            reason=answer.certificate_error or "",
        )
        for answer in answers
    )
