from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="parameter-duplicates",
    title="Parameters that change nothing",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("meaningful", "No parameters show the same content again."),
        State(
            "repeated",
            "Parameters of URLs show the same content again.",
            loss=1.0,
            title="URLs whose parameters change nothing",
            why="Crawlers fetch the same page again and again, and new pages later.",
            fix=(
                'Name the URL without parameters in `<link rel="canonical">`, and do not link to sorted or filtered '
                "copies in a way that crawlers follow."
            ),
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/url-structure",),
    cause="duplicate-content",
)
def parameter_duplicates() -> str:
    """Looks for URLs that differ in parameters and show the same.

    ## What it checks

    Groups of URLs of one path with equal main content and different parameters.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "url": "http://example.com/tea", "digest": 5, "simhash": 5},
      {"page_id": 2, "url": "http://example.com/tea?sort=name", "digest": 5, "simhash": 5}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "url": "http://example.com/tea"},
      {"page_id": 2, "url": "http://example.com/tea?page=2"}
    ]
    ```
    """
    return """
        SELECT page_id, 'repeated' AS state, NULL AS target_id, NULL AS value
        FROM indexable JOIN forms USING (page_id)
        WHERE words > 0 AND (digest, bare) IN (
            SELECT (digest, bare) FROM indexable JOIN forms USING (page_id) WHERE words > 0
            GROUP BY digest, bare HAVING count(DISTINCT plain) > 1
        )
    """
