from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="duplicate-title",
    title="Duplicate titles",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("unique", "Each page has a title of its own."),
        State(
            "shared",
            "Different pages have the same title.",
            loss=1.0,
            title="Pages with the same title",
            why="In search results and in tabs these pages cannot be told apart, and they compete with each other.",
            fix="Give each page a title that names its subject; in templates put the name of the item first.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/appearance/title-link",),
    over="originals",
)
def duplicate_title() -> str:
    """Looks for different pages with the same title.

    ## What it checks

    The title of the pages that search engines may show, upper and lower case alike, page by page of one language.
    Copies of one content count as one page: they are a finding of their own.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "title": "Tea"},
      {"page_id": 2, "title": "tea "}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "title": "Tea"},
      {"page_id": 2, "title": "Coffee"}
    ]
    ```
    """
    return """
        SELECT page_id, 'shared' AS state, NULL AS target_id, title AS value
        FROM originals WHERE trim(coalesce(title, '')) <> ''
        QUALIFY count(*) OVER (PARTITION BY lower(trim(title)), coalesce(lang, '')) > 1
    """
