from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._robots_rules import placed_rules
from pagegrade.model.artifacts import NotGathered, Response, SitemapFile, Sitemaps
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.files.robots import Robots
from pagegrade.parse.http.robots_directives import ALL_BOTS
from pagegrade.parse.page_links import canonical_links
from pagegrade.parse.url import strip_fragment


@check(
    id="sitemap-lists-page",
    title="Page in the sitemap",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("listed", "The sitemap lists the page."),
        State(
            "not_listed",
            "The sitemap does not list the page.",
            title="Page is missing from the sitemap",
            why="Search engines find the page only through links.",
            fix=(
                "Add the canonical URL of the page to the sitemap. Most content management systems do so unless "
                "the page is excluded."
            ),
        ),
        State(
            "contradiction",
            "The sitemap lists the page, but the page cannot be indexed under this URL.",
            title="Sitemap lists a page that cannot be indexed",
            why="Search engines get contradicting signals and trust the sitemap less.",
            fix="Remove the URL from the sitemap, or remove the rule that keeps the page from being indexed.",
        ),
    ),
    sources=(
        "https://www.sitemaps.org/protocol.html",
        "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
    ),
)
def sitemap_lists_page(
    document: Document, response: Response, sitemaps: Sitemaps, robots: Robots | NotGathered
) -> Verdict:
    """A sitemap should list the URLs that are to be indexed, and no others.

    ## What it checks

    Whether the sitemap files that were read list exactly the URL of this page. A page that is listed although it
    carries `noindex`, is blocked by robots.txt or names another URL as canonical contradicts itself. A page with
    such a rule need not be listed and is not evaluated then. Where not all files could be read, a missing entry says
    nothing. It is informative and costs nothing.

    ## Fails on

    ```html
    <!doctype html>
    <title>Shop</title>
    <meta name="robots" content="noindex">
    ```

    ```json sitemaps
    {"files": [{"url": "https://example.com/sitemap.xml", "source": "robots", "status": 200, "kind": "urlset",
                "url_count": 12, "lists_page": true}]}
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shop</title>
    ```

    ```json sitemaps
    {"files": [{"url": "https://example.com/sitemap.xml", "source": "robots", "status": 200, "kind": "urlset",
                "url_count": 12, "lists_page": true}]}
    ```
    """
    read = [file for file in sitemaps.files if file.error is None and file.kind in {"urlset", "text"}]
    if not read:
        return NotApplicable("No sitemap could be read.")
    listing = [file for file in read if file.lists_page]
    barred = _why_not_found(document, response, robots)
    if listing:
        reason = barred or "Lists the page."
        evidence = tuple(Evidence(url=file.url, reason=reason) for file in listing[:MAX_EVIDENCE])
        return Outcome("contradiction" if barred else "listed", evidence=evidence, total=len(listing), message="")
    if barred:
        return NotApplicable("The page is not to be found under this URL, so no sitemap need list it.")
    if not _is_complete(sitemaps.files):
        return NotRun("budget", "Not all sitemap files were read to their end.")
    evidence = tuple(Evidence(url=file.url, value=f"{file.url_count} URLs") for file in read[:MAX_EVIDENCE])
    return Outcome("not_listed", value=sum(file.url_count for file in read), evidence=evidence, total=len(read))


def _is_complete(files: tuple[SitemapFile, ...]) -> bool:
    """Every file was read whole, and as many children as the indexes name."""
    children = sum(file.url_count for file in files if file.kind == "index")
    return children <= sum(file.source == "index" for file in files) and not any(
        file.truncated or (file.error is not None and file.source != "guessed") for file in files
    )


def _why_not_found(document: Document, response: Response, robots: Robots | NotGathered) -> str:
    if any(
        rule.directive.name == "noindex" and rule.directive.bot == ALL_BOTS for rule in placed_rules(document, response)
    ):
        return "Lists the page, which has noindex."
    if isinstance(robots, Robots) and robots.access == "rules" and not robots.decide("Googlebot", response.url).allowed:
        return "Lists the page, which robots.txt blocks."
    targets = {link.url for link in canonical_links(document.links, response) if link.counts and link.url}
    if len(targets) == 1 and targets != {strip_fragment(document.url)}:
        return "Lists the page, which names another URL as canonical."
    return ""
