from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="soft-404",
    title="Soft 404 errors",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("honest", "No page looks like that of a URL that does not exist."),
        State(
            "soft",
            "Pages of status 200 say that they do not exist.",
            loss=1.0,
            title="Soft 404 pages",
            why="Search engines index error pages in place of content, or drop them, and keep asking for them.",
            fix="Answer with status 404 or 410 where there is nothing, or redirect to the page that took its place.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/http-network-errors",),
    over="pages WHERE status = 200 AND words IS NOT NULL",
    share="rows",
    needs=("probes",),
)
def soft_404() -> str:
    """Looks for pages of status 200 that say that there is nothing.

    ## What it checks

    Pages whose main text is nearly that of a URL that does not exist, where the site answers such a URL with status
    200; and pages that say so themselves, in their title or heading and with little else. If the start page looks like
    that, too, nothing is said.

    ## Fails on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2, "words": 20, "simhash": 12}
    ]
    ```

    ```json site
    [
      {"key": "probes", "value": [{"status": 200, "simhash": 12, "words": 20}]}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2}
    ]
    ```

    ```json site
    [
      {"key": "probes", "value": [{"status": 200, "simhash": 12, "words": 20}]}
    ]
    ```
    """
    return """
        SELECT page_id, 'soft' AS state, NULL AS target_id, NULL AS value FROM soft
    """
