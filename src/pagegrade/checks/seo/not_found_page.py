from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import WellKnown
from pagegrade.model.outcome import Detail, Evidence, NotRun, Outcome, Severity

MIN_BODY_BYTES: Final = {404: 512, 410: 256}
"""Old browsers showed a page of their own in place of a shorter one, and what is shorter rarely helps anybody."""


@check(
    id="not-found-page",
    title="Page for addresses that do not exist",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("ok", "An address that does not exist is answered with 404 and a page of its own."),
        State("thin", "The page for addresses that do not exist says next to nothing.", loss=0.5),
        State("redirected", "An address that does not exist redirects before it is answered with 404.", loss=0.5),
        State("soft_404", "An address that does not exist is answered as if it did.", loss=1.0),
        State("redirects_elsewhere", "An address that does not exist redirects to another page.", loss=1.0),
        State("server_error", "An address that does not exist causes a server error.", loss=1.0),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.5",
        "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors",
    ),
)
def not_found_page(not_found_probe: WellKnown) -> Verdict:
    """A site should say so when an address does not exist.

    ## What it checks

    One request for an address of the site that cannot exist. 404 and 410 are right. Warnings: 404 with fewer than 512
    bytes of body (410: 256), and a redirect to a page that then answers 404. Failures: 200 as if the page were there,
    a redirect to the start page or any other page, and a server error. An answer of 401, 403, 429 or another refusal
    is not judged, because it may be meant for our fetcher only.

    ## Why it matters

    Search engines keep addresses that answer with 200, so mistyped and deleted ones fill the index and take the place
    of real pages. A helpful page for lost visitors keeps them on the site.

    ## How to fix

    Answer unknown addresses with status 404 and a page that helps people on.

    An application that draws all its pages in the browser needs a rule on the server that knows which addresses exist.
    Do not redirect unknown addresses to the start page.

    ## Fails on

    ```http not_found_probe
    HTTP/2 200
    content-type: text/html

    <!doctype html><title>Our shop</title><div id="root"></div>
    ```

    ## Passes on

    ```http not_found_probe
    HTTP/2 404
    content-type: text/html

    <!doctype html><html lang="en"><head><title>Page not found - Our shop</title></head>
    <body><h1>There is no page here</h1>
    <p>Perhaps the address has a typing mistake, or the page has moved. Our search looks through all products, guides
    and news; the site map below lists the most important pages.</p>
    <form action="/search"><label>Search <input name="q"></label><button>Go</button></form>
    <ul><li><a href="/">Start</a></li><li><a href="/shoes">Shoes</a></li><li><a href="/boots">Boots</a></li>
    <li><a href="/help">Help and contact</a></li><li><a href="/returns">Returns</a></li></ul></body></html>
    ```
    """
    response = not_found_probe.response
    status = response.status
    evidence = (
        *(
            Evidence(url=hop.url, value=str(hop.status), reason="Redirects to the next address.")
            for hop in not_found_probe.hops
        ),
        Evidence(url=response.url, value=str(status), reason="The last answer."),
    )
    details = (Detail(code="status", actual=status, limit=404),)
    limit = MIN_BODY_BYTES.get(status)
    if limit is not None:
        body_bytes = max(len(response.body), response.wire_bytes or 0)
        if not_found_probe.hops:
            return Outcome("redirected", value=status, evidence=evidence)
        if body_bytes < limit:
            size = (Detail(code="body_bytes", actual=body_bytes, limit=limit),)
            message = f"The page for addresses that do not exist has only {amount(body_bytes, 'byte')}."
            return Outcome("thin", value=status, evidence=evidence, details=size, message=message)
        return Outcome("ok", value=status, evidence=evidence)
    if status in range(500, 600):
        return Outcome("server_error", value=status, evidence=evidence, details=details)
    is_success = status in range(200, 300)
    if status in range(300, 400) or (is_success and not_found_probe.hops):
        return Outcome("redirects_elsewhere", value=status, evidence=evidence, details=details)
    if is_success:
        return Outcome("soft_404", value=status, evidence=evidence, details=details)
    return NotRun("blocked", f"The probe was answered with status {status}, which may be meant for our fetcher only.")
