import re
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Severity
from pagegrade.parse.html.garbled_text import find_garbled_text

_ABOUT: Final = re.compile(
    r"mojibake|encoding|codepage|code page|charset|character set|unicode|utf-?8|iso-?8859|latin-?1|windows-?125"
    r"|kodierung|zeichensatz|encodage|codificaci|codifica|кодировк",
    re.IGNORECASE,
)


@check(
    id="mojibake",
    title="Mojibake",
    severity=Severity.LOW,
    since="0.1.0",
    visible_only=True,
    states=(
        State("none", "The text shows no sign of a wrong encoding."),
        State(
            "some",
            "The page shows text that was decoded with the wrong encoding.",
            loss=0.5,
            loss_max=1.0,
            title="Text in the wrong encoding (mojibake)",
            why="Visitors and search engines read wrong characters in place of letters, quotation marks and dashes.",
            fix=(
                "Look for the step that reads UTF-8 as Windows-1252: the database connection, an import, or a file. "
                "Correct the stored text as well, since a new declaration does not repair it."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/International/questions/qa-what-is-encoding",
        "https://encoding.spec.whatwg.org/#windows-1252",
    ),
)
def mojibake(document: Document) -> Verdict:
    """Text that was decoded with the wrong encoding shows other characters in place of the right ones.

    ## What it checks

    The title, the description and the visible text for pairs of characters that come from UTF-8 read as Windows-1252,
    once or twice (such as `Ã¤` in place of `ä`, or `â€™` in place of an apostrophe), and for replacement characters
    inside words or in a row. Code, quotations and form fields are left out, and so are pages whose title or main
    heading is about encodings. Characters that occur by themselves, as in words in capitals, are fine.

    ## Why it matters

    The page looks broken, and words with such characters in them are not found by a search.

    ## How to fix

    Look for the step that reads UTF-8 as Windows-1252, often the connection to the database or an import. Correct the
    stored text as well.

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
    if found and _is_about_encodings(document):
        return NotApplicable("The page is about character encodings.")
    offenders = [
        Offender(node, f"probably {one.meant}" if one.meant else "characters are lost", one.context)
        for node, one in found
    ]
    return counted(
        document,
        offenders,
        "none",
        "some",
        "The page shows text in the wrong encoding in one place.",
        "The page shows text in the wrong encoding in {count} places.",
    )


def _is_about_encodings(document: Document) -> bool:
    texts = [title.text for title in document.titles]
    texts += [heading.text for heading in document.headings if heading.level == 1]
    return any(_ABOUT.search(text[:1_000]) for text in texts)
