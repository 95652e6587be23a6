from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="redirect-loops",
    title="Redirect loops",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("ending", "Every redirect ends at a page."),
        State(
            "loop",
            "Redirects lead back to where they began.",
            loss=1.0,
            title="Redirects in a loop",
            why="Browsers show an error, and the pages cannot be reached at all.",
            fix=(
                "Remove the rule that leads back. Often two rules contradict each other: one adds a slash or `www`, "
                "the other takes it away."
            ),
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/301-redirects",),
    over="pages WHERE coalesce(redirect_url, CAST(redirect_id AS VARCHAR)) IS NOT NULL",
    share="rows",
)
def redirect_loops() -> str:
    """Looks for redirects that never end.

    ## What it checks

    Redirects of which one leads to a URL that was passed before.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "status": 301, "redirect_id": 2},
      {"page_id": 2, "status": 301, "redirect_id": 1}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "status": 301, "redirect_id": 2},
      {"page_id": 2}
    ]
    ```
    """
    return """
        SELECT page_id, 'loop' AS state, NULL AS target_id, NULL AS value FROM lands WHERE loops
    """
