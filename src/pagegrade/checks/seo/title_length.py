from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, NotApplicable, Outcome, Severity
from pagegrade.parse.text_width import column_count, grapheme_count, text_width_px

MIN_COLUMNS: Final = 10
MAX_CHARACTERS: Final = 70
MAX_WIDTH_PX: Final = 600
FAR_TOO_SHORT: Final = 3
FAR_TOO_LONG: Final = 120


@check(
    id="title-length",
    title="Title length",
    severity=Severity.LOW,
    cause="title",
    since="0.1.0",
    states=(
        State("ok", "The title fits into a line of search results."),
        State(
            "short",
            "The title is short.",
            loss=0.5,
            title="Title is short",
            why="So few characters rarely distinguish the page from others in search results.",
            fix="Write a title of 10 to 70 characters that names the subject of the page and the site.",
        ),
        State(
            "long",
            "The title is longer than search results show.",
            loss=0.5,
            title="Title is too long for search results",
            why="Search results cut the title, so its end is not read.",
            fix="Shorten it to one line (about 60 Latin or 30 Chinese letters), with the important words first.",
        ),
        State(
            "far_too_short",
            "The title has fewer than 3 characters.",
            loss=1.0,
            title="Title has fewer than 3 characters",
            why="One or two characters cannot describe the page to readers of search results.",
            fix="Name the subject of the page and the site, in 10 to 70 characters.",
        ),
        State(
            "far_too_long",
            "The title has more than 120 characters.",
            loss=1.0,
            title="Title has more than 120 characters",
            why="Search results show about half of it, and search engines may replace it with a heading of the page.",
            fix="Keep the subject of the page and the site name, and drop lists of keywords.",
        ),
    ),
    sources=("https://developers.google.com/search/docs/appearance/title-link",),
)
def title_length(document: Document) -> Verdict:
    """Search results show about one line of a title and cut the rest.

    ## What it checks

    That the title has 10 to 70 characters and is at most 600 pixels wide in 20 px Arial, about the width of a result on
    a desktop. Characters are counted as people count them: an emoji or an accented letter is one. For "too short", wide
    characters (Chinese, Japanese, Korean) count as two, because they say more each. Outside of this it is a warning;
    above 120 or below 3 characters it fails.

    No search engine names a limit: Google cuts a title to the width of the device. Half of all good pages have more
    than 60 characters, so the limits are wide and cost little. Even so more than half of well-known pages get a
    warning, because their titles end in a long site name, and only that name is cut off, so the severity is low.

    ## Fails on

    ```html
    <!doctype html>
    <title>Red, blue, green, yellow, white and black running shoes, sandals and boots for women and men</title>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Red running shoes - Example Shop</title>
    ```
    """
    text = document.titles[0].text if document.titles else ""
    if not text:
        return NotApplicable("The page has no title.")
    characters = grapheme_count(text)
    columns = column_count(text)
    width_px = round(text_width_px(text))
    details = (
        Detail(code="characters", actual=characters, limit=MAX_CHARACTERS),
        Detail(code="width_px", actual=width_px, limit=MAX_WIDTH_PX),
    )
    if columns < FAR_TOO_SHORT:
        state = "far_too_short"
    elif characters > FAR_TOO_LONG:
        state = "far_too_long"
    elif columns < MIN_COLUMNS:
        state = "short"
    elif characters > MAX_CHARACTERS or width_px > MAX_WIDTH_PX:
        state = "long"
    else:
        return Outcome("ok", value=characters, details=details)
    return Outcome(
        state,
        value=characters,
        evidence=(document.evidence(document.titles[0]),),
        details=details,
        message=f"The title has only {amount(characters, 'character')}; use 10 to 70."
        if state in {"short", "far_too_short"}
        else f"The title has {characters} characters and is about {width_px:,} pixels wide; results show about 600.",
    )
