from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="non-canonical-in-sitemap",
    title="Non-canonical pages in the sitemap",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("clean", "Nothing of the kind is in the sitemap."),
        State(
            "listed",
            "The sitemap lists pages whose canonical URL is another one.",
            loss=1.0,
            title="Sitemap entries with another canonical URL",
            why="The sitemap and the pages name different URLs as the ones to show.",
            fix="List the canonical URLs, or correct the canonical links of these pages.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",),
    over="sitemap",
    share="rows",
    needs=("sitemap",),
)
def non_canonical_in_sitemap() -> str:
    """Looks for pages in the sitemap whose canonical URL is another one.

    ## What it checks

    Entries of the sitemap whose page names another URL in `<link rel="canonical">` or in the `Link` header.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "canonical_id": 2, "canonical_url": "http://example.com/2"},
      {"page_id": 2}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "canonical_id": 1, "canonical_url": "http://example.com/1"},
      {"page_id": 2}
    ]
    ```
    """
    return """
        SELECT page_id, 'listed' AS state, NULL AS target_id, canonical_url AS value
        FROM sitemap JOIN pages USING (page_id)
        WHERE status = 200 AND canonical_url IS NOT NULL AND canonical_id IS DISTINCT FROM page_id
    """
