from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="links-to-redirects",
    title="Links to redirects",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("direct", "Links lead to pages directly."),
        State(
            "redirected",
            "Links lead to pages through redirects.",
            loss=1.0,
            title="Pages with links to redirects",
            why="Each such click takes one more request, which is felt on mobile connections.",
            fix="Link to the URLs that the redirects lead to.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/301-redirects",),
    over="hrefs",
    share="links",
)
def links_to_redirects() -> str:
    """Looks for links to URLs that redirect to another page of the site.

    ## What it checks

    Links between pages whose target redirects, and where that ends at a page.

    ## Fails on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2, "status": 301, "redirect_id": 3},
      {"page_id": 3}
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
      {"page_id": 3}
    ]
    ```

    ```json links
    [
      {"from_id": 1, "to_id": 3}
    ]
    ```
    """
    return """
        SELECT from_id AS page_id, 'redirected' AS state, to_id AS target_id, target.url AS value
        FROM hrefs JOIN lands ON lands.page_id = to_id JOIN pages AS target ON target.page_id = lands.final_id
        WHERE lands.hops > 0 AND NOT loops AND lands.status < 400
    """
