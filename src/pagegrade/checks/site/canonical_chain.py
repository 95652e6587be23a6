from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="canonical-chain",
    title="Canonical chains",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("sound", "No canonical URL leads there."),
        State(
            "chain",
            "Canonical URLs name further canonical URLs.",
            loss=1.0,
            title="Pages whose canonical URL names another one",
            why="Search engines have to follow from one statement to the next, and may ignore both.",
            fix="Name the last URL of the chain on every page.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",),
    over="pages WHERE status = 200 AND canonical_url IS NOT NULL AND canonical_id IS DISTINCT FROM page_id",
    share="rows",
)
def canonical_chain() -> str:
    """Looks for canonical URLs whose page names yet another one.

    ## What it checks

    Pages of status 200 whose canonical URL has a canonical link to a third.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "canonical_id": 2, "canonical_url": "http://example.com/2"},
      {"page_id": 2, "canonical_id": 3, "canonical_url": "http://example.com/3"}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "canonical_id": 2, "canonical_url": "http://example.com/2"},
      {"page_id": 2, "canonical_id": 2, "canonical_url": "http://example.com/2"}
    ]
    ```
    """
    return """
        SELECT pages.page_id, 'chain' AS state, target.page_id AS target_id, target.canonical_url AS value
        FROM pages JOIN pages AS target ON target.page_id = pages.canonical_id
        WHERE pages.status = 200 AND target.page_id <> pages.page_id AND target.status = 200 AND
            target.canonical_url IS NOT NULL
            AND target.canonical_id IS DISTINCT FROM target.page_id
    """
