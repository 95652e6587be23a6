from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="canonical-to-noindex",
    title="Canonical URLs with noindex",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("sound", "No canonical URL leads there."),
        State(
            "noindex",
            "Search engines may not show the canonical URLs of pages.",
            loss=1.0,
            title="Pages whose canonical URL has noindex",
            why="Search engines are told to show another page, which asks not to be shown: both may vanish.",
            fix="Remove `noindex` from the canonical URL, or let the page name itself.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",),
    over="pages WHERE status = 200 AND canonical_url IS NOT NULL AND canonical_id IS DISTINCT FROM page_id",
    share="rows",
)
def canonical_to_noindex() -> str:
    """Looks for canonical URLs whose page says noindex.

    ## What it checks

    Pages of status 200 whose canonical URL of the site has `noindex`.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "canonical_id": 2, "canonical_url": "http://example.com/2"},
      {"page_id": 2, "noindex": true}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "canonical_id": 2, "canonical_url": "http://example.com/2"},
      {"page_id": 2}
    ]
    ```
    """
    return """
        SELECT pages.page_id, 'noindex' AS state, target.page_id AS target_id, NULL AS value
        FROM pages JOIN pages AS target ON target.page_id = pages.canonical_id
        WHERE pages.status = 200 AND target.page_id <> pages.page_id AND target.status = 200 AND target.noindex
    """
