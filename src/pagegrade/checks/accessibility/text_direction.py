from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, NotApplicable, Outcome, Severity
from pagegrade.parse.text_language import right_to_left_ratio

MIN_RATIO: Final = 0.5
"""Share of letters from right to left from which on the text is meant to run that way."""
FOREIGN_RATIO: Final = 0.02
"""The share below which hardly a word is."""
MIN_WORDS: Final = 20


@check(
    id="text-direction",
    title="Text direction",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("declared", "The page declares that its text is written from right to left."),
        State(
            "contrary",
            "The page declares text from right to left, but its text is written from left to right.",
            loss=1.0,
            title="Direction of the text is declared the wrong way round",
            why="Lines begin at the wrong side, and punctuation, lists and tables come out in the wrong order.",
            fix='Remove `dir="rtl"` from the `<html>` element, or declare `dir="ltr"` on the parts that are meant.',
        ),
        State(
            "missing",
            "The text is written from right to left, and the page does not declare it.",
            loss=1.0,
            title="Direction of the text is not declared",
            why=(
                "Without `dir`, the base direction is left to right: full stops, numbers, lists and tables come out "
                "in the wrong order, and in reading modes also where a stylesheet sets the direction."
            ),
            fix='Declare the direction on the `<html>` element:\n\n```html\n<html lang="ar" dir="rtl">\n```',
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/dom.html#the-dir-attribute",
        "https://www.w3.org/International/questions/qa-html-dir",
        "https://www.w3.org/WAI/WCAG22/Understanding/meaningful-sequence.html",
    ),
)
def text_direction(document: Document, accessibility: Accessibility) -> Verdict:
    """Text in Arabic, Hebrew and their relatives needs `dir="rtl"`, because browsers do not conclude it from `lang`.

    ## What it checks

    Which letters the main text consists of, on pages with twenty words or more. Where half of them or more are written
    from right to left, some element has to say `dir="rtl"` or `dir="auto"`. Where hardly any are (less than two in a
    hundred), the `<html>` element must not say `rtl`, unless a part of the page declares `ltr`. The direction that
    stylesheets set is no substitute: HTML asks for the attribute, because style sheets may be missing.

    ## Fails on

    ```html
    <!doctype html>
    <html lang="he">
    <title>גינה</title>
    <!-- the next line 10 times -->
    <p>אנחנו משקים את הגינה בכל בוקר.
    ```

    ## Passes on

    ```html
    <!doctype html>
    <html lang="he" dir="rtl">
    <title>גינה</title>
    <!-- the next line 10 times -->
    <p>אנחנו משקים את הגינה בכל בוקר.
    ```
    """
    if document.main_word_count < MIN_WORDS:
        return NotApplicable("The page has too few words for a direction of its text.")
    ratio = right_to_left_ratio(document.main_text)
    root = document.html
    declares_root = root is not None and root.attrs.get("dir", "").strip().lower() == "rtl"
    if ratio >= MIN_RATIO:
        state = "declared" if accessibility.directions & {"rtl", "auto"} else "missing"
    elif declares_root and ratio < FOREIGN_RATIO and "ltr" not in accessibility.directions:
        state = "contrary"
    else:
        return NotApplicable("The text is written from left to right.")
    return Outcome(
        state,
        value=root.attrs.get("dir", "")[:200] if root is not None else "",
        evidence=() if root is None or state == "declared" else (document.evidence(root),),
        details=(Detail(code="right_to_left_percent", actual=round(ratio * 100)),),
    )
