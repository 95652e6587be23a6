from typing import Final

from pagegrade.checks._check import Cap, State, check
from pagegrade.model.artifacts import TLS, NotGathered, Response
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.parse.secure_context import host_of, is_local_host

_REPAIRED_BY_BROWSERS: Final = "incomplete_chain"


@check(
    id="https",
    title="HTTPS",
    severity=Severity.CRITICAL,
    cause="encryption",
    since="0.1.0",
    cap=Cap(69),
    states=(
        State("secure", "The page is served over HTTPS with a valid certificate."),
        State("local", "The page is served over plain HTTP, but from a local name or an onion service."),
        State(
            "unverified",
            "The page is served over HTTPS, but its certificate is invalid.",
            loss=1.0,
            title="Certificate is invalid",
            why="Browsers show a full-page warning, and most visitors turn back.",
            fix=(
                "Install a certificate that is valid today, names this host and comes from a trusted authority, and "
                "let it renew automatically."
            ),
        ),
        State(
            "insecure",
            "The page is served over plain HTTP.",
            loss=1.0,
            title="Serve the page over HTTPS",
            why=(
                'Browsers mark the page as "not secure". Anyone between the visitor and the server can read '
                "form entries and insert scripts or advertisements."
            ),
            fix=(
                "Install a certificate, which is free from authorities such as Let's Encrypt, and redirect all "
                "requests to `https://`. Most hosting panels have a switch for it."
            ),
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9110#section-4.2.2",
        "https://developers.google.com/search/docs/crawling-indexing/http-network-errors",
        "https://w3c.github.io/webappsec-secure-contexts/#is-origin-trustworthy",
    ),
)
def https(response: Response, tls: TLS | NotGathered) -> Outcome:
    """HTTPS prevents others on the network from reading or changing the page.

    ## What it checks

    Whether the URL of the page after all redirects begins with `https:` and the certificate of that host verifies. A
    URL typed with `http:` that is redirected to HTTPS passes. Plain HTTP passes only for `localhost`, names under
    `.local` and `.onion` services, whose traffic does not cross the open network in plain text. A server that forgets
    to send an intermediate certificate does not fail here, because browsers fetch the missing certificate; the
    certificate check reports it.

    ## Fails on

    ```url
    http://example.com/
    ```

    ## Passes on

    ```url
    https://example.com/
    ```
    """
    if not response.url.startswith("https:"):
        state = "local" if is_local_host(host_of(response.url)) else "insecure"
        return Outcome(state, value=response.url, evidence=(Evidence(url=response.url, reason="final URL"),))
    error = response.certificate_error
    detail = ""
    if isinstance(tls, TLS):
        # The handshake knows the cause best. Only it has looked at the chain, so only it may call the chain incomplete
        # rather than untrusted: the page's own connection does not distinguish them.
        if not tls.verified:
            error = tls.verify_error or error or "other"
        detail = tls.verify_detail
    if error is None or (error == _REPAIRED_BY_BROWSERS and isinstance(tls, TLS)):
        return Outcome("secure", value=response.url)
    return Outcome(
        "unverified",
        value=error,
        evidence=(Evidence(url=response.url, value=error, reason=detail or "the certificate does not verify"),),
    )
