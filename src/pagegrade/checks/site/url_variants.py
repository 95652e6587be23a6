from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="url-variants",
    title="Variants of URLs",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("one_form", "Each page has one URL."),
        State(
            "variants",
            "Pages are reached by several spellings of their URL.",
            loss=1.0,
            title="URLs that differ in their spelling only",
            why="Links and ranking are divided among the spellings, and caches keep each of them.",
            fix=(
                "Decide for one spelling and redirect the others to it: final slash, case, index file, order of "
                "parameters, `www` and `http`."
            ),
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",),
    cause="duplicate-content",
)
def url_variants() -> str:
    """Looks for pages that several spellings of one URL show.

    ## What it checks

    URLs with equal main content that differ only in scheme, `www`, case, a final slash, an index file or the order
    of parameters. Where a host has shown that of five pages, such URLs are no longer fetched, and still counted here.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "url": "http://example.com/tea", "digest": 5, "simhash": 5},
      {"page_id": 2, "url": "http://example.com/tea/", "digest": 5, "simhash": 5}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "url": "http://example.com/tea"},
      {"page_id": 2, "url": "http://example.com/tea/"}
    ]
    ```
    """
    return """
        WITH named AS (SELECT page_id, digest, plain FROM indexable JOIN forms USING (page_id)), left_out AS (
            SELECT page_id, plain FROM pages JOIN copies USING (page_id) JOIN forms USING (page_id)
            WHERE trap = 'variant'
        ), spelled AS (
            SELECT page_id FROM named QUALIFY count(*) OVER (PARTITION BY digest, plain) > 1
            UNION SELECT page_id FROM named SEMI JOIN left_out USING (plain)
            UNION SELECT page_id FROM left_out
        )
        SELECT page_id, 'variants' AS state, NULL AS target_id, NULL AS value FROM spelled
    """
