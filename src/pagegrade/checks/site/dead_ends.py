from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="dead-ends",
    title="Dead ends",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("open", "Every page links to others of the site."),
        State(
            "dead_end",
            "Pages link to no other page of the site.",
            loss=1.0,
            title="Pages without a link to the rest of the site",
            why="Visitors who come from a search cannot go on, and the weight of links to these pages ends there.",
            fix="Give these pages the menu of the others, or at least a link to the start page.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/links-crawlable",),
    over="originals",
)
def dead_ends() -> str:
    """Looks for pages without a link to another page of the site.

    ## What it checks

    Pages that search engines may show, and their links to other pages of the site.

    ## Fails on

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

    ## Passes on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2}
    ]
    ```

    ```json links
    [
      {"from_id": 1, "to_id": 2},
      {"from_id": 2, "to_id": 1}
    ]
    ```
    """
    return """
        SELECT page_id, 'dead_end' AS state, NULL AS target_id, NULL AS value
        FROM originals ANTI JOIN hrefs ON from_id = page_id
    """
