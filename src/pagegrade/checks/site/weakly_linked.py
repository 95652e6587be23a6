from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="weakly-linked",
    title="Weakly linked pages",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("linked", "Several pages link to every page."),
        State(
            "weak",
            "Only one page links to these pages.",
            loss=1.0,
            title="Pages with a single link to them",
            why="They are lost with this one link, and search engines take them for less important.",
            fix="Link to them from related pages.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/links-crawlable",),
    over="originals",
    needs=("complete",),
)
def weakly_linked() -> str:
    """Looks for pages that a single page links to.

    ## What it checks

    Different pages that link to each page, copies as one, in sites of at least ten pages. Links with nofollow do
    not count.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "repeat": 10}
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
      {"page_id": 1, "repeat": 10}
    ]
    ```

    ```json links
    [
      {"from_id": 1, "to_id": 2},
      {"from_id": 3, "to_id": 2}
    ]
    ```
    """
    return """
        SELECT page_id, 'weak' AS state, NULL AS target_id, NULL AS value
        FROM originals JOIN ranks USING (page_id)
        WHERE inlinks = 1 AND (SELECT count(*) FROM originals) >= 10
            AND page_id NOT IN (SELECT final_id FROM lands WHERE page_id = CAST(fact('start') AS BIGINT))
    """
