from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="error-in-sitemap",
    title="Errors in the sitemap",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("clean", "Nothing of the kind is in the sitemap."),
        State(
            "listed",
            "The sitemap lists URLs that answer with an error.",
            loss=1.0,
            title="Sitemap entries that answer with an error",
            why="Search engines fetch these URLs for nothing, and trust the sitemap less.",
            fix="Take the URLs out of the sitemap, or bring the pages back.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",),
    over="sitemap",
    share="rows",
    needs=("sitemap",),
)
def error_in_sitemap() -> str:
    """Looks for URLs in the sitemap that answer with an error.

    ## What it checks

    Entries of the sitemap whose answer has a status from 400 on. Answers that only ask for fewer requests (429) do
    not count.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "status": 404},
      {"page_id": 2}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "status": 404, "in_sitemap": false},
      {"page_id": 2}
    ]
    ```
    """
    return """
        SELECT page_id, 'listed' AS state, NULL AS target_id, 'status ' || status AS value
        FROM sitemap JOIN pages USING (page_id)
        WHERE status >= 400 AND status <> 429
    """
