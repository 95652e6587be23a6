from pagegrade.checks._site_check import State, site_check
from pagegrade.model.outcome import Severity


@site_check(
    id="redirect-chains",
    title="Redirect chains",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("short", "Redirects lead to their page in one step."),
        State(
            "chain",
            "Redirects lead to other redirects.",
            loss=0.5,
            title="Redirects in a chain",
            why="Each step takes a request; search engines follow a few of them at a time and pass on less.",
            fix="Let each redirect lead to the last URL of its chain.",
            counted=True,
        ),
        State(
            "long",
            "Redirects lead to a page in five steps or more, or not at all.",
            loss=1.0,
            title="Redirects in long chains",
            why="Search engines may give up on the way, and visitors wait.",
            fix="Let each redirect lead to the last URL of its chain, the longest chains first.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/301-redirects",),
    over="pages WHERE coalesce(redirect_url, CAST(redirect_id AS VARCHAR)) IS NOT NULL",
    share="rows",
)
def redirect_chains() -> str:
    """Looks for redirects that lead to further redirects.

    ## What it checks

    The steps from each URL that redirects to the URL that does not: two are a chain, five are a long one.

    ## Fails on

    ```json pages
    [
      {"page_id": 1, "status": 301, "redirect_id": 2},
      {"page_id": 2, "status": 301, "redirect_id": 3},
      {"page_id": 3}
    ]
    ```

    ## Passes on

    ```json pages
    [
      {"page_id": 1, "status": 301, "redirect_id": 2},
      {"page_id": 2}
    ]
    ```
    """
    return """
        SELECT page_id, CASE WHEN hops >= 5 THEN 'long' ELSE 'chain' END AS state, NULL AS target_id,
            hops || ' redirects' AS value
        FROM lands WHERE hops >= 2 AND NOT loops
    """
