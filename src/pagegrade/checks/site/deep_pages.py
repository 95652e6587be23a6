from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="deep-pages",
    title="Deep pages",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("near", "Every page is at most five clicks from the start page."),
        State(
            "deep",
            "Pages are more than five clicks away from the start page.",
            loss=1.0,
            title="Pages more than five clicks away",
            why="Few visitors get there, and search engines take such pages for less important.",
            fix="Link to these pages from lists that are nearer, or make the lists longer.",
            counted=True,
        ),
    ),
    sources=(
        "https://developers.google.com/search/docs/specialty/ecommerce/help-google-understand-your-ecommerce-site-structure",
    ),
    over="originals",
)
def deep_pages() -> str:
    """Looks for pages that are many clicks away from the start page.

    ## What it checks

    The shortest way from the start page by links: more than five are many. What no link leads to is another
    finding.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "depth": 0},
      {"page_id": 2, "depth": 6}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "depth": 0},
      {"page_id": 2, "depth": 5}
    ]
    ```
    """
    return """
        SELECT page_id, 'deep' AS state, NULL AS target_id, depth || ' clicks' AS value
        FROM originals WHERE depth > 5 AND depth < 250
    """
