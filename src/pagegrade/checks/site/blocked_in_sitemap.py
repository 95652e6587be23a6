from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="blocked-in-sitemap",
    title="Blocked pages in the sitemap",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("clean", "Nothing of the kind is in the sitemap."),
        State(
            "listed",
            "The sitemap lists URLs that robots.txt forbids.",
            loss=1.0,
            title="Sitemap entries that robots.txt blocks",
            why="Search engines may not fetch these URLs, so that they cannot show what is there.",
            fix="Allow them in `robots.txt`, or take them out of the sitemap.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",),
    over="sitemap",
    share="rows",
    needs=("sitemap",),
)
def blocked_in_sitemap() -> str:
    """Looks for URLs in the sitemap that robots.txt blocks.

    ## What it checks

    Entries of the sitemap that the rules of `robots.txt` for all crawlers forbid.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "state": "blocked", "status": null},
      {"page_id": 2}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "state": "blocked", "status": null, "in_sitemap": false},
      {"page_id": 2}
    ]
    ```
    """
    return """
        SELECT page_id, 'listed' AS state, NULL AS target_id, NULL AS value
        FROM sitemap JOIN pages USING (page_id)
        WHERE state = 'blocked'
    """
