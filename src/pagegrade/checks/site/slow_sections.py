from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="slow-sections",
    title="Slow sections",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("fast", "No section of the site answers slowly."),
        State(
            "slow",
            "In some sections a quarter of the pages takes more than a second to answer.",
            loss=1.0,
            title="Pages of sections that answer slowly",
            why="Everything else on these pages waits for the answer, and search engines fetch fewer of them.",
            fix=(
                "Look for what these pages have in common: a query without an index, a service that they wait for, a "
                "cache that does not apply."
            ),
            counted=True,
        ),
    ),
    sources=("https://web.dev/articles/ttfb",),
    over="originals WHERE time_ms IS NOT NULL",
)
def slow_sections() -> str:
    """Looks for sections of the site whose answers take long.

    ## What it checks

    The time until the answer of the pages of one pattern of URLs, of at least ten: whether a quarter of them takes
    longer than 1,000 ms.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "repeat": 10, "pattern": "/search", "time_ms": 1500}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "repeat": 10, "pattern": "/search", "time_ms": 900}
    ]
    ```
    """
    return """
        SELECT page_id, 'slow' AS state, NULL AS target_id, time_ms || ' ms' AS value FROM originals
        QUALIFY count(time_ms) OVER (PARTITION BY pattern) >= 10
            AND quantile_disc(time_ms, 0.75) OVER (PARTITION BY pattern) > 1000 AND time_ms > 1000
    """
