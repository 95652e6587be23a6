import re
from collections import Counter
from typing import Final

from pagegrade.checks._check import Cap, State, Verdict, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document, Paragraph
from pagegrade.model.outcome import Evidence, NotApplicable, Outcome, Severity

MIN_CHARACTERS: Final = 40
"""Shorter ones are labels, such as a name or "Read more"."""
TOO_OFTEN: Final = 3
NOTHING_ELSE: Final = 0.7
"""Share of the main text that repeats sentences from which on the page says nothing else."""
MIN_TEXT: Final = 800
"""Characters of a text that is long enough to be one."""
OFTEN: Final = 30
"""Times a sentence stands in the text before it counts for this."""
MIN_SENTENCE: Final = 20
_MAX_TEXT: Final = 200_000
_SENTENCE: Final = re.compile(r"[^.!?\u3002\uff01\uff1f\u0964\u061f\n]+")


@check(
    id="duplicate-paragraphs",
    title="Repeated paragraphs",
    severity=Severity.HIGH,
    since="0.1.0",
    visible_only=True,
    states=(
        State("unique", "No paragraph appears three times on the page."),
        State(
            "repeated",
            "A paragraph appears three times or more on the page.",
            loss=0.05,
            title="Repeated paragraphs",
            why="Readers skip what they have read, and the repetition is usually a mistake in a template.",
            fix="Show the paragraph once, and look into the template that repeats it.",
            counted=True,
        ),
        State(
            "nothing-else",
            "The page says the same again and again, and hardly anything else.",
            loss=1.0,
            title="The page repeats one text",
            why="Visitors learn nothing after the first sentence, and search engines take such pages for spam.",
            fix="Write what the page is about, or repair the template or import that fills it.",
        ),
    ),
    cap=Cap(49),
    sources=("https://developers.google.com/search/docs/fundamentals/creating-helpful-content",),
)
def duplicate_paragraphs(document: Document) -> Verdict:
    """The same paragraph several times is usually a mistake in a template.

    ## What it checks

    Paragraphs (`<p>`) outside navigation, header and footer with at least 40 characters: whether one occurs three times
    or more. That costs 0.4 points. Where sentences that stand there thirty times or more make up 70 % of a main content
    of at least 800 characters, their first time left out, the page has nothing else to say, and scores 49 at most.

    ## Fails on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <!-- the next line 3 times -->
    <p>This chair is made of teak and lasts for many years in any garden.</p>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <p>This chair is made of teak and lasts for many years in any garden.</p>
    ```
    """
    repeated_most = _most_repeated(document)
    if repeated_most:
        return Outcome(
            "nothing-else", value=repeated_most[1], evidence=(Evidence(value=repeated_most[0][:200]),), total=1
        )
    groups: dict[str, list[Paragraph]] = {}
    for paragraph in document.paragraphs:
        if len(paragraph.text) >= MIN_CHARACTERS:
            groups.setdefault(paragraph.text, []).append(paragraph)
    if not groups:
        return NotApplicable("The page has no paragraphs of at least 40 characters.")
    repeated = [group for group in groups.values() if len(group) >= TOO_OFTEN]
    if not repeated:
        return Outcome("unique", value=0)
    found = [Offender(group[0].node, f"stands {len(group)} times", group[0].text) for group in repeated]
    return Outcome("repeated", value=len(found), evidence=evidence_of(document, found), total=len(found))


def _most_repeated(document: Document) -> tuple[str, int] | None:
    """(sentence, how often it stands there) of a page that says nothing else; ``None`` for any other."""
    text = document.main_text[:_MAX_TEXT]
    if len(text) < MIN_TEXT:
        return None
    sentences = Counter(one.strip() for one in _SENTENCE.findall(text))
    again = {one: number for one, number in sentences.items() if number >= OFTEN and len(one) >= MIN_SENTENCE}
    repeated = sum((number - 1) * (len(one) + 1) for one, number in again.items())
    return max(again.items(), key=lambda one: len(one[0]) * one[1]) if repeated >= NOTHING_ELSE * len(text) else None
