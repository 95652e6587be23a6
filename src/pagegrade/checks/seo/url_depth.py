from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Detail, Evidence, Outcome, Severity
from pagegrade.parse.page_links import path_and_query

MAX_DEPTH: Final = 4


@check(
    id="url-depth",
    title="URL depth",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("shallow", "The URL of the page has few folders."),
        State("deep", "The URL of the page has many folders."),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/url-structure",),
)
def url_depth(response: Response) -> Outcome:
    """A URL with few folders is easier to read.

    ## What it checks

    The parts of the path between slashes, of which up to four are usual. It is informative and costs nothing: for
    search engines it matters how many clicks a page is away from the home page, not how many slashes its URL has.

    ## Fails on

    ```url
    https://example.com/shop/garden/furniture/chairs/wood/teak
    ```

    ## Passes on

    ```url
    https://example.com/shop/chairs/teak
    ```
    """
    depth = sum(1 for part in path_and_query(response.url)[0].split("/") if part)
    details = (Detail(code="folders", actual=depth, limit=MAX_DEPTH),)
    if depth <= MAX_DEPTH:
        return Outcome("shallow", value=depth, details=details)
    return Outcome("deep", value=depth, evidence=(Evidence(url=response.url),), details=details)
