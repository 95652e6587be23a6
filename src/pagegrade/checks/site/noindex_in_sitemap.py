from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="noindex-in-sitemap",
    title="Noindex pages in the sitemap",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("clean", "Nothing of the kind is in the sitemap."),
        State(
            "listed",
            "The sitemap lists pages that search engines may not show.",
            loss=1.0,
            title="Noindex pages in the sitemap",
            why=(
                "The sitemap asks search engines to show pages, and the pages ask them not to. They are fetched again"
                " and again for nothing."
            ),
            fix="Take these pages out of the sitemap, or remove `noindex` where they are meant to be found.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",),
    over="sitemap",
    share="rows",
    needs=("sitemap",),
)
def noindex_in_sitemap() -> str:
    """Looks for pages in the sitemap that have noindex.

    ## What it checks

    Entries of the sitemap whose page has `noindex` in a robots meta tag or in `X-Robots-Tag`.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "noindex": true},
      {"page_id": 2}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "noindex": true, "in_sitemap": false},
      {"page_id": 2}
    ]
    ```
    """
    return """
        SELECT page_id, 'listed' AS state, NULL AS target_id, NULL AS value
        FROM sitemap JOIN pages USING (page_id)
        WHERE status = 200 AND noindex
    """
