from collections.abc import Iterator

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.parse.page_links import canonical_links

_MAX_TEXT = 200
"""Characters shown of a value."""


@check(
    id="metadata-by-scripts",
    title="Metadata changed by scripts",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("same", "Scripts change no metadata of the page."),
        State(
            "changed",
            "Scripts change metadata of the page.",
            title="Scripts change metadata",
            why="Programs that run no scripts read the first value. Google may use either of the two.",
            fix="Send the final values in the HTML.",
        ),
        State(
            "canonical",
            "Scripts change the canonical URL.",
            loss=1.0,
            title="Canonical URL is changed by scripts",
            why="Search engines get two answers to the question which URL to show, and may ignore both.",
            fix="Send the final canonical URL in the HTML, and keep scripts from changing it.",
        ),
    ),
    sources=(
        "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
        "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    ),
)
def metadata_by_scripts(document: Document, response: Response, drawn_document: Document) -> Outcome:
    """Search engines should read the same metadata whether or not they run the scripts of a page.

    ## What it checks

    Title, meta description and canonical URL of the page as a browser drew it, against those of the HTML as served.
    Another canonical URL costs a point; a changed title or description is only named. What scripts add where the HTML
    has nothing, and a `noindex` that they add, is a finding of the checks of that element. A browser is necessary.

    ## Fails on

    ```html
    <!doctype html>
    <title>Red running shoes</title>
    <link rel="canonical" href="https://example.com/">
    ```

    ```json rendering
    {"device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
     "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
     "html": "<!doctype html><title>Red shoes</title><link rel=canonical href=https://example.com/shop>"}
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Red running shoes</title>
    <h1>Red running shoes</h1>
    ```

    ```json rendering
    {"device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
     "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
     "html": "<!doctype html><title>Red running shoes</title><h1>Red running shoes</h1><p>Sizes"}
    ```
    """
    found = list(_changes(document, response, drawn_document))
    states = {entry.state for entry in found}
    state = "canonical" if "canonical" in states else "changed" if found else "same"
    return Outcome(state, value=len(found), evidence=tuple(found), total=len(found))


def _changes(served: Document, response: Response, drawn: Document) -> Iterator[Evidence]:
    for before, after in ((_title(served), _title(drawn)), (_description(served), _description(drawn))):
        if before and after and before != after:
            yield Evidence(value=after[:_MAX_TEXT], reason=f"The HTML says: {before[:_MAX_TEXT]}", state="changed")
    url, drawn_url = _canonical(served, response), _canonical(drawn, response)
    if url and drawn_url and url != drawn_url:
        yield Evidence(url=drawn_url[:2_000], reason=f"The HTML says: {url[:_MAX_TEXT]}", state="canonical")


def _title(document: Document) -> str:
    return next((title.text for title in document.titles if title.text), "")


def _description(document: Document) -> str:
    found = document.meta("description")
    return "" if found is None else " ".join(found.content.split())


def _canonical(document: Document, response: Response) -> str:
    return next((link.url for link in canonical_links(document.links, response) if link.counts and link.url), "")
