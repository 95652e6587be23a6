import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import NEEDS_RENDERING, Cap, State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.words import has_unspaced_script, top_terms, top_terms_of_text

MAX_PERCENT: Final = 5
MIN_WORDS: Final = 100
SHOWN: Final = 10
MIN_SPAM_WORDS: Final = 300
SPAM_SHARE: Final = 0.15
"""Share of the most frequent word; on pages about one thing it stays below 0.11."""
SPAM_VARIETY: Final = 0.25
"""Different words among all; lists that repeat a label have more."""
MIN_UNSPACED: Final = 800
"""Characters of a text without spaces between words."""
MIN_COMPRESSION: Final = 15
"""Size of such a text over its compressed size; ordinary texts reach 5."""
MAX_SAMPLE: Final = 20_000
MAX_STRETCHES: Final = 100_000
"""Characters of a text that are searched for a stretch of repetitions."""


@check(
    id="keyword-density",
    title="Keyword density",
    severity=Severity.CRITICAL,
    since="0.1.0",
    states=(
        State("varied", "No word is unusually frequent."),
        State(
            "stuffed",
            "One word makes up more than 5% of the text.",
        ),
        State(
            "spam",
            "The text repeats the same words over and over.",
            loss=1.0,
            title="The text is a repetition of keywords",
            why="No one can read it, and search engines drop pages with such text from their results.",
            fix=(
                "If you did not write these words, look for content that intruders have inserted. Otherwise write for "
                "readers, and remove text that only repeats keywords."
            ),
        ),
    ),
    cap=Cap(49),
    sources=("https://developers.google.com/search/docs/essentials/spam-policies#keyword-stuffing",),
)
def keyword_density(document: Document) -> Verdict:
    """The most frequent words show what a text seems to be about.

    ## What it checks

    The ten most frequent words of the main text that are longer than two letters and carry meaning, on pages with at
    least 100 words. A word with more than five per cent of all words is named and costs nothing, because no search
    engine names a number. A text of 300 words and more that consists of repetitions is spam, and limits the score: one
    word makes up 15 %, and different words a quarter at most, in the whole text or in 300 words on end. Texts in
    scripts without spaces between words are spam if they can be compressed to a fifteenth, and not evaluated otherwise.

    ## Fails on

    ```html
    <!doctype html>
    <html lang="en">
    <title>Chairs</title>
    <!-- the next line 60 times -->
    <p>Chairs cheap chairs buy chairs online best chairs near me.
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
        if len(text) >= MIN_UNSPACED and any(_is_repetition(text[:end]) for end in (MAX_SAMPLE, MIN_UNSPACED)):
            return Outcome("spam", value=text[:100])
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
    is_spam = words >= MIN_SPAM_WORDS and count >= SPAM_SHARE * words and 0 < len(pieces) <= SPAM_VARIETY * words
    if not is_spam and count >= SPAM_SHARE * MIN_SPAM_WORDS:
        # Other text beside it makes a repetition no better.
        is_spam = _holds_repetition(text[:MAX_STRETCHES].split())
    return Outcome(
        "spam" if is_spam else "stuffed" if stuffed else "varied",
        value=word[:100],
        evidence=evidence,
        details=(Detail(code="percent", actual=round(count * 100 / words, 1), limit=MAX_PERCENT),),
        message=f"The word “{word[:50]}” makes up {count * 100 / words:.1f}% of the text." if stuffed else "",
    )


def _is_repetition(text: str) -> bool:
    """Return whether a text without spaces says the same over and over."""
    sample = text.encode("utf-8", "replace")
    return len(sample) > MIN_COMPRESSION * len(zlib.compress(sample, 1))


def _holds_repetition(words: Sequence[str]) -> bool:
    """Return whether 300 words on end repeat one: text beside them makes it no better."""
    for start in range(0, len(words) - MIN_SPAM_WORDS + 1, MIN_SPAM_WORDS):
        pieces = Counter(words[start : start + MIN_SPAM_WORDS])
        if len(pieces) <= SPAM_VARIETY * MIN_SPAM_WORDS:
            terms = top_terms(pieces, 1)
            if terms and terms[0][1] >= SPAM_SHARE * MIN_SPAM_WORDS:
                return True
    return False
