import re
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import NotGathered, WellKnown
from pagegrade.model.outcome import Detail, Evidence, NotRun, Outcome, Severity
from pagegrade.parse.files.robots import looks_like_html

_NOT_HERE: Final = frozenset({404, 410})
_WAY_ON: Final = re.compile(rb"<(?:a|area|form|script|iframe)[\s>]", re.IGNORECASE)
"""Elements that lead on, or that may make some."""


@check(
    id="not-found-page",
    title="404 page",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("ok", "A URL that does not exist is answered with 404 and a page."),
        State(
            "thin",
            "The 404 page has no link and no search field.",
            loss=0.5,
            title="404 page without links",
            why="Visitors who mistyped a URL or followed an old link get no help and leave.",
            fix="Show the site's layout on the 404 page, with a search field and links to the main sections.",
        ),
        State(
            "redirected",
            "A URL that does not exist redirects before it is answered with 404.",
            loss=0.5,
            title="Unknown URLs redirect before they return 404",
            why=(
                "The redirect hides the URL that was wrong and costs search engines an extra request for every "
                "dead link."
            ),
            fix="Answer the unknown URL itself with status 404 and the error page.",
        ),
        State(
            "soft_404",
            "A URL that does not exist is answered with a success status.",
            loss=1.0,
            title="Unknown URLs return 200 instead of 404",
            why=(
                "Search engines treat mistyped and deleted URLs as real pages, index them or report them as "
                "soft 404, and waste requests on them."
            ),
            fix=(
                "Send status 404 with the error page. An application with client-side routing needs a server "
                "rule that knows which URLs exist."
            ),
        ),
        State(
            "redirects_elsewhere",
            "A URL that does not exist redirects to another page.",
            loss=1.0,
            title="Unknown URLs redirect to another page",
            why=(
                "Visitors do not learn that the page is gone, and search engines treat such redirects as soft "
                "404 errors."
            ),
            fix="Answer unknown URLs with status 404 and an error page instead of a redirect.",
        ),
        State(
            "server_error",
            "A URL that does not exist causes a server error.",
            loss=1.0,
            title="Unknown URLs cause a server error",
            why=(
                "Search engines slow down crawling when they meet server errors, and keep trying URLs that will "
                "never exist."
            ),
            fix="Handle unknown URLs in the application and answer them with status 404.",
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.5",
        "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors",
    ),
)
def not_found_page(not_found_probe: WellKnown, robots_txt: WellKnown | NotGathered) -> Verdict:
    """A site should answer URLs that do not exist with status 404.

    ## What it checks

    One request for a URL of the site that cannot exist. 404 and 410 are right. Warnings: a page for them without any
    link, form or script, and a redirect to a page that then answers 404. Failures: 200 as if the page were there,
    a redirect to the home page or any other page, and a server error. A page that is served at `/robots.txt` for the
    same reason is listed here. An answer of 401, 403, 429 or another refusal is not evaluated, because it may be meant
    for our fetcher only.

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
            Evidence(url=hop.url, value=f"status {hop.status}", reason="redirects to the next URL")
            for hop in not_found_probe.hops
        ),
        Evidence(url=response.url, value=f"status {status}", reason="final response"),
    )
    details = (Detail(code="status", actual=status, limit=404),)
    if status in _NOT_HERE:
        if not_found_probe.hops:
            return Outcome("redirected", value=status, evidence=evidence)
        if _WAY_ON.search(response.body) is None:
            size = (Detail(code="body_bytes", actual=len(response.body)),)
            return Outcome("thin", value=status, evidence=evidence, details=size)
        return Outcome("ok", value=status, evidence=evidence)
    if status in range(500, 600):
        return Outcome("server_error", value=status, evidence=evidence, details=details)
    is_success = status in range(200, 300)
    if is_success and isinstance(robots_txt, WellKnown) and _is_page(robots_txt):
        found = robots_txt.response
        evidence += (Evidence(url=found.url, value=f"status {found.status}", reason="a page in place of the file"),)
    if status in range(300, 400) or (is_success and not_found_probe.hops):
        return Outcome("redirects_elsewhere", value=status, evidence=evidence, details=details)
    if is_success:
        return Outcome("soft_404", value=status, evidence=evidence, details=details)
    return NotRun("blocked", f"The probe was answered with status {status}, which may be meant for our fetcher only.")


def _is_page(file: WellKnown) -> bool:
    """Return whether a text file was asked for and a web page came."""
    return file.response.status in range(200, 300) and looks_like_html(file.response.body)
