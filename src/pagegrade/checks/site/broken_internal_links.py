from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="broken-internal-links",
    title="Broken links inside the site",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("working", "Every link inside the site leads to a page."),
        State(
            "broken",
            "Links inside the site lead to errors.",
            loss=1.0,
            title="Pages with broken links to the site itself",
            why="Visitors end at an error page, and search engines follow the links for nothing.",
            fix=(
                "Correct the links, or redirect the missing URLs to the pages that took their place. Each target is "
                "listed with the pages that link to it."
            ),
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/links-crawlable",),
    over="hrefs",
    share="links",
)
def broken_internal_links() -> str:
    """Looks for links to URLs of the site that answer with an error.

    ## What it checks

    Links between pages, through redirects. Answers that ask who is there (401, 403) or for fewer requests (429) are
    no broken links.

    ## Fails on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2, "status": 404}
    ]
    ```

    ```json links
    [
      {"from_id": 1, "to_id": 2}
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
      {"from_id": 1, "to_id": 2}
    ]
    ```
    """
    return """
        SELECT from_id AS page_id, 'broken' AS state, to_id AS target_id,
            CASE WHEN lands.state = 'failed' THEN 'no answer' ELSE 'status ' || lands.status END AS value
        FROM hrefs JOIN lands ON lands.page_id = to_id
        WHERE NOT loops AND (lands.state = 'failed'
            OR lands.status >= 400 AND lands.status NOT IN (401, 403, 407, 429, 451, 999))
    """
