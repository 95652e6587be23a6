from typing import Final

from pagegrade.checks._check import NEEDS_RENDERING, State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, NotApplicable, Outcome, Severity

MIN_SHARE: Final = 50
"""Per cent of the words that are content."""
MIN_WORDS: Final = 50
"""On a page with fewer words the share says nothing."""


@check(
    id="thin-boilerplate",
    title="Share of main content",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("content", "Most of the text is main content."),
        State(
            "boilerplate",
            "Most of the text is navigation, header, footer and sidebars.",
            title="Little main content beside navigation and footer",
            why="Search engines ignore repeated text, and may find hardly anything left. On a home page this is usual.",
            fix="Write more about the subject of the page, or shorten menus and footers.",
        ),
    ),
    sources=("https://developers.google.com/search/docs/fundamentals/creating-helpful-content",),
)
def thin_boilerplate(document: Document) -> Verdict:
    """Text that is repeated on every page of a site does not distinguish one page from another.

    ## What it checks

    The share of words outside `<nav>`, `<aside>`, dialogs and the header and footer of the page, on pages with at least
    50 words. Less than half is reported. It is informative and costs nothing; on a home page it is usual. Where the
    page does not mark its parts with these elements, all its text counts as content.

    ## Fails on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <nav>
    <!-- the next line 60 times -->
    <a href="/{n}">Chair number {n}</a>
    </nav>
    <p>Choose a chair.
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <nav><a href="/">Start</a></nav>
    <!-- the next line 20 times -->
    <p>Chair {n} is made of teak.
    ```
    """
    if document.client_rendered:
        return NEEDS_RENDERING
    words = document.word_count
    if words < MIN_WORDS:
        return NotApplicable("The page has too few words for a meaningful share.")
    main = document.main_word_count
    share = main * 100 // words
    details = (
        Detail(code="share_percent", actual=share, limit=MIN_SHARE),
        Detail(code="words", actual=words),
        Detail(code="words_of_content", actual=main),
    )
    message = f"{share}% of the {words:,} words are outside of navigation, header, footer and sidebars."
    return Outcome("content" if share >= MIN_SHARE else "boilerplate", value=share, details=details, message=message)
