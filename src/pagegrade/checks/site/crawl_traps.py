from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="crawl-traps",
    title="Crawl traps",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("finite", "No part of the site goes on without end."),
        State(
            "repeating",
            "Parts of the site show the same content under ever more URLs.",
            loss=0.5,
            title="URLs that bring the same content again and again",
            why="Crawlers spend their time on copies, and find new pages late.",
            fix="Do not link to such URLs, forbid them in `robots.txt`, or answer with 404 where there is nothing.",
            counted=True,
        ),
        State(
            "growing",
            "Links lead to paths that grow with each step.",
            loss=1.0,
            title="URLs whose paths grow without end",
            why="Crawlers never come to an end, and each step is a request to the server.",
            fix=(
                "Write relative links from the root (`/more/` in place of `more/`), and answer with 404 for paths "
                "that do not exist."
            ),
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/url-structure",),
    over="pages",
    share="rows",
    needs=("traps",),
)
def crawl_traps() -> str:
    """Looks for parts of the site that a crawler never comes out of.

    ## What it checks

    URLs that the crawl left out because their path repeats itself, or because nearly all pages of their pattern
    have the same content: calendars, filters, relative links that add to the path.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "trap": "limit"},
      {"page_id": 2, "state": "not_fetched", "status": null, "trap": "growing"}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2, "state": "not_fetched", "status": null, "trap": "limit"}
    ]
    ```
    """
    return """
        SELECT page_id, CASE trap WHEN 'growing' THEN 'growing' ELSE 'repeating' END AS state, NULL AS target_id,
            pattern AS value
        FROM pages WHERE trap IN ('growing', 'sampled_out')
    """
