from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="header-drift",
    title="Headers that are not everywhere",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("even", "Every page has the security headers of the others."),
        State(
            "missing",
            "Pages lack a security header that nearly all others have.",
            loss=1.0,
            title="Pages without the security headers of the others",
            why="An attack needs only one page without the protection.",
            fix="Set the headers for the whole host, not for single handlers or files.",
            counted=True,
        ),
    ),
    sources=("https://owasp.org/www-project-secure-headers/",),
    over="originals WHERE headers IS NOT NULL",
    needs=("headers",),
)
def header_drift() -> str:
    r"""Looks for pages that lack the security headers of the others.

    ## What it checks

    Security headers that at least nine of ten pages have, and at least ten: which pages do not.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "repeat": 10, "headers": "{\"x-frame-options\": \"DENY\"}"},
      {"page_id": 11, "headers": "{}"}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "repeat": 10, "headers": "{}"}
    ]
    ```
    """
    return """
        WITH named AS (
            SELECT page_id, unnest(json_keys(headers)) AS name FROM originals WHERE headers IS NOT NULL
        ), usual AS (
            SELECT name FROM named GROUP BY name
            HAVING count(*) >= 10 AND count(*) >= 0.9 * (SELECT count(headers) FROM originals)
        )
        SELECT page_id, 'missing' AS state, NULL AS target_id, name AS value
        FROM originals CROSS JOIN usual ANTI JOIN named USING (page_id, name)
        WHERE headers IS NOT NULL
    """
