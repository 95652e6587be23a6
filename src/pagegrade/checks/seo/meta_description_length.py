from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, NotApplicable, Outcome, Severity
from pagegrade.parse.text_width import column_count, text_width_px

MIN_COLUMNS: Final = 70
MAX_COLUMNS: Final = 160
SNIPPET_SIZE_PX: Final = 14.0
"""Font size of the text under a result on Google's desktop page."""


@check(
    id="meta-description-length",
    title="Meta description length",
    severity=Severity.INFO,
    cause="description",
    since="0.1.0",
    states=(
        State("ok", "The meta description has a suitable length."),
        State(
            "short",
            "The meta description is short.",
            loss=0.5,
            title="Lengthen the meta description",
            why="A short description leaves space below the title unused, which could convince people to click.",
            fix="Extend it to 70 to 160 characters with what this page offers.",
        ),
        State(
            "long",
            "The meta description is longer than search results show.",
            loss=0.5,
            title="Shorten the meta description",
            why="Search results cut the text, so its end is not read.",
            fix="Shorten it to 160 characters, or put the most important part first.",
        ),
    ),
    sources=("https://developers.google.com/search/docs/appearance/snippet",),
)
def meta_description_length(document: Document) -> Verdict:
    """Search results show about two lines of a description and cut the rest.

    ## What it checks

    That the meta description has 70 to 160 characters. Wide characters (Chinese, Japanese, Korean) count as two,
    because they fill twice the space. Outside of this it is a warning and never a failure: search engines name no limit
    and cut to the width of the device. The width in pixels is shown and not evaluated.

    ## Fails on

    ```html
    <!doctype html>
    <title>Red running shoes</title>
    <meta name="description" content="Light running shoes in five colors.">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Red running shoes</title>
    <meta name="description" content="Light running shoes in five colors, tested on 500 miles of road, with free
    returns for 60 days.">
    ```
    """
    filled = [meta for meta in document.metas if meta.name == "description" and meta.content.strip()]
    meta = next((meta for meta in filled if meta.in_head), filled[0] if filled else None)
    if meta is None:
        return NotApplicable("The page has no meta description.")
    text = " ".join(meta.content.split())
    columns = column_count(text)
    width_px = round(text_width_px(text, SNIPPET_SIZE_PX))
    details = (
        Detail(code="characters", actual=columns, limit=MIN_COLUMNS if columns < MIN_COLUMNS else MAX_COLUMNS),
        Detail(code="width_px", actual=width_px),
    )
    if MIN_COLUMNS <= columns <= MAX_COLUMNS:
        return Outcome("ok", value=columns, details=details)
    return Outcome(
        "short" if columns < MIN_COLUMNS else "long",
        value=columns,
        evidence=(document.evidence(meta),),
        details=details,
        message=f"The meta description is as wide as {columns} characters; search results show 70 to 160.",
    )
