from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._links import PageLinks
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Severity
from pagegrade.parse.url import host


@check(
    id="http-internal-links",
    title="Internal links over http",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("encrypted", "All internal links use https."),
        State(
            "plain",
            "Internal links use http.",
            loss=0.25,
            loss_max=0.5,
            title="Internal links over http",
            why=(
                "The request after a click on such a link is not encrypted and can be read and changed on its way. "
                "At best it is redirected to https, which takes an extra round trip."
            ),
            fix=(
                "Write these links with `https://`, or without scheme and host: `/chairs`. Check menus, "
                "widgets and old articles."
            ),
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/site-move-with-url-changes",),
)
def http_internal_links(document: Document, page_links: PageLinks) -> Verdict:
    """Links to pages of the same site should use https.

    ## What it checks

    On a page that came over https: links with `http://` to the same host, with or without `www.`. Other hosts may have
    no encryption, and are left out. One costs a quarter, ten cost half.

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
        return NotApplicable("The page itself is not served over HTTPS.")
    own = host(document.url).removeprefix("www.")
    internal = [
        (anchor, url) for anchor, url, is_own in page_links.found if is_own and host(url).removeprefix("www.") == own
    ]
    if not internal:
        return NotApplicable("The page has no internal links.")
    found = [Offender(anchor.node, "uses http", url=url) for anchor, url in internal if url.startswith("http://")]
    return counted(
        document,
        found,
        "encrypted",
        "plain",
        "One internal link uses http.",
        "{count} internal links use http.",
        low=0.25,
        high=0.5,
    )
