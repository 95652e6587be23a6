from pagegrade.checks._amounts import amount
from pagegrade.checks._check import NEEDS_RENDERING, Cap, State, Verdict, check
from pagegrade.checks._metrics import paints_nothing
from pagegrade.model.artifacts import NotGathered, Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.model.rendering import Rendering
from pagegrade.parse.html.visible_content import holds_something, shows_nothing


@check(
    id="empty-page",
    title="Empty page",
    severity=Severity.CRITICAL,
    since="0.1.0",
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
                "Answer with an error status as long as there is no content. Where the page is only there to lead on "
                "to another one, redirect with a response of the server (status 301) in place of a meta element or a "
                "script."
            ),
        ),
        State(
            "hidden",
            "The page hides everything it holds: visitors see neither text nor images.",
            loss=1.0,
            title="The page hides everything it holds",
            why="Visitors see a white page, although its content was sent, and search engines rate hidden text low.",
            fix=(
                "Find the rule that hides the body or what surrounds the content (`display: none`, "
                "`visibility: hidden`, `opacity: 0`), and remove it. Where a script is meant to take it back, find "
                "out why that script did not run."
            ),
        ),
    ),
    cap=Cap(49),
    sources=("https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors",),
)
def empty_page(
    document: Document,
    response: Response,
    rendering: Rendering | NotGathered,
    is_faded: bool,  # noqa: FBT001 - an artifact
) -> Verdict:
    """A page that answers with success and shows nothing is broken.

    ## What it checks

    Whether the body shows anything at all: text, an image, a video, a frame, a form or an SVG. Content that the page's
    own rules hide is not shown, and where a browser painted nothing of the page, it shows nothing. Without a browser, a
    page is not evaluated whose scripts may add or show its content. A page that is left without opacity until a script
    shows it, as tools for tests do, is hidden where that script is missing: none that runs names the class, the element
    or the property, except in orders that it leaves in a list for the missing one.

    ## Fails on

    ```html
    <!doctype html><html lang="en"><head><title>Our shop</title></head><body></body></html>
    ```

    ```html
    <!doctype html><html lang="en"><head><title>Our shop</title><style>body { display: none }</style></head>
    <body><h1>Garden furniture</h1></body></html>
    ```

    ## Passes on

    ```html
    <!doctype html><html lang="en"><head><title>Our shop</title></head><body><h1>Garden furniture</h1></body></html>
    ```
    """
    if document.client_rendered:
        return NEEDS_RENDERING
    is_blank = (
        isinstance(rendering, Rendering) and paints_nothing(rendering) and "frames_not_checked" not in rendering.notes
    )
    is_hidden = is_faded or document.visibility.hides_page
    if not (is_hidden or is_blank or shows_nothing(document)):
        return Outcome("filled", value=amount(document.word_count, "word"))
    state = "hidden" if is_hidden or holds_something(document) else "empty"
    if state == "hidden" and not is_faded and isinstance(rendering, NotGathered) and document.running_scripts:
        return NEEDS_RENDERING
    return Outcome(state, value="0 words", evidence=(Evidence(url=response.url, value=f"{document.bytes:,} bytes"),))
