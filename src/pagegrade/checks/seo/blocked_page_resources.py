from typing import Final

from pagegrade.checks._amounts import part
from pagegrade.checks._check import State, Verdict, check, offender_loss
from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.files.robots import Decision, Robots
from pagegrade.parse.url import origin

FULL_AT: Final = 5
"""Blocked files from which everything is lost."""
MAX_FILES: Final = 50
"""Files that are looked up: each may have to be compared with every rule."""
_NO_MATTER: Final = "/cdn-cgi/"
"""Files of Cloudflare, which advises to keep crawlers from them."""


@check(
    id="blocked-page-resources",
    title="Styles and scripts open to crawlers",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("open", "Search engines may fetch the page's own stylesheets and scripts."),
        State(
            "blocked",
            "The robots.txt file blocks search engines from the page's own stylesheets or scripts.",
            loss=0.5,
            loss_max=1.0,
            title="Stylesheets and scripts blocked by robots.txt",
            why=(
                "Google renders a page before it evaluates it. Without these files it sees neither the layout, such as "
                "that for phones, nor what the scripts add."
            ),
            fix=(
                "Remove the rules that cover the listed files from robots.txt, or add longer `Allow` rules:\n\n"
                "```text\n"
                "User-agent: *\n"
                "Disallow: /assets/\n"
                "Allow: /assets/*.css\n"
                "Allow: /assets/*.js\n"
                "```"
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
        "https://developers.google.com/search/docs/crawling-indexing/robots/intro",
    ),
)
def blocked_page_resources(document: Document, response: Response, robots: Robots) -> Verdict:
    """Search engines render a page, and need its stylesheets and scripts for that.

    ## What it checks

    Whether the robots.txt file lets Googlebot fetch the stylesheets and scripts that the HTML names, as far as they are
    on the scheme, host and port of the page, whose robots.txt is known. Up to 50 files are looked up. Files below
    `/cdn-cgi/` do not count: the delivery network that serves them advises to keep crawlers out. A page that is blocked
    itself is a finding of another check, and so is a robots.txt that returns an error.

    ## Fails on

    ```html
    <!doctype html><title>Curtains</title>
    <link rel="stylesheet" href="/assets/site.css"><h1>Curtains</h1>
    ```

    ```http robots_txt
    HTTP/2 200
    content-type: text/plain

    User-agent: *
    Disallow: /assets/
    ```

    ## Passes on

    ```html
    <!doctype html><title>Curtains</title>
    <link rel="stylesheet" href="/assets/site.css"><h1>Curtains</h1>
    ```

    ```http robots_txt
    HTTP/2 200
    content-type: text/plain

    User-agent: *
    Disallow: /cart/
    ```
    """
    if robots.access == "disallow_all" or not robots.decide("Googlebot", response.url).allowed:
        return NotApplicable("Search engines may not fetch the page itself.")
    site = origin(response.url)
    own = {
        one.url: one.kind
        for one in document.references
        if one.kind in {"stylesheet", "script"}
        and not one.alternative
        and origin(one.url) == site
        and not one.url.startswith(site + _NO_MATTER)
    }
    if not own:
        return NotApplicable("The page names no stylesheets and scripts on its own host.")
    decisions = {url: robots.decide("Googlebot", url) for url in list(own)[:MAX_FILES]}
    blocked = {url: decision for url, decision in decisions.items() if not decision.allowed}
    if not blocked:
        return Outcome("open", value=len(decisions))
    return Outcome(
        "blocked",
        value=part(len(blocked), len(own), "file"),
        evidence=tuple(_evidence(url, own[url], found) for url, found in list(blocked.items())[:MAX_EVIDENCE]),
        total=len(blocked),
        loss=offender_loss(len(blocked), FULL_AT),
    )


def _evidence(url: str, kind: str, decision: Decision) -> Evidence:
    reason = f"Blocked by line {decision.line} of robots.txt, in the group for {decision.agent_group}."
    return Evidence(url=url, value=kind, snippet=decision.rule, reason=reason)
