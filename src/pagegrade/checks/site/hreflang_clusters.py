from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="hreflang-clusters",
    title="Sets of hreflang links",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("whole", "Each set of hreflang links is complete and without contradiction."),
        State(
            "no_self",
            "Pages name versions in other languages, and not themselves.",
            loss=0.5,
            title="Pages that are missing in their own hreflang links",
            why="Search engines expect each version to name itself; without it the set is incomplete.",
            fix="Add a link to the page itself with its own language.",
            counted=True,
        ),
        State(
            "twice",
            "Pages name several URLs for one language.",
            loss=1.0,
            title="Pages with several URLs for one language",
            why="Search engines do not know which of them is meant, and ignore both.",
            fix="Keep one URL for each language and region.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/specialty/international/localized-versions",),
    over="links WHERE kind = 'hreflang'",
)
def hreflang_clusters() -> str:
    """Looks at whether the hreflang links of each page fit together.

    ## What it checks

    Whether a page names one URL for each language, and itself.

    ## Fails on

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

    ## Passes on

    ```json pages
    [
      {"page_id": 1},
      {"page_id": 2}
    ]
    ```

    ```json links
    [
      {"from_id": 1, "to_id": 1, "kind": "hreflang", "hreflang": "en"},
      {"from_id": 1, "to_id": 2, "kind": "hreflang", "hreflang": "de"}
    ]
    ```
    """
    return """
        SELECT from_id AS page_id, 'twice' AS state, NULL AS target_id, lower(hreflang) AS value FROM links
        WHERE kind = 'hreflang' GROUP BY from_id, lower(hreflang) HAVING count(DISTINCT to_id) > 1
        UNION ALL
        SELECT from_id, 'no_self', NULL, NULL FROM links SEMI JOIN indexable ON page_id = from_id
        WHERE kind = 'hreflang' GROUP BY from_id HAVING NOT bool_or(from_id = to_id)
    """
