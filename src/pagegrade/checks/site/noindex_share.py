from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="noindex-share",
    title="Share of noindex pages",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("mostly_shown", "Search engines may show most pages."),
        State(
            "mostly_hidden",
            "Search engines may not show most pages.",
            loss=1.0,
            title="Pages with noindex are the majority",
            why="Crawlers spend their time on pages that are never shown. Often a setting for a test site was left on.",
            fix="Remove `noindex` where pages are meant to be found, and link less to those that are not.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/block-indexing",),
    over="pages WHERE status = 200 AND words IS NOT NULL",
    share="site",
)
def noindex_share() -> str:
    """Looks at how many pages say noindex.

    ## What it checks

    Whether more than half of the pages of status 200, of at least ten, have `noindex`.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "repeat": 4},
      {"page_id": 5, "repeat": 6, "noindex": true}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "repeat": 5},
      {"page_id": 6, "repeat": 5, "noindex": true}
    ]
    ```
    """
    return """
        SELECT page_id, 'mostly_hidden' AS state, NULL AS target_id, NULL AS value FROM pages
        WHERE status = 200 AND noindex AND (
            SELECT count(*) >= 10 AND 2 * count(*) FILTER (noindex) > count(*) FROM pages WHERE status = 200 AND
                words IS NOT NULL
        )
    """
