from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="sitemap-lastmod-churn",
    title="Dates in the sitemap",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("dated", "The dates of the sitemap differ from page to page."),
        State(
            "same",
            "Nearly all entries of the sitemap have the same date.",
            loss=1.0,
            title="Sitemap entries with one and the same date",
            why="Dates that always change together say nothing, and search engines ignore them for the whole site.",
            fix="Write the date of the last change of the content into `lastmod`, or leave it out.",
            counted=True,
        ),
    ),
    sources=("https://www.sitemaps.org/protocol.html",),
    over="sitemap WHERE lastmod IS NOT NULL",
    share="site",
    needs=("sitemap",),
)
def sitemap_lastmod_churn() -> str:
    """Looks at whether the dates in the sitemap tell pages apart.

    ## What it checks

    The values of `lastmod`: whether at least nine of ten entries, and at least 20, have the same one.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "repeat": 20}
    ]
    ```

    ```json sitemap
    [
      {"page_id": 1, "repeat": 20, "lastmod": "2026-01-01"}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "repeat": 20}
    ]
    ```

    ```json sitemap
    [
      {"page_id": 1, "repeat": 19, "lastmod": "2026-01-01"},
      {"page_id": 20, "lastmod": "2026-01-02"}
    ]
    ```
    """
    return """
        SELECT page_id, 'same' AS state, NULL AS target_id, lastmod AS value FROM sitemap
        WHERE lastmod = (
            SELECT lastmod FROM sitemap WHERE lastmod IS NOT NULL GROUP BY lastmod
            HAVING count(*) >= 20 AND count(*) >= 0.9 * (SELECT count(lastmod) FROM sitemap)
        )
    """
