from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="near-duplicate-content",
    title="Nearly duplicate content",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("distinct", "No two pages have nearly the same main content."),
        State(
            "alike",
            "Pages have nearly the same main content.",
            loss=1.0,
            title="Pages with nearly the same content",
            why="Search engines group such pages and show one of them; visitors see the same again.",
            fix="Merge the pages, or give each of them content that only it has.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",),
    cause="duplicate-content",
)
def near_duplicate_content() -> str:
    """Looks for different pages with nearly the same main content.

    ## What it checks

    Simhashes of the main text of pages with at least 50 words: those that differ in at most three of 64 bits are
    alike.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "simhash": 0},
      {"page_id": 2, "simhash": 7}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "simhash": 0},
      {"page_id": 2, "simhash": 15}
    ]
    ```
    """
    return """
        SELECT page_id, 'alike' AS state, NULL AS target_id, NULL AS value
        FROM copies WHERE original_id IN (
            SELECT original_id FROM copies JOIN indexable USING (page_id) JOIN forms USING (page_id)
            GROUP BY original_id HAVING count(DISTINCT digest) > 1 AND count(DISTINCT bare) > 1
        )
    """
