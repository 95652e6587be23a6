from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import NEEDS_RENDERING, State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, NotApplicable, Outcome, Severity

GOOD: Final = 300
BAD: Final = 100
GALLERY: Final = 12


@check(
    id="content-length",
    title="Amount of text",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("enough", "The page has a good amount of text."),
        State(
            "short",
            "The page has little text.",
            title="Little text",
            why="Text is what search engines understand best, and a page that answers a question needs some.",
            fix=(
                "Answer what visitors want to know: what it is, for whom, what it costs, how it works. A short "
                "page that answers its question is fine."
            ),
        ),
        State(
            "thin",
            "The page has almost no text.",
            title="Almost no text",
            why=(
                "Search engines hardly learn what the page is about, and rank pages with so little text "
                "(thin content) badly."
            ),
            fix="Describe on the page what it offers, or remove it from the index if it only serves navigation.",
        ),
    ),
    sources=("https://developers.google.com/search/docs/fundamentals/creating-helpful-content",),
)
def content_length(document: Document) -> Verdict:
    """A page with hardly any text says little to visitors and search engines.

    ## What it checks

    The words of the visible text, without navigation, header, footer, side columns and dialogs such as cookie notices.
    300 words are enough, 100 to 299 are little, fewer hardly any; none of it costs a point, because filling text would
    earn it back, and a page without content is another check's finding (`main-content`). No source names a minimum and
    Google says that there is none; 300 is the mildest of the customary numbers, and 97 of 100 real articles exceed it.
    In scripts without spaces 1.7 characters count as a word. Not evaluated are pages that are short by nature: a form
    to log in or to write a message, a gallery of a dozen images or more, and pages rendered by scripts.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <p>Our page is under construction.
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <!-- the next line 40 times -->
    <p>Chair {n} is made of teak and lasts many years.
    ```
    """
    if document.client_rendered:
        return NEEDS_RENDERING
    words = document.main_word_count
    if words >= GOOD:
        return Outcome("enough", value=words, details=(Detail(code="words", actual=words, limit=GOOD),))
    nature = _short_by_nature(document)
    if nature:
        return NotApplicable(f"The page is short by its purpose: {nature}.")
    total = document.word_count
    message = f"The page has {amount(words, 'word')} of text."
    if total != words:
        message = f"The page has {amount(words, 'word')} of text, {total:,} with navigation, header and footer."
    return Outcome(
        "short" if words >= BAD else "thin",
        value=words,
        details=(Detail(code="words", actual=words, limit=GOOD), Detail(code="words_with_navigation", actual=total)),
        message=message,
    )


def _short_by_nature(document: Document) -> str:
    kinds = {control.type for control in document.controls if not control.hidden}
    if "password" in kinds:
        return "a form to log in or register"
    if "textarea" in kinds and "email" in kinds:
        return "a form to write a message"
    if sum(not image.decorative for image in document.images) >= GALLERY:
        return "a gallery"
    return ""
