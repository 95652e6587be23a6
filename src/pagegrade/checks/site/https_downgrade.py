from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="https-downgrade",
    title="Links from HTTPS to HTTP",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("kept", "Links keep to HTTPS."),
        State(
            "downgraded",
            "Pages with HTTPS link to URLs of the site with plain HTTP.",
            loss=1.0,
            title="Pages with links to plain HTTP",
            why="Each such click leaves the protection of HTTPS, and takes a redirect where there is one.",
            fix="Write the links with `https:`, or without the origin.",
            counted=True,
        ),
    ),
    sources=("https://web.dev/articles/why-https-matters",),
    over="hrefs JOIN pages ON page_id = from_id AND url LIKE 'https:%'",
    share="links",
)
def https_downgrade() -> str:
    """Looks for links from HTTPS to plain HTTP inside the site.

    ## What it checks

    Links between pages whose source has HTTPS and whose target has not.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "url": "https://example.com/1"},
      {"page_id": 2}
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
      {"page_id": 1, "url": "https://example.com/1"},
      {"page_id": 2, "url": "https://example.com/2"}
    ]
    ```

    ```json links
    [
      {"from_id": 1, "to_id": 2}
    ]
    ```
    """
    return """
        SELECT from_id AS page_id, 'downgraded' AS state, to_id AS target_id, NULL AS value
        FROM hrefs JOIN pages AS source ON source.page_id = from_id JOIN pages AS target ON target.page_id = to_id
        WHERE source.url LIKE 'https:%' AND target.url LIKE 'http:%'
    """
