from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="hreflang-reciprocity",
    title="Return links of hreflang",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("mutual", "All versions of a page name each other."),
        State(
            "one_way",
            "Pages name versions in other languages that do not name them.",
            loss=1.0,
            title="Pages whose other versions do not link back",
            why="Search engines ignore an hreflang link that is not returned, so that visitors get the wrong language.",
            fix="Put the same set of hreflang links on every version, each with itself.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/specialty/international/localized-versions",),
    over="links WHERE kind = 'hreflang'",
    share="rows",
)
def hreflang_reciprocity() -> str:
    """Looks for hreflang links that are not returned.

    ## What it checks

    Pairs of pages that search engines may show: whether the version that a page names also names the page. Links
    for `x-default` need no return.

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
      {"from_id": 1, "to_id": 2, "kind": "hreflang", "hreflang": "de"},
      {"from_id": 2, "to_id": 1, "kind": "hreflang", "hreflang": "en"}
    ]
    ```
    """
    return """
        SELECT DISTINCT one.from_id AS page_id, 'one_way' AS state, one.to_id AS target_id, one.hreflang AS value
        FROM links AS one SEMI JOIN indexable AS source ON source.page_id = one.from_id
        SEMI JOIN indexable AS target ON target.page_id = one.to_id
        WHERE one.kind = 'hreflang' AND one.from_id <> one.to_id AND lower(one.hreflang) <> 'x-default' AND NOT
            EXISTS (
            SELECT 1 FROM links AS back
            WHERE back.kind = 'hreflang' AND back.from_id = one.to_id AND back.to_id = one.from_id
        )
    """
