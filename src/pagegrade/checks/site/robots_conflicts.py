from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="robots-conflicts",
    title="Statements against robots.txt",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("agreed", "No page points to what robots.txt forbids."),
        State(
            "redirects",
            "Redirects lead to URLs that robots.txt forbids.",
            loss=0.5,
            title="Redirects to URLs that robots.txt blocks",
            why="Search engines cannot follow them, so that the old URL leads nowhere.",
            fix="Allow the target in `robots.txt`, or redirect to a page that may be fetched.",
            counted=True,
        ),
        State(
            "canonical",
            "Pages name a canonical URL that robots.txt forbids.",
            loss=1.0,
            title="Canonical URLs that robots.txt blocks",
            why="Search engines may not fetch the page that is meant to be shown, so that they ignore the statement.",
            fix="Allow the canonical URL in `robots.txt`, or name one that may be fetched.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/robots/intro",),
    over="pages WHERE state = 'blocked'",
)
def robots_conflicts() -> str:
    """Looks for statements of pages that robots.txt makes useless.

    ## What it checks

    Canonical URLs and redirects whose target `robots.txt` forbids for all crawlers.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "canonical_id": 2, "canonical_url": "http://example.com/2"},
      {"page_id": 2, "state": "blocked", "status": null}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "canonical_id": 2, "canonical_url": "http://example.com/2"},
      {"page_id": 2},
      {"page_id": 3, "state": "blocked", "status": null}
    ]
    ```
    """
    return """
        SELECT pages.page_id, 'redirects' AS state, final_id AS target_id, NULL AS value
        FROM pages JOIN lands USING (page_id) WHERE lands.hops > 0 AND lands.state = 'blocked'
        UNION ALL
        SELECT pages.page_id, 'canonical', target.page_id, NULL
        FROM pages JOIN pages AS target ON target.page_id = pages.canonical_id
        WHERE pages.status = 200 AND target.state = 'blocked' AND target.page_id <> pages.page_id
    """
