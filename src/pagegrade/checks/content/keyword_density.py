from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import NEEDS_RENDERING, State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.words import has_unspaced_script, top_terms, top_terms_of_text

MAX_PERCENT: Final = 5
MIN_WORDS: Final = 100
SHOWN: Final = 10


@check(
    id="keyword-density",
    title="Keyword density",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("varied", "No word is unusually frequent."),
        State(
            "stuffed",
            "One word makes up more than 5% of the text.",
            title="Reduce keyword repetition",
            why="A word that is repeated too often reads badly, and search engines may treat it as keyword stuffing.",
            fix=(
                "If you did not write these words, look for content that intruders have inserted. Otherwise keep them "
                "where readers need them, and leave out sentences that only repeat them."
            ),
        ),
    ),
    sources=("https://developers.google.com/search/docs/essentials/spam-policies#keyword-stuffing",),
)
def keyword_density(document: Document) -> Verdict:
    """The most frequent words show what a text seems to be about.

    ## What it checks

    The ten most frequent words of the main text that are longer than two letters and carry meaning, on pages with at
    least 100 words. A word with more than five per cent of all words is reported. It is informative and costs nothing:
    no search engine names a number. Texts in scripts without spaces between words are not evaluated.

    ## Why it matters

    A word that is repeated too often reads badly, and search engines treat it as keyword stuffing.

    ## How to fix

    Keep the word where readers need it, and leave out sentences that only repeat it. If you did not write it, look for
    content that intruders have inserted.

    ## Fails on

    ```html
    <!doctype html>
    <html lang="en">
    <title>Chairs</title>
    <!-- the next line 20 times -->
    <p>Chairs are fine, and so these many chairs, numbered {n}, stand here.
    ```

    ## Passes on

    ```html
    <!doctype html>
    <html lang="en">
    <title>Chairs</title>
    <!-- the next line 30 times -->
    <p>Teak{n} oak{n} beech{n} cedar{n}.
    ```
    """
    if document.client_rendered:
        return NEEDS_RENDERING
    text = document.main_text
    if has_unspaced_script(text):
        return NotApplicable("The text has no spaces between its words.")
    words = document.main_word_count
    if words < MIN_WORDS:
        return NotApplicable("The page has too few words for a meaningful share.")
    pieces = document.main_pieces
    terms = top_terms(pieces, SHOWN) if pieces else top_terms_of_text(text, SHOWN)
    if not terms:
        return NotApplicable("The page has too few words for a meaningful share.")
    evidence = tuple(
        Evidence(value=word, reason=f"{amount(count, 'time')}, {count * 100 / words:.1f}%") for word, count in terms
    )
    word, count = terms[0]
    stuffed = count * 100 > MAX_PERCENT * words
    return Outcome(
        "stuffed" if stuffed else "varied",
        value=word[:100],
        evidence=evidence,
        details=(Detail(code="percent", actual=round(count * 100 / words, 1), limit=MAX_PERCENT),),
        message=f"The word “{word[:50]}” makes up {count * 100 / words:.1f}% of the text." if stuffed else "",
    )
