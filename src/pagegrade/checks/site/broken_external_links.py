from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="broken-external-links",
    title="Broken links to other sites",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("working", "Every link to another site leads to a page."),
        State(
            "broken",
            "Links to other sites lead to errors.",
            loss=1.0,
            title="Pages with broken links to other sites",
            why="Visitors end at an error page, or nowhere, and take the page for outdated.",
            fix="Update the links, or remove them.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/links-crawlable",),
    over=(
        "(SELECT DISTINCT from_id, to_id FROM links JOIN outside ON to_id = outside.target_id"
        " WHERE kind = 'a' AND (status IS NOT NULL OR error = 'dns_nxdomain'))"
    ),
    share="rows",
    needs=("external",),
)
def broken_external_links() -> str:
    """Looks for links to pages of other sites that are gone.

    ## What it checks

    Answers of other sites: 404, 410, an error of the server (5xx but 503) at both of two tries, and names of hosts
    that do not exist. Each target is requested once for all pages, at most ten of one host and 2,000 in all, ten
    seconds apart, if robots.txt permits it. Other answers (401, 403, 429, 503, 999) may be meant for programs and say
    nothing about the page, nor does the lack of an answer. Without any answer the check is not applicable.

    ## Fails on

    ```json pages
    [
      {"page_id": 1}
    ]
    ```

    ```json links
    [
      {"from_id": 1, "to_id": 90}
    ]
    ```

    ```json outside
    [
      {"target_id": 90, "url": "http://example.org/", "status": 404}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1}
    ]
    ```

    ```json links
    [
      {"from_id": 1, "to_id": 90}
    ]
    ```

    ```json outside
    [
      {"target_id": 90, "url": "http://example.org/", "status": 200}
    ]
    ```
    """
    return """
        SELECT from_id AS page_id, 'broken' AS state, to_id AS target_id, 'status ' || status AS value
        FROM links JOIN outside ON to_id = outside.target_id
        WHERE kind = 'a' AND (status IN (404, 410) OR (status BETWEEN 500 AND 599 AND status <> 503))
        UNION ALL
        SELECT from_id, 'broken', to_id, 'the host does not exist'
        FROM links JOIN outside ON to_id = outside.target_id
        WHERE kind = 'a' AND error = 'dns_nxdomain'
    """
