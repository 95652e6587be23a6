from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="canonical-outside",
    title="Canonical URLs of other sites",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("own", "Canonical URLs are of this site."),
        State(
            "outside",
            "Pages name canonical URLs of other sites.",
            loss=1.0,
            title="Pages whose canonical URL is on another site",
            why="Search engines are asked to show the other site in place of these pages.",
            fix="Name the URL of the page itself, unless the content really belongs to the other site.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",),
    over="pages WHERE status = 200 AND canonical_url IS NOT NULL",
    share="rows",
)
def canonical_outside() -> str:
    """Looks for canonical URLs that lead away from the site.

    ## What it checks

    Pages of status 200 whose canonical URL is out of the scope of the crawl.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "canonical_url": "http://example.org/"}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "canonical_id": 1, "canonical_url": "http://example.com/1"}
    ]
    ```
    """
    return """
        SELECT pages.page_id, 'outside' AS state, NULL AS target_id, pages.canonical_url AS value
        FROM pages LEFT JOIN pages AS target ON target.page_id = pages.canonical_id
        WHERE pages.status = 200 AND pages.canonical_url IS NOT NULL AND target.page_id IS NULL
    """
