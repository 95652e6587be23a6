from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._links import PageLinks
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Severity
from pagegrade.parse.url import host


@check(
    id="http-internal-links",
    title="Own links without encryption",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("encrypted", "All links to the own site are encrypted."),
        State("plain", "Links to the own site begin with http.", loss=0.25, loss_max=0.5),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/site-move-with-url-changes",),
    requires=("https",),
)
def http_internal_links(document: Document, page_links: PageLinks) -> Verdict:
    """Links to the own pages should not take the detour over an address without encryption.

    ## What it checks

    On a page that came over https: links with `http://` to the same host, with or without `www.`. Other hosts may have
    no encryption, and are left out. One costs a quarter, ten cost half.

    ## Why it matters

    Each such click costs a redirect, and can be read and changed on the way.

    ## How to fix

    Write these links with `https://`, or without scheme and host: `/chairs`. Look into menus, widgets and old articles.

    ## Fails on

    ```html
    <!doctype html>
    <title>Shop</title>
    <a href="http://example.com/chairs">Chairs</a>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shop</title>
    <a href="https://example.com/chairs">Chairs</a> <a href="/tables">Tables</a>
    ```
    """
    if not document.url.startswith("https:"):
        return NotApplicable("The page itself is not encrypted.")
    own = host(document.url).removeprefix("www.")
    found = [
        Offender(anchor.node, "begins with http", url=url)
        for anchor, url, _ in page_links.found
        if url.startswith("http://") and host(url).removeprefix("www.") == own
    ]
    return counted(
        document,
        found,
        "encrypted",
        "plain",
        "One link to the own site begins with http.",
        "{count} links to the own site begin with http.",
        low=0.25,
        high=0.5,
    )
