from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="duplicate-content",
    title="Duplicate content",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("unique", "No two pages have the same main content."),
        State(
            "copied",
            "Pages with different paths have the same main content.",
            loss=1.0,
            title="Pages with the same content",
            why=(
                "Search engines show one of them and choose it by themselves; links and ranking are divided among them."
            ),
            fix=(
                'Keep one of the pages and redirect the others to it, or name it in `<link rel="canonical">` on the '
                "others."
            ),
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",),
    cause="duplicate-content",
)
def duplicate_content() -> str:
    """Looks for pages whose main content is the same, word by word.

    ## What it checks

    The main text of pages of status 200 that search engines may show and that name no other canonical URL.
    Spellings of one URL and parameters are other findings.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "digest": 5, "simhash": 5},
      {"page_id": 2, "digest": 5, "simhash": 5}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2}
    ]
    ```
    """
    return """
        SELECT page_id, 'copied' AS state, NULL AS target_id, NULL AS value
        FROM indexable JOIN forms USING (page_id)
        WHERE words > 0 AND digest IN (
            SELECT digest FROM indexable JOIN forms USING (page_id) WHERE words > 0
            GROUP BY digest HAVING count(DISTINCT bare) > 1
        )
    """
