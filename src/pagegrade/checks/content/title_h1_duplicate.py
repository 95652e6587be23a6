from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="title-h1-duplicate",
    title="Title and main heading",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("different", "Title and main heading differ."),
        State("same", "Title and main heading are the same."),
    ),
    sources=("https://developers.google.com/search/docs/appearance/title-link",),
)
def title_h1_duplicate(document: Document) -> Verdict:
    """The title and the main heading can complement each other.

    ## What it checks

    Whether a main heading of the page is the same text as its title, ignoring case. It is informative and costs
    nothing: no search engine objects to it.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden chairs</title>
    <h1>Garden Chairs</h1>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden chairs of teak | Shop</title>
    <h1>Garden chairs</h1>
    ```
    """
    title = next((title.text for title in document.titles if title.text), "")
    headings = [heading for heading in document.headings if heading.level == 1 and heading.text and not heading.hidden]
    if not title:
        return NotApplicable("The page has no title.")
    if not headings:
        return NotApplicable("The page has no main heading.")
    folded = title.casefold()
    for heading in headings:
        if heading.text.casefold() == folded:
            return Outcome("same", value=title[:200], evidence=(document.evidence(heading),))
    holds = any(heading.text.casefold() in folded for heading in headings)
    return Outcome(
        "different",
        value=title[:200],
        message="The title contains the main heading and adds to it." if holds else "",
    )
