from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.document import Document
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.model.rendering import Rendering

CONCEALED: Final = 3
"""Hidden headings from which a page without visible text has content all the same."""
MAX_SHELL: Final = 200
"""Characters that are a heading, a menu and a word about waiting ..."""
MIN_ADDED: Final = 10
"""... where a browser shows at least so many times as many."""


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
        State(
            "concealed",
            "Stylesheets hide the content until scripts show it.",
            title="Content stays hidden without JavaScript",
            why="Visitors see an empty page until the scripts have run, and when one of them fails.",
            fix="Show the content by default, and let a script add the class that hides it.",
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",),
)
def js_dependent_content(served_document: Document, document: Document, rendering: Rendering | NotGathered) -> Outcome:
    """A page rendered by scripts is empty for all programs that do not run them.

    ## What it checks

    Whether the page as served has almost no text, scripts, and an empty element that they fill, also where a browser
    drew the page for other checks. Where one did, a page with 200 characters of text or less of which scripts make ten
    times as many is called almost empty as well. Where three headings or more are in the HTML and hidden by
    stylesheets, as on slides that a script shows one by one, it says that instead. It is informative and costs nothing.

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
    # A page that leads on to another one is not filled by what that one holds.
    is_one_page = isinstance(rendering, Rendering) and not rendering.departures
    is_filled = is_one_page and 0 < characters <= MAX_SHELL and len(document.text) >= MIN_ADDED * characters
    if not served_document.client_rendered and not is_filled:
        return Outcome("served", value=characters)
    body = served_document.body
    concealed = sum(heading.hidden for heading in served_document.headings) >= CONCEALED
    evidence: tuple[Evidence, ...] = (
        ()
        if body is None
        else (
            served_document.evidence(
                body, reason="Contains almost no visible text." if concealed else "Contains almost no text."
            ),
        )
    )
    return Outcome("concealed" if concealed else "shell", value=characters, evidence=evidence)
