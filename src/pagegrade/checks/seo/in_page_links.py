from collections import Counter
from typing import Final

from pagegrade.checks._check import NEEDS_RENDERING, State, Verdict, check
from pagegrade.checks._links import PageLinks, links_to_pages
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.document import Anchor, Document
from pagegrade.model.outcome import Detail, Outcome, Severity
from pagegrade.parse.url import strip_fragment

MAX_LINKS: Final = 300
FAR_TOO_MANY: Final = 1_000
_RELS: Final = ("nofollow", "sponsored", "ugc")


@check(
    id="in-page-links",
    title="Links on the page",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("ok", "The page has a reasonable number of links."),
        State(
            "scripted",
            "Only scripts add links to the page.",
            loss=0.25,
            title="Links are added by scripts",
            why="Crawlers that run no scripts, many AI services among them, find no way from this page to any other.",
            fix="Send the main links in the HTML: render the page on the server, or when the site is built.",
        ),
        State(
            "none",
            "The page links to no other page of its site.",
            loss=0.5,
            title="Page links to no other page of its site",
            why="Visitors and crawlers find no way from this page to any other of the site.",
            fix="Link to the main pages of the site and to related pages, for example in a navigation menu.",
        ),
        State(
            "many",
            "The page has more than 300 links.",
            loss=0.5,
            title="Page has more than 300 links",
            why=(
                "Important links are hard to find among several hundred, and each link passes less weight to "
                "its target."
            ),
            fix="Reduce menus and footers that repeat the whole site, and split long lists over several pages.",
        ),
        State(
            "far_too_many",
            "The page has more than 1,000 links.",
            loss=1.0,
            title="Page has more than 1,000 links",
            why="Neither visitors nor crawlers can go through this many links; crawlers may skip the later ones.",
            fix="Split the list over several pages by category, letter or date.",
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/links-crawlable",),
)
def in_page_links(document: Document, page_links: PageLinks, drawn_document: Document | NotGathered) -> Verdict:
    """Links lead visitors and crawlers to other pages.

    ## What it checks

    The number of different URLs that the page links to with `<a href>` or `<area href>`: 1 to 300 is fine, none or
    up to 1,000 is a warning, more fails. Mail, phone and script links and jumps within the page do not count, and the
    same URL counts once. How many lead to the same site (same registrable domain), to others, and how many carry
    `nofollow`, `sponsored` or `ugc` is shown.

    No search engine names a limit today; the well-known 100 is long withdrawn, and half of ordinary articles have more
    than 130. So the limits are wide and cost little. A page needs one visible link with a name to another
    page of its site: links to other sites lead away from it. A page that is
    served without links gets a warning if scripts add them in a browser; without a browser, a page that scripts render
    is not evaluated.

    ## Fails on

    ```html
    <!doctype html>
    <title>Shoes</title>
    <p>Write to <a href="mailto:shop@example.com">the shop</a>.</p>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shoes</title>
    <p>See <a href="/boots">boots</a> and <a href="https://example.org/size-guide">a guide to sizes</a>.</p>
    ```
    """
    targets = _other_pages(page_links, document)
    counts = Counter(rel for anchor, _ in targets for rel in _RELS if anchor.rel and rel in anchor.rel)
    internal = sum(is_own for _, is_own in targets)
    total = len(targets)
    limit = FAR_TOO_MANY if total > FAR_TOO_MANY else MAX_LINKS
    details = (
        Detail(code="links", actual=total, limit=limit),
        Detail(code="internal", actual=internal),
        Detail(code="external", actual=total - internal),
        *(Detail(code=name, actual=counts[name]) for name in _RELS),
    )
    if not any(is_own and anchor.name and not anchor.hidden for anchor, is_own in targets):
        if isinstance(drawn_document, Document):
            added = _other_pages(links_to_pages(drawn_document), drawn_document)
            if added:
                evidence = (drawn_document.evidence(added[0][0]),)
                return Outcome("scripted", value=len(added), evidence=evidence, details=details)
        elif document.client_rendered:
            return NEEDS_RENDERING
        return Outcome("none", value=0, details=details)
    if total <= MAX_LINKS:
        return Outcome("ok", value=total, details=details)
    evidence = (document.evidence(targets[MAX_LINKS][0], reason="The first link past 300."),)
    return Outcome(
        "many" if total <= FAR_TOO_MANY else "far_too_many",
        value=total,
        evidence=evidence,
        total=total - MAX_LINKS,
        details=details,
        message=f"The page links to {total} URLs.",
    )


def _other_pages(links: PageLinks, document: Document) -> list[tuple[Anchor, bool]]:
    """Return the first link to each other page, and whether it is one of the same site."""
    own_page = strip_fragment(document.url)
    seen: set[str] = set()
    targets: list[tuple[Anchor, bool]] = []
    for anchor, whole, is_own in links.found:
        url = strip_fragment(whole)
        if url not in seen and (url != own_page or whole == url):
            seen.add(url)
            targets.append((anchor, is_own))
    return targets
