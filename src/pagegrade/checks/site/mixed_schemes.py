from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="mixed-schemes",
    title="HTTP beside HTTPS",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("one_scheme", "All pages of a host have the same scheme."),
        State(
            "mixed",
            "Pages answer with plain HTTP on a host that has HTTPS.",
            loss=1.0,
            title="Pages that are served with plain HTTP beside HTTPS",
            why="Who reads these pages can be watched and misled, and links are divided among two URLs.",
            fix="Redirect every URL to HTTPS, and set `Strict-Transport-Security`.",
            counted=True,
        ),
    ),
    sources=("https://web.dev/articles/why-https-matters",),
    over="pages WHERE status = 200 AND url LIKE 'https:%'",
)
def mixed_schemes() -> str:
    """Looks for pages with plain HTTP on hosts that have HTTPS.

    ## What it checks

    Pages of status 200 whose URL has `http:`, where others of the same host have `https:`.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "url": "https://example.com/1"},
      {"page_id": 2, "url": "http://example.com/2"}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "url": "https://example.com/1"},
      {"page_id": 2, "url": "http://example.com/2", "status": 301}
    ]
    ```
    """
    return """
        SELECT page_id, 'mixed' AS state, NULL AS target_id, NULL AS value FROM pages
        WHERE status = 200 AND url LIKE 'http:%' AND host IN (SELECT host FROM pages WHERE status = 200 AND url
            LIKE 'https:%')
    """
