import re
from collections import Counter
from collections.abc import Mapping
from itertools import filterfalse
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, NotApplicable, Outcome, Severity

MIN_WORDS: Final = 100
HARD: Final = 30
MAX_SENTENCE: Final = 60
"""Words; a longer one is none."""
LONG_PARAGRAPH: Final = 1_000
MAX_CHARACTERS: Final = 8_000
"""Of the paragraphs that are read, some thirteen hundred words: the score hardly changes after them."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SENTENCE_END: Final = re.compile(r"[.!?…][\"'”’»)\]]*(?=\s|$)")
_VOICED_ENDINGS: Final = frozenset({"ee", "ie", "le"})
_LANGUAGES: Final = frozenset({"de", "en"})
_ENGLISH_VOWELS: Final = bytes(byte if byte in b"aeiouy\n" else 0x20 for byte in range(256))
"""Makes a blank of everything that is no vowel."""
_GERMAN_VOWELS: Final = re.compile("ei|ai|au|eu|äu|ie|aa|ee|oo|[aeiouyäöü]")


@check(
    id="readability",
    title="Readability",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("readable", "The text is easy enough to read."),
        State(
            "long_paragraphs",
            "Some paragraphs are very long.",
            title="Very long paragraphs",
            why="Long paragraphs look like walls of text, most of all on a phone, and are skipped.",
            fix="Begin a new paragraph with each thought, and add subheadings.",
            counted=True,
        ),
        State(
            "hard",
            "The text is hard to read.",
            title="Make the text easier to read",
            why="Visitors leave a text that takes effort. A text for experts may be hard.",
            fix="Split long sentences, and prefer short and common words.",
        ),
    ),
    sources=("https://www.w3.org/WAI/WCAG22/Understanding/reading-level.html",),
)
def readability(document: Document) -> Verdict:
    """Short sentences and short words are read faster, and by more people.

    ## What it checks

    The paragraphs of the main text of pages in English and German with at least 100 words, by Flesch's formula and
    Amstad's for German: 100 is very easy and 0 very hard, and below 30 is reported, as are paragraphs of more than
    1,000 characters. Syllables are estimated. Other languages need formulas of their own and are not evaluated. It is
    informative and costs nothing: a text for experts may be hard.

    ## Fails on

    ```html
    <!doctype html>
    <html lang="en">
    <title>Terms</title>
    <!-- the next line 20 times -->
    <p>Notwithstanding organizational responsibilities, obligations necessitate {n} comprehensive documents.
    ```

    ## Passes on

    ```html
    <!doctype html>
    <html lang="en">
    <title>Chairs</title>
    <!-- the next line 15 times -->
    <p>This chair is made of teak. It will last for years.
    ```
    """
    language = (document.html.attrs.get("lang", "") if document.html else "").split("-", 1)[0].strip().lower()
    if not language:
        return NotApplicable("The page does not declare its language, which the formula depends on.")
    if language not in _LANGUAGES:
        return NotApplicable("No readability formula is available for the language of the page.")
    texts: list[str] = []
    characters = 0
    for paragraph in document.paragraphs:
        if characters + len(paragraph.text) > MAX_CHARACTERS:
            break
        characters += len(paragraph.text)
        texts.append(paragraph.text)
    counts: Counter[str] = Counter()
    sentences = 0
    for text in texts:
        pieces = text.lower().split()
        # Most pieces are words as they stand; the expression takes longer, and is needed for the others only.
        found = [*filter(str.isalpha, pieces), *_WORD.findall(" ".join(filterfalse(str.isalpha, pieces)))]
        # The last sentence of a paragraph may end without a full stop.
        ends = len(_SENTENCE_END.findall(text)) + (_SENTENCE_END.search(text, max(0, len(text) - 3)) is None)
        if not found or len(found) > MAX_SENTENCE * max(1, ends):
            continue  # A list, an address or verses without full stops are no running text.
        counts.update(found)
        sentences += max(1, ends)
    words = counts.total()
    if words < MIN_WORDS:
        return NotApplicable("The page has too little running text.")
    syllables = _syllables(counts, language)
    score = max(0, min(100, round(_score(words / sentences, syllables / words, language))))
    long = [
        Offender(paragraph.node, f"has {len(paragraph.text)} characters")
        for paragraph in document.paragraphs
        if len(paragraph.text) > LONG_PARAGRAPH
    ]
    details = (
        Detail(code="reading_ease", actual=score, limit=HARD),
        Detail(code="words_per_sentence", actual=round(words / sentences, 1)),
        Detail(code="syllables_per_word", actual=round(syllables / words, 2)),
    )
    state = "hard" if score < HARD else "long_paragraphs" if long else "readable"
    return Outcome(
        state,
        value=score,
        evidence=evidence_of(document, long),
        total=len(long),
        details=details,
        message=f"The Flesch reading ease is {score} of 100.",
    )


def _score(sentence: float, word: float, language: str) -> float:
    """Flesch 1948 for English, Amstad 1978 for German, by words per sentence and syllables per word."""
    return 206.835 - 1.015 * sentence - 84.6 * word if language == "en" else 180 - sentence - 58.5 * word


def _syllables(counts: Mapping[str, int], language: str) -> int:
    """Syllables of all words together, by their groups of vowels."""
    total = 0
    for (word, count), number in zip(counts.items(), _vowel_groups("\n".join(counts), language), strict=True):
        # The e at the end of an English word is silent, but for "table" and "the".
        if number > 1 and language == "en" and word[-1] == "e" and word[-2:] not in _VOICED_ENDINGS:
            total += (number - 1) * count
        else:
            total += (number or 1) * count
    return total


def _vowel_groups(lines: str, language: str) -> list[int]:
    """Count the groups of vowels of each line; one pass over all lines takes a third of the time of one for each."""
    if language == "en":
        marked = lines.encode("latin-1", "replace").translate(_ENGLISH_VOWELS)
        return [len(line.split()) for line in marked.split(b"\n")]
    return [line.count("*") for line in _GERMAN_VOWELS.sub("*", lines).split("\n")]
