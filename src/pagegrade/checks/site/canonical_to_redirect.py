from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="canonical-to-redirect",
    title="Canonical URLs that redirect",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("sound", "No canonical URL leads there."),
        State(
            "redirect",
            "Canonical URLs redirect.",
            loss=1.0,
            title="Pages whose canonical URL redirects",
            why="The canonical link and the redirect name different URLs, and search engines choose by themselves.",
            fix="Name the URL that the redirect leads to.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",),
    over="pages WHERE status = 200 AND canonical_url IS NOT NULL AND canonical_id IS DISTINCT FROM page_id",
    share="rows",
)
def canonical_to_redirect() -> str:
    """Looks for canonical URLs that redirect.

    ## What it checks

    Pages of status 200 whose canonical URL of the site answers with a redirect.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "canonical_id": 2, "canonical_url": "http://example.com/2"},
      {"page_id": 2, "status": 301, "redirect_id": 1}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "canonical_id": 2, "canonical_url": "http://example.com/2"},
      {"page_id": 2}
    ]
    ```
    """
    return """
        SELECT pages.page_id, 'redirect' AS state, target.page_id AS target_id, target.redirect_url AS value
        FROM pages JOIN pages AS target ON target.page_id = pages.canonical_id
        WHERE pages.status = 200 AND target.page_id <> pages.page_id AND coalesce(target.redirect_url,
            CAST(target.redirect_id AS VARCHAR)) IS NOT NULL
    """
