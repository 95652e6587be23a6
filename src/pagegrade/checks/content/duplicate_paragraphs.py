from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document, Paragraph
from pagegrade.model.outcome import NotApplicable, Outcome, Severity

MIN_CHARACTERS: Final = 40
"""Shorter ones are labels, such as a name or "Read more"."""
TOO_OFTEN: Final = 3


@check(
    id="duplicate-paragraphs",
    title="Repeated paragraphs",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("unique", "No paragraph appears three times on the page."),
        State(
            "repeated",
            "A paragraph appears three times or more on the page.",
            title="Repeated paragraphs",
            why="Readers skip what they have read, and the repetition is usually a mistake in a template.",
            fix="Show the paragraph once, and look into the template that repeats it.",
            counted=True,
        ),
    ),
    sources=("https://developers.google.com/search/docs/fundamentals/creating-helpful-content",),
)
def duplicate_paragraphs(document: Document) -> Verdict:
    """The same paragraph several times is usually a mistake in a template.

    ## What it checks

    Paragraphs (`<p>`) outside navigation, header and footer with at least 40 characters: whether one occurs three times
    or more. It is informative and costs nothing.

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
