from pagegrade.checks._amounts import amount
from pagegrade.checks._check import NEEDS_RENDERING, Cap, State, Verdict, check
from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.parse.html.visible_content import shows_nothing


@check(
    id="empty-page",
    title="Empty page",
    severity=Severity.CRITICAL,
    since="0.2.0",
    states=(
        State("filled", "The page shows something."),
        State(
            "empty",
            "The page is empty: it shows neither text nor images.",
            loss=1.0,
            title="The page shows nothing",
            why="Visitors see a white page, and search engines have nothing to list.",
            fix=(
                "Check the error log of the server: an application that stops without a message is the "
                "usual reason. "
                "Answer with an error status as long as there is no content."
            ),
        ),
    ),
    cap=Cap(49),
    sources=("https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors",),
)
def empty_page(document: Document, response: Response) -> Verdict:
    """A page that answers with success and shows nothing is broken.

    ## What it checks

    Whether the body as served shows anything at all: text, an image, a video, a frame, a form or an SVG. A page
    rendered by scripts is not evaluated.

    ## Why it matters

    Visitors see a blank page, and search engines have nothing to list.

    ## How to fix

    Check the error log of the server. Where there is no content yet, answer with status 404 or 503.

    ## Fails on

    ```html
    <!doctype html><html lang="en"><head><title>Our shop</title></head><body></body></html>
    ```

    ## Passes on

    ```html
    <!doctype html><html lang="en"><head><title>Our shop</title></head><body><h1>Garden furniture</h1></body></html>
    ```
    """
    if document.client_rendered:
        return NEEDS_RENDERING
    if not shows_nothing(document):
        return Outcome("filled", value=amount(document.word_count, "word"))
    return Outcome("empty", value="0 words", evidence=(Evidence(url=response.url, value=f"{document.bytes:,} bytes"),))
