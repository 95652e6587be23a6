from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="duplicate-h1",
    title="Duplicate main headings",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("unique", "Each page has a main heading of its own."),
        State(
            "shared",
            "Different pages have the same main heading.",
            loss=1.0,
            title="Pages with the same main heading",
            why="Visitors who come from a search do not see from the heading where they are.",
            fix="Name the subject of the page in its main heading.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/fundamentals/seo-starter-guide",),
    over="originals",
)
def duplicate_h1() -> str:
    """Looks for different pages with the same main heading.

    ## What it checks

    The main heading of the pages that search engines may show, upper and lower case alike, page by page of one
    language. Copies of one content count as one page: they are a finding of their own.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "h1": "Tea"},
      {"page_id": 2, "h1": "tea "}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "h1": "Tea"},
      {"page_id": 2, "h1": "Coffee"}
    ]
    ```
    """
    return """
        SELECT page_id, 'shared' AS state, NULL AS target_id, h1 AS value
        FROM originals WHERE trim(coalesce(h1, '')) <> ''
        QUALIFY count(*) OVER (PARTITION BY lower(trim(h1)), coalesce(lang, '')) > 1
    """
