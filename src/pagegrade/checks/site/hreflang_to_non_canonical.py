from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="hreflang-to-non-canonical",
    title="Hreflang links to other than canonical pages",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("canonical", "All versions that pages name are canonical pages."),
        State(
            "non_canonical",
            "Pages name versions that redirect, or that search engines may not show.",
            loss=1.0,
            title="Pages with hreflang links to pages that are not shown",
            why=(
                "Search engines ignore links to pages that they do not show, so that the version is missing in their "
                "results."
            ),
            fix="Name the canonical URL of each version.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/specialty/international/localized-versions",),
    over="links WHERE kind = 'hreflang'",
    share="rows",
)
def hreflang_to_non_canonical() -> str:
    """Looks for hreflang links to pages that search engines do not show.

    ## What it checks

    The pages of the site that hreflang links name: those that redirect, that have noindex, or whose canonical URL
    is another one.

    ## Fails on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2, "noindex": true}
    ]
    ```

    ```json links
    [
      {"from_id": 1, "to_id": 2, "kind": "hreflang", "hreflang": "de"}
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
      {"from_id": 1, "to_id": 2, "kind": "hreflang", "hreflang": "de"}
    ]
    ```
    """
    return """
        SELECT DISTINCT from_id AS page_id, 'non_canonical' AS state, to_id AS target_id,
            CASE WHEN lands.hops > 0 THEN 'redirects' WHEN noindex THEN 'noindex' ELSE canonical_url END AS value
        FROM links JOIN lands ON lands.page_id = to_id JOIN pages AS target ON target.page_id = to_id
        WHERE kind = 'hreflang' AND from_id <> to_id AND lands.status = 200 AND (
            lands.hops > 0 OR noindex OR (canonical_url IS NOT NULL AND canonical_id IS DISTINCT FROM to_id)
        )
    """
