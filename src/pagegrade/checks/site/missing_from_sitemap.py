from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="missing-from-sitemap",
    title="Sitemap against the crawl",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("listed", "The sitemap lists every page that search engines may show."),
        State(
            "missing",
            "Pages that search engines may show are missing from the sitemap.",
            loss=1.0,
            title="Pages missing from the sitemap",
            why=(
                "New and changed pages that the sitemap does not name are found later, or only where links lead to "
                "them."
            ),
            fix="Add these pages to the sitemap, or say `noindex` where they are not meant to be found.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",),
    over="originals",
    needs=(
        "sitemap",
        "complete",
    ),
)
def missing_from_sitemap() -> str:
    """Looks for pages that the sitemap leaves out.

    ## What it checks

    Pages of status 200 that search engines may show and that stand for themselves. Of copies one in the sitemap is
    enough.

    ## Fails on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2, "in_sitemap": false}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2, "in_sitemap": false, "noindex": true}
    ]
    ```
    """
    return """
        SELECT page_id, 'missing' AS state, NULL AS target_id, NULL AS value
        FROM originals ANTI JOIN sitemap USING (page_id)
        WHERE page_id NOT IN (SELECT original_id FROM copies SEMI JOIN sitemap USING (page_id))
    """
