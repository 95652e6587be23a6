from pagegrade.checks._check import State, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Evidence, Outcome, Severity


@check(
    id="js-dependent-content",
    title="Content that depends on JavaScript",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("served", "The HTML contains the content of the page."),
        State(
            "shell",
            "The HTML is almost empty, and scripts fill it.",
            title="Content depends on JavaScript",
            why=(
                "Social networks, many AI services and some search engines run no scripts and see an empty "
                "page. Google runs them, but later."
            ),
            fix=(
                "Render the page on the server, or prerender it when the site is built. Most frameworks have a "
                "mode for it."
            ),
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",),
)
def js_dependent_content(served_document: Document) -> Outcome:
    """A page rendered by scripts is empty for all programs that do not run them.

    ## What it checks

    Whether the page as served has almost no text, scripts, and an empty element that they fill, also where a browser
    drew the page for other checks. It is informative and costs nothing.

    ## Why it matters

    Social networks, many AI services and some search engines run no scripts; Google does, but later.

    ## How to fix

    Let the server render the page, or prepare the pages when the site is built. Most frameworks have a mode for it.

    ## Fails on

    ```html
    <!doctype html>
    <title>Shop</title>
    <div id="root"></div>
    <script src="/app.js"></script>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shop</title>
    <div id="root"><h1>Garden furniture</h1><p>Chairs and tables made of teak.</div>
    <script src="/app.js"></script>
    ```
    """
    characters = len(served_document.text)
    if not served_document.client_rendered:
        return Outcome("served", value=characters)
    body = served_document.body
    evidence: tuple[Evidence, ...] = (
        () if body is None else (served_document.evidence(body, reason="Contains almost no text."),)
    )
    return Outcome("shell", value=characters, evidence=evidence)
