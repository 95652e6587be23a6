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
    of parameters.

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
        SELECT page_id, 'variants' AS state, NULL AS target_id, NULL AS value
        FROM indexable JOIN forms USING (page_id)
        QUALIFY count(*) OVER (PARTITION BY digest, plain) > 1
    """
