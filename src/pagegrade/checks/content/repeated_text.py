import re
from collections import Counter
from typing import Final

from pagegrade.checks._check import Cap, State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.html.single_elements import fills_item
from pagegrade.parse.text_width import column_count

NOTHING_ELSE: Final = 0.7
"""Share of the main text that repeats sentences from which on the page says nothing else."""
MIN_TEXT: Final = 800
"""Characters of a text that is long enough to be one."""
OFTEN: Final = 30
"""Times a sentence stands in the text before it counts."""
WHOLE: Final = 4
MIN_WHOLE: Final = 8
"""Times a whole text stands there, and sentences of one that is no refrain."""
MIN_SENTENCE: Final = 20
MIN_SAME: Final = 4
"""Paragraphs that say the same, from which on a short page says nothing else."""
MIN_PARTS: Final = 3
"""Headings below the first, from which on the page has parts that should differ."""
MIN_VERSES: Final = 6
"""The same paragraphs of a page without such parts: a round is sung four times."""
MIN_COLUMNS: Final = 48
"""Width of a message; what tells the state of a thing, such as sold out until spring, is shorter."""
MAX_BESIDE: Final = 2
"""Times that items and cells count that say the same, for each of those paragraphs."""
_MAX_TEXT: Final = 200_000
_SENTENCE: Final = re.compile(r"[^.!?\u3002\uff01\uff1f\u0964\u061f\n]+")


@check(
    id="repeated-text",
    title="Repeated text",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("varied", "The main content does not repeat itself."),
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
def repeated_text(document: Document) -> Verdict:
    """A page that repeats one sentence has nothing to say.

    ## What it checks

    Whether four paragraphs or more that all say the same, and do not fill an item or a cell, make up 70 % of the main
    content, as where each part of a page holds the same message of a fault: six of them, or four beside three headings
    below the first, in more words than tell the state of a thing. Items and cells that say it as well count, two for
    each of those paragraphs. From 800 characters on also whether sentences that stand in it thirty times or more, or
    eight and more that stand in it four times or more each, make up 70 % of it, their first time left out. Refrains,
    lists and tables repeat less.

    ## Fails on

    ```html
    <main><h1>Garden chairs</h1>
    <p>Buy the garden chair of teak now. Buy the garden chair of teak now. Buy the garden chair of teak now.</p>
    <p>Buy the garden chair of teak now. Buy the garden chair of teak now. Buy the garden chair of teak now.</p>
    <p>Buy the garden chair of teak now. Buy the garden chair of teak now. Buy the garden chair of teak now.</p>
    <p>Buy the garden chair of teak now. Buy the garden chair of teak now. Buy the garden chair of teak now.</p>
    <p>Buy the garden chair of teak now. Buy the garden chair of teak now. Buy the garden chair of teak now.</p>
    <p>Buy the garden chair of teak now. Buy the garden chair of teak now. Buy the garden chair of teak now.</p>
    <p>Buy the garden chair of teak now. Buy the garden chair of teak now. Buy the garden chair of teak now.</p>
    <p>Buy the garden chair of teak now. Buy the garden chair of teak now. Buy the garden chair of teak now.</p>
    <p>Buy the garden chair of teak now. Buy the garden chair of teak now. Buy the garden chair of teak now.</p>
    <p>Buy the garden chair of teak now. Buy the garden chair of teak now. Buy the garden chair of teak now.</p>
    <p>Buy the garden chair of teak now. Buy the garden chair of teak now. Buy the garden chair of teak now.</p>
    </main>
    ```

    ## Passes on

    ```html
    <main><h1>Garden chairs</h1>
    <p>The chair is made of teak from a forest that is replanted after each harvest.</p>
    <p>Its joints are mortised and pegged, so that no screw can rust in the rain.</p>
    <p>Leave it outside in winter: the wood turns silver, and stays as strong as it was.</p>
    <p>Oil it once a year if you prefer the brown of the first summer.</p>
    <p>The seat is wide enough for a cushion, and high enough to rise from with ease.</p>
    <p>Two people put it together in ten minutes, with the key that comes in the box.</p>
    <p>We take it back within thirty days, whatever the reason, and pay for the way.</p>
    <p>A single chair weighs nine kilograms, and four of them can be stacked.</p>
    <p>The backrest can be set to five angles, the flattest of them for a nap.</p>
    <p>Spare slats and pegs are kept for fifteen years after the last chair was sold.</p>
    <p>The workshop is open to visitors on the first Saturday of each month from nine to noon.</p>
    </main>
    ```
    """
    text = document.main_text[:_MAX_TEXT]
    ((said, number),) = Counter(one.text.strip() for one in document.paragraphs).most_common(1) or (("", 0),)
    if number >= MIN_SAME and column_count(said) >= MIN_COLUMNS and (number >= MIN_VERSES or _has_parts(document)):
        # A list or table may repeat the state of its goods.
        number = sum(one.text.strip() == said and not fills_item(one.node) for one in document.paragraphs)
        same = max(number, min(text.count(said), number * (1 + MAX_BESIDE)))
        if number >= MIN_SAME and same * len(said) >= NOTHING_ELSE * len(text):
            return Outcome("nothing-else", value=same, evidence=(Evidence(value=said[:200]),), total=1)
    if len(text) < MIN_TEXT:
        return NotApplicable("The main content is too short to repeat itself.")
    sentences = Counter(one.strip() for one in _SENTENCE.findall(text))
    long = {one: number for one, number in sentences.items() if number >= WHOLE and len(one) >= MIN_SENTENCE}
    again = long if len(long) >= MIN_WHOLE else {one: number for one, number in long.items() if number >= OFTEN}
    if sum((number - 1) * (len(one) + 1) for one, number in again.items()) < NOTHING_ELSE * len(text):
        return Outcome("varied", value=0)
    worst, number = max(again.items(), key=lambda one: len(one[0]) * one[1])
    return Outcome("nothing-else", value=number, evidence=(Evidence(value=worst[:200]),), total=1)


def _has_parts(document: Document) -> bool:
    return sum(one.level > 1 and not one.hidden for one in document.headings) >= MIN_PARTS
