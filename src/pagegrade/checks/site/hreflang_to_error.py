from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="hreflang-to-error",
    title="Broken hreflang links",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("there", "All versions that pages name are there."),
        State(
            "error",
            "Pages name versions in other languages that answer with an error.",
            loss=1.0,
            title="Pages with hreflang links to errors",
            why="Search engines ignore the whole set, or offer a page that is not there.",
            fix="Remove the links to these URLs, or bring the pages back.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/specialty/international/localized-versions",),
    over="links WHERE kind = 'hreflang'",
    share="rows",
)
def hreflang_to_error() -> str:
    """Looks for hreflang links to URLs that answer with an error.

    ## What it checks

    The URLs of the site that hreflang links name, through redirects: status 400 and above, or no answer.

    ## Fails on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2, "status": 404}
    ]
    ```

    ```json links
    [
      {"from_id": 1, "to_id": 2, "kind": "hreflang", "hreflang": "de"}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2}
    ]
    ```

    ```json links
    [
      {"from_id": 1, "to_id": 2, "kind": "hreflang", "hreflang": "de"}
    ]
    ```
    """
    return """
        SELECT DISTINCT from_id AS page_id, 'error' AS state, to_id AS target_id,
            coalesce('status ' || lands.status, 'no answer') AS value
        FROM links JOIN lands ON lands.page_id = to_id
        WHERE kind = 'hreflang' AND (lands.status >= 400 OR lands.state = 'failed')
    """
