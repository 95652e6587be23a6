from typing import Final

from pagegrade.checks._check import NEEDS_RENDERING, State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, NotApplicable, Outcome, Severity

GOOD: Final = 0.10


@check(
    id="text-html-ratio",
    title="Text to HTML ratio",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("common", "A tenth or more of the HTML is visible text."),
        State("low", "Less than a tenth of the HTML is visible text."),
    ),
    sources=("https://html.spec.whatwg.org/multipage/dom.html#content-models",),
)
def text_html_ratio(document: Document) -> Verdict:
    """Shows how much of the HTML is text that visitors read.

    ## What it checks

    The bytes of visible text divided by the bytes of the HTML. It is informative and costs nothing: search engines do
    not use it, and two of three real pages lie below the customary 10 %.

    ## Fails on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <!-- the next line 20 times -->
    <div class="very-long-class-name another-class"><span class="icon icon-chair icon-large"></span></div>
    <p>Chairs.
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <p>Chairs and tables for gardens and balconies, made of teak, oak and steel, with covers for the winter.
    ```
    """
    if document.client_rendered:
        return NEEDS_RENDERING
    if document.bytes == 0:
        return NotApplicable("The answer has no body.")
    text_bytes = len(document.text.encode("utf-8", "replace"))
    ratio = min(1.0, text_bytes / document.bytes)
    return Outcome(
        "common" if ratio >= GOOD else "low",
        value=f"{ratio:.1%}",
        details=(
            Detail(code="text_ratio", actual=round(ratio, 4), limit=GOOD),
            Detail(code="text_bytes", actual=text_bytes),
            Detail(code="html_bytes", actual=document.bytes),
        ),
    )
