from collections.abc import Iterator
from itertools import islice
from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.document import Document
from pagegrade.model.markup import Markup
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, Outcome, Severity

_SERIOUS: Final = {
    "duplicate-attribute": "an attribute is repeated; browsers ignore all but the first",
    "eof-in-tag": "the page ends inside a tag, which is lost; a quote is probably not closed",
    "eof-in-comment": "the page ends inside a comment; what follows its beginning is lost",
    "eof-in-script-html-comment-like-text": "the page ends inside a script",
    "end-tag-with-attributes": "an end tag has attributes, which are lost",
    "unexpected-character-in-attribute-name": "a quote or bracket stands in the name of an attribute",
    "invalid-first-character-of-tag-name": "a bracket opens something that is no tag and becomes text or a comment",
}
"""Codes after which the page is not what its author wrote.

Source: https://html.spec.whatwg.org/multipage/parsing.html#parse-errors
"""
_MAX_CODES: Final = 20


@check(
    id="html-parse-errors",
    title="Mistakes in the markup",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("clean", "Tags, attributes and comments are written as they must be."),
        State("harmless", "Browsers pass over small mistakes in how tags are written."),
        State("serious", "Browsers repair mistakes in the markup in a way that changes the page."),
    ),
    sources=("https://html.spec.whatwg.org/multipage/parsing.html#parse-errors",),
)
def html_parse_errors(document: Document, markup: Markup) -> Outcome:
    """Browsers repair mistakes in HTML, and the result is not always what was meant.

    ## What it checks

    The mistakes for which the HTML standard has a name, such as a repeated attribute or a comment that is not closed,
    and an element in the head that may not stand there and ends it early. Mistakes in the nesting of elements have no
    names and are not counted. Listed are those that change the page; the others only with their number. Mistakes are
    common and mostly harmless, so the check is informative and costs nothing.

    ## Why it matters

    A repeated attribute is ignored, an open quote swallows the text up to the next one, and a stray element in the
    head moves everything after it into the body, where search engines do not look for it.

    ## How to fix

    Correct the lines in the list. They are usually written by a template, so one change mends many pages.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <p class="intro" class="wide">Chairs and tables.</p>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <p class="intro wide">Chairs and tables.</p>
    ```
    """
    total = sum(markup.fault_counts.values())
    serious = sum(count for code, count in markup.fault_counts.items() if code in _SERIOUS)
    stray = document.head_closed_by
    if stray is not None:
        total, serious = total + 1, serious + 1
    details = tuple(Detail(code=code, actual=count) for code, count in sorted(markup.fault_counts.items())[:_MAX_CODES])
    state = "serious" if serious else "harmless" if total else "clean"
    evidence = tuple(islice(_evidence(markup, stray), MAX_EVIDENCE))
    return Outcome(state, value=total, evidence=evidence, total=serious, details=details)


def _evidence(markup: Markup, stray: str | None) -> Iterator[Evidence]:
    if stray is not None:
        yield Evidence(value=stray[:50], reason="the head ends at this element, which may not stand in it")
    for fault in markup.faults:
        if fault.code in _SERIOUS:
            yield Evidence(line=fault.line, column=fault.column + 1, value=fault.code, reason=_SERIOUS[fault.code])
