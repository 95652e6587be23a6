import re
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._links import PageLinks
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Severity
from pagegrade.parse.page_links import path_and_query
from pagegrade.parse.url import strip_fragment

_PERSONAL: Final = re.compile(
    r"(?:^|[/_.-])(?:account|ads|anmelden|auth|basket|cart|checkout|compare|compte|connexion|cookies?|edit|feed|konto|"
    r"kasse|log-?in|log-?out|merkzettel|my|panier|password|print|privacy|profile|redirect|register|registrieren|reply|"
    r"search|share|sign-?in|sign-?out|sign-?up|terms|user|users|warenkorb|wishlist|wp-admin|wp-login)(?:[/_.-]|$)",
    re.IGNORECASE,
)
"""Pages that no one wants to find: personal ones, forms, and copies."""


@check(
    id="internal-nofollow",
    title="Internal nofollow links",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("followed", "No internal link has nofollow."),
        State(
            "cut_off",
            "Internal links have nofollow.",
            loss=0.25,
            loss_max=0.5,
            title="Internal links with nofollow",
            why=(
                "The site asks search engines not to follow links to its own pages, which are then found later "
                "and valued less."
            ),
            fix="Remove `nofollow` from these links. To keep a page out of search results, use `noindex` on that page.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/qualify-outbound-links",),
)
def internal_nofollow(document: Document, page_links: PageLinks) -> Verdict:
    """`nofollow` asks search engines not to follow a link, which makes no sense for pages of the same site.

    ## What it checks

    Links to the same site (same registrable domain) with `rel="nofollow"`. Links to personal pages, such as those to
    log in, to register, to a basket, to edit, to reply or to print, are left out, and so are URLs with a query, which
    sort and filter, jumps within the page, URLs of advertisements, and links that visitors placed (`ugc`) or someone
    paid for (`sponsored`). One costs a quarter, ten cost half.

    ## Fails on

    ```html
    <!doctype html>
    <title>Shop</title>
    <a href="/chairs" rel="nofollow">Chairs</a>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shop</title>
    <a href="/chairs">Chairs</a> <a href="/login" rel="nofollow">Log in</a>
    ```
    """
    found: list[Offender] = []
    internal = any(page_links.authorities.values())
    own_page = strip_fragment(document.url)
    for anchor, url, is_own in page_links.found:
        rel = anchor.rel
        if not rel or not is_own or "nofollow" not in rel or "ugc" in rel or "sponsored" in rel:
            continue
        path, query = path_and_query(url)
        if strip_fragment(url) == own_page:
            continue
        if not query and not _PERSONAL.search(path):
            found.append(Offender(anchor.node, "says nofollow", url=url))
    if not internal:
        return NotApplicable("The page has no internal links.")
    return counted(
        document,
        found,
        "followed",
        "cut_off",
        "One internal link has nofollow.",
        "{count} internal links have nofollow.",
        low=0.25,
        high=0.5,
    )
