from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="duplicate-description",
    title="Duplicate descriptions",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("unique", "Each page has a description of its own."),
        State(
            "shared",
            "Different pages have the same description.",
            loss=1.0,
            title="Pages with the same description",
            why=(
                "Search results show the same text below different pages, or text that search engines choose by "
                "themselves."
            ),
            fix="Describe each page by itself, or leave the description out and let search engines choose.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/appearance/snippet",),
    over="originals",
)
def duplicate_description() -> str:
    """Looks for different pages with the same description.

    ## What it checks

    The description of the pages that search engines may show, upper and lower case alike, page by page of one
    language. Copies of one content count as one page: they are a finding of their own.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "description": "Tea"},
      {"page_id": 2, "description": "tea "}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "description": "Tea"},
      {"page_id": 2, "description": "Coffee"}
    ]
    ```
    """
    return """
        SELECT page_id, 'shared' AS state, NULL AS target_id, description AS value
        FROM originals WHERE trim(coalesce(description, '')) <> ''
        QUALIFY count(*) OVER (PARTITION BY lower(trim(description)), coalesce(lang, '')) > 1
    """
