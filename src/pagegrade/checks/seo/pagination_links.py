from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, NotApplicable, Outcome, Severity
from pagegrade.parse.url import strip_fragment


@check(
    id="pagination-links",
    title="Pagination links",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("linked", "The next and previous pages are linked on the page."),
        State(
            "not_linked",
            "A page declared as next or previous is not linked on the page.",
            title="Next or previous page is not linked on the page",
            why=(
                'Google no longer uses `rel="next"` and `rel="prev"` in the head; without an ordinary link it '
                "may not find the other pages of the list."
            ),
            fix="Link the next and the previous page below the list with `<a href>`.",
        ),
    ),
    sources=("https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading",),
)
def pagination_links(document: Document) -> Verdict:
    """Pages of a list are found through visible links, not through `<link>` elements in the head alone.

    ## What it checks

    Whether each `<link>` with `rel="next"` or `rel="prev"` leads to a page that is also linked with `<a href>`. It is
    informative and costs nothing: Google no longer uses these links of the head.

    ## Fails on

    ```html
    <!doctype html>
    <title>Chairs, page 2</title>
    <link rel="next" href="/chairs?page=3">
    <a href="/tables">Tables</a>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Chairs, page 2</title>
    <link rel="next" href="/chairs?page=3">
    <a href="?page=3">Next</a> <a href="/chairs?page=3">Page 3</a>
    ```
    """
    named = [link for link in document.links if link.url and not {"next", "prev", "previous"}.isdisjoint(link.rel)]
    if not named:
        return NotApplicable("The page declares no next or previous page.")
    linked = {strip_fragment(anchor.url) for anchor in document.anchors if anchor.url}
    missing = [link for link in named if strip_fragment(link.url or "") not in linked]
    if not missing:
        return Outcome("linked", value=len(named))
    return Outcome(
        "not_linked",
        value=len(missing),
        evidence=tuple(document.evidence(link, url=link.url or "") for link in missing[:MAX_EVIDENCE]),
        total=len(missing),
    )
