from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="orphan-pages",
    title="Orphan pages",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("linked", "Links lead to every page."),
        State(
            "orphaned",
            "No link leads to these pages.",
            loss=1.0,
            title="Orphan pages",
            why="Visitors do not find these pages, and search engines take them for unimportant.",
            fix="Link to them from a list, a menu or a related page, or remove them from the sitemap.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/links-crawlable",),
    over="originals",
    needs=(
        "complete",
        "sitemap",
    ),
)
def orphan_pages() -> str:
    """Looks for pages that no other page links to.

    ## What it checks

    Pages that search engines may show, known from the sitemap or an earlier crawl alone. Links through redirects and to
    copies of a page count; those of the page itself do not.

    ## Fails on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2},
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
        SELECT page_id, 'orphaned' AS state, NULL AS target_id, NULL AS value
        FROM originals ANTI JOIN linked USING (page_id)
        WHERE page_id NOT IN (SELECT final_id FROM lands WHERE page_id = CAST(fact('start') AS BIGINT))
    """
