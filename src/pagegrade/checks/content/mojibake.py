import re
from typing import Final

from msgspec.structs import replace

from pagegrade.checks._check import Cap, State, Verdict, check, meter_loss
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Severity
from pagegrade.parse.html.garbled_text import find_garbled_text

_ABOUT: Final = re.compile(
    r"mojibake|encoding|codepage|code page|charset|character set|unicode|utf-?8|iso-?8859|latin-?1|windows-?125"
    r"|\bx?html\b|\bxml\b|markup|\bentit|\bsvg\b|kodierung|zeichensatz|encodage|codificaci|codifica|кодировк",
    re.IGNORECASE,
)


MUCH: Final = 0.02
"""Share of the visible text in garbled words from which on it is more than single places."""
FULL_AT: Final = 0.15
"""The same at which it costs what a page costs that can just be read."""
UNREADABLE: Final = 0.3
"""The same from which on the page cannot be read."""
MIN_CHARS: Final = 30
"""Characters of garbled words; fewer are single places, however short the page is."""
_TITLE: Final = "Text in the wrong encoding (mojibake)"
_WHY: Final = "Visitors and search engines read wrong characters in place of letters, quotation marks and dashes."
_FIX: Final = (
    "Look for the step that reads UTF-8 as another encoding: the database connection, an import, or a file. "
    "Correct the stored text as well, since a new declaration does not repair it. Where the text shows tags or "
    "references such as `&#233;`, look for the step that escapes it a second time."
)


@check(
    id="mojibake",
    title="Mojibake",
    severity=Severity.CRITICAL,
    since="0.1.0",
    visible_only=True,
    states=(
        State("none", "The text shows no sign of a wrong encoding."),
        State(
            "some",
            "The page shows text that was decoded with the wrong encoding.",
            loss=0.04,
            loss_max=0.12,
            title=_TITLE,
            why=_WHY,
            fix=_FIX,
            counted=True,
        ),
        State(
            "widespread",
            "Much of the text was decoded with the wrong encoding.",
            loss=0.2,
            loss_max=0.6,
            title=_TITLE,
            why=_WHY,
            fix=_FIX,
            counted=True,
        ),
        State(
            "unreadable",
            "The text cannot be read: its characters are not those that were meant, or not in their order.",
            loss=1.0,
            title="Text that cannot be read",
            why="Visitors cannot read the text, screen readers speak nonsense, and searches do not find its words.",
            fix=(
                "Look for the step that changes the characters of the text on its way from the author: the database "
                "connection, an import, a program that encodes, compresses or reverses it, or a font that a script "
                "against copying needs. Correct the stored text as well."
            ),
            counted=True,
        ),
    ),
    cap=(Cap(49, states=("unreadable",)), Cap(79, states=("widespread", "unreadable"))),
    sources=(
        "https://www.w3.org/International/questions/qa-what-is-encoding",
        "https://encoding.spec.whatwg.org/#legacy-single-byte-encodings",
    ),
)
def mojibake(document: Document) -> Verdict:
    """Text that was decoded wrongly, or is still encoded, shows other characters in place of the right ones.

    ## What it checks

    The title, the description and the visible text. Text that becomes valid UTF-8 when it is written in another
    encoding again was misread: all encodings of one byte and the most frequent ones for Chinese, Japanese and Korean
    are tried, whatever the language. Single places are found where UTF-8 was read as Windows-1252, once or twice (such
    as `Ã¤` in place of `ä`, or `â€™` in place of an apostrophe), where replacement characters stand inside words or in
    a row, and where question marks alone are left of one word in ten, one in ten holds a tag or a character reference
    that was escaped twice, or a tenth of the text is still in the form in which it travels in JSON, in a mail
    (`=C3=A9`) or in an address (`%C3%A9`), or text is shown in Base64, or a text in a language of another script
    consists of Latin letters with signs inside the words, as it was typed for fonts that draw other letters for them.
    The same goes for text that no one reads as it stands: one word in ten has letters of another alphabet, or
    characters that only a certain font has, in its middle (formulas and icons are left out), or heaps of marks on its
    letters; half of the text stands in runs of 26 letters and more, because its blanks are gone; words begin with what
    ends one (capitals at the end, the final letters of Hebrew, Greek or Arabic at the beginning); or paragraphs in
    Latin letters have hardly a vowel, because letters were exchanged for others. Code, quotations and form fields are
    left out, and so are pages whose title or main heading is about encodings. Characters that occur by themselves, as
    in words in capitals, are fine.

    What it costs grows with the share of the text that stands in such words: single places cost 1 to 3 points, more
    than 2 % of the text up to 15, which 15 % cost, and such a page scores 79 at most; one of which 30 % cannot be read
    scores 49 at most.

    ## Fails on

    ```html
    <!doctype html>
    <meta charset="utf-8">
    <title>Garden furniture</title>
    <p>Our tables donâ€™t need care. GrÃ¼ÃŸe aus MÃ¼nchen!
    ```

    ## Passes on

    ```html
    <!doctype html>
    <meta charset="utf-8">
    <title>Garden furniture</title>
    <p>Our tables don’t need care. Grüße aus München!
    ```
    """
    found = find_garbled_text(document)
    if found.places and _is_about_encodings(document):
        return NotApplicable("The page is about character encodings.")
    offenders = [
        Offender(node, f"probably {one.meant}" if one.meant else "characters are lost", one.context)
        for node, one in found.places
    ]
    share = found.share
    state = "some"
    if share >= MUCH and share * len(document.text) >= MIN_CHARS:
        state = "unreadable" if share >= UNREADABLE else "widespread"
    verdict = counted(
        document,
        offenders,
        "none",
        state,
        "The page shows text in the wrong encoding in one place.",
        "The page shows text in the wrong encoding in {count} places.",
        low=0.04,
        high=0.12,
    )
    if verdict.state in {"none", "some"}:
        return verdict
    loss = 1.0 if state == "unreadable" else meter_loss(share, 0.0, FULL_AT) * 0.6
    return replace(
        verdict,
        loss=max(0.2, loss),
        message=f"{share:.0%} of the visible text cannot be read, or is in the wrong encoding.",
    )


def _is_about_encodings(document: Document) -> bool:
    texts = [title.text for title in document.titles]
    texts += [heading.text for heading in document.headings if heading.level == 1]
    return any(_ABOUT.search(text[:1_000]) for text in texts)
