from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="nofollow-between-pages",
    title="Nofollow inside the site",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("followed", "Search engines may follow all links inside the site."),
        State(
            "nofollow",
            "Links inside the site ask search engines not to follow them.",
            loss=1.0,
            title="Pages with nofollow links to the site itself",
            why="The targets get less weight, and new pages are found later.",
            fix=(
                'Remove `rel="nofollow"` from links to your own pages; use `noindex` or `robots.txt` for what should '
                "not be found."
            ),
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/qualify-outbound-links",),
    over="hrefs",
    share="links",
)
def nofollow_between_pages() -> str:
    """Looks for links between pages with nofollow.

    ## What it checks

    Links with `rel="nofollow"` to pages that search engines may show, where no other link of the page to the same
    target is without it.

    ## Fails on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2}
    ]
    ```

    ```json links
    [
      {"from_id": 1, "to_id": 2, "nofollow": true}
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
        SELECT from_id AS page_id, 'nofollow' AS state, to_id AS target_id, NULL AS value
        FROM hrefs JOIN originals ON page_id = to_id WHERE hrefs.nofollow
    """
