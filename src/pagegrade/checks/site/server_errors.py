from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="server-errors",
    title="Errors of the server",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("sound", "No URL fails with an error of the server."),
        State(
            "errors",
            "URLs fail with errors of the server.",
            loss=1.0,
            title="URLs that fail with an error of the server",
            why="These pages cannot be read, and search engines fetch the whole site more slowly after such answers.",
            fix="Look into the log of the server for these URLs, and repair what fails.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/http-network-errors",),
    over="pages WHERE status IS NOT NULL",
    share="rows",
)
def server_errors() -> str:
    """Looks for URLs that answer with an error of the server.

    ## What it checks

    All URLs of the site that were requested: those with a status from 500 to 599, after three tries.

    ## Fails on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2, "status": 500}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2, "status": 404}
    ]
    ```
    """
    return """
        SELECT page_id, 'errors' AS state, NULL AS target_id, 'status ' || status AS value
        FROM pages WHERE status BETWEEN 500 AND 599 AND state <> 'throttled'
    """
