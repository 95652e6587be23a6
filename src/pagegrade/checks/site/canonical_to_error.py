from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="canonical-to-error",
    title="Canonical URLs that are errors",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("sound", "No canonical URL leads there."),
        State(
            "error",
            "Canonical URLs answer with an error.",
            loss=1.0,
            title="Pages whose canonical URL is an error",
            why="Search engines are told to show a page that is not there, and may drop this one.",
            fix="Name the URL of the page itself, or of one that is there.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",),
    over="pages WHERE status = 200 AND canonical_url IS NOT NULL AND canonical_id IS DISTINCT FROM page_id",
    share="rows",
)
def canonical_to_error() -> str:
    """Looks for canonical URLs that answer with an error.

    ## What it checks

    Pages of status 200 whose canonical URL of the site has a status from 400 on, or does not answer.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "canonical_id": 2, "canonical_url": "http://example.com/2"},
      {"page_id": 2, "status": 404}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "canonical_id": 2, "canonical_url": "http://example.com/2"},
      {"page_id": 2}
    ]
    ```
    """
    return """
        SELECT pages.page_id, 'error' AS state, target.page_id AS target_id, coalesce('status ' || target.status,
            'no answer') AS value
        FROM pages JOIN pages AS target ON target.page_id = pages.canonical_id
        WHERE pages.status = 200 AND target.page_id <> pages.page_id AND (target.status >= 400 OR target.state =
            'failed')
    """
