from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="pagination-chain",
    title="Chains of pages",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("whole", "Next and previous links fit together."),
        State(
            "broken",
            "The next page of a list is an error, or names another previous page.",
            loss=1.0,
            title="Lists whose next and previous links do not fit",
            why="Programs that read ahead, and some browsers, follow these links and end elsewhere.",
            fix='Let each page name its neighbors in `rel="next"` and `rel="prev"`, or leave both out.',
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading",),
    over="pages WHERE next_id IS NOT NULL",
    share="rows",
)
def pagination_chain() -> str:
    """Looks at whether next and previous links of lists fit together.

    ## What it checks

    Pages with `rel="next"`: whether the next page is there and names this one in `rel="prev"`.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "next_id": 2},
      {"page_id": 2}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "next_id": 2},
      {"page_id": 2, "prev_id": 1}
    ]
    ```
    """
    return """
        SELECT pages.page_id, 'broken' AS state, after.page_id AS target_id,
            CASE WHEN after.status >= 400 THEN 'status ' || after.status END AS value
        FROM pages JOIN pages AS after ON after.page_id = pages.next_id
        LEFT JOIN lands ON lands.page_id = after.prev_id
        LEFT JOIN copies AS mine ON mine.page_id = pages.page_id
        LEFT JOIN copies AS theirs ON theirs.page_id = lands.final_id
        WHERE pages.status = 200 AND (after.status >= 400 OR after.status = 200
            AND coalesce(theirs.original_id, lands.final_id)
            IS DISTINCT FROM coalesce(mine.original_id, pages.page_id))
    """
