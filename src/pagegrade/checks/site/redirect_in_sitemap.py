from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="redirect-in-sitemap",
    title="Redirects in the sitemap",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("clean", "Nothing of the kind is in the sitemap."),
        State(
            "listed",
            "The sitemap lists URLs that redirect.",
            loss=1.0,
            title="Sitemap entries that redirect",
            why="A search engine has to make further requests, and has to guess which URL is meant.",
            fix="List the URLs that the redirects lead to.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",),
    over="sitemap",
    share="rows",
    needs=("sitemap",),
)
def redirect_in_sitemap() -> str:
    """Looks for URLs in the sitemap that redirect.

    ## What it checks

    Entries of the sitemap whose answer is a redirect.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "status": 301, "redirect_id": 2},
      {"page_id": 2}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "status": 301, "redirect_id": 2, "in_sitemap": false},
      {"page_id": 2}
    ]
    ```
    """
    return """
        SELECT page_id, 'listed' AS state, NULL AS target_id, redirect_url AS value
        FROM sitemap JOIN pages USING (page_id)
        WHERE coalesce(redirect_url, CAST(redirect_id AS VARCHAR)) IS NOT NULL
    """
