from itertools import islice

from pagegrade.checks._check import NEEDS_RENDERING, State, Verdict, check
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.document import Document, Heading
from pagegrade.model.outcome import Detail, Outcome, Severity


@check(
    id="h1",
    title="Main heading (h1)",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("ok", "The page has one main heading."),
        State(
            "scripted",
            "Only scripts add a main heading.",
            loss=0.25,
            title="Main heading is added by scripts",
            why="Programs that run no scripts, many AI services among them, read a page without a main heading.",
            fix="Send the `<h1>` in the HTML: render the page on the server, or when the site is built.",
        ),
        State(
            "several",
            "The page has several main headings.",
            loss=0.5,
            title="Several main headings",
            why=(
                "People who navigate by headings do not know which one names the subject of the page. Often the "
                "second one is the logo."
            ),
            fix=(
                "Keep one `<h1>` for the subject of the page. Use `<h2>` to `<h6>` for its sections, and no "
                "heading for the logo."
            ),
        ),
        State(
            "first_empty",
            "The first main heading is empty.",
            loss=0.5,
            title="First main heading is empty",
            why="Screen readers announce an empty heading before the real one.",
            fix="Remove the empty `<h1>`. If it holds an image, give the image an alternative text instead.",
        ),
        State(
            "empty",
            "The main heading is empty.",
            loss=1.0,
            title="Main heading is empty",
            why=(
                "Screen readers announce a heading without text, and search engines do not learn the subject of "
                "the page."
            ),
            fix=(
                "Write the subject of the page into the `<h1>`. If it holds an image, give the image an "
                "alternative text."
            ),
        ),
        State(
            "missing",
            "The page has no main heading.",
            loss=1.0,
            title="Add a main heading (h1)",
            why=(
                "Screen reader users navigate by headings and find no starting point, and search engines lack a "
                "statement of the subject."
            ),
            fix="Add one `<h1>` that names the subject of the page, and use `<h2>` to `<h6>` for its sections.",
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/sections.html#the-h1,-h2,-h3,-h4,-h5,-and-h6-elements",
        "https://www.w3.org/WAI/WCAG22/Techniques/html/H42",
        "https://www.w3.org/WAI/WCAG22/Understanding/headings-and-labels.html",
    ),
)
def h1(document: Document, drawn_document: Document | NotGathered) -> Verdict:
    """The main heading names the subject of the page.

    ## What it checks

    That the page has exactly one `<h1>` (or another heading with `aria-level="1"`) with text in it. An image inside
    counts by its alternative text. A heading that is visually hidden for screen readers counts. One that is not
    rendered (`hidden`, `display: none`) does not, and one with `aria-hidden` counts only when there is no other.
    Warnings: several main headings, which search engines accept but which blur the outline, and an empty one before the
    real one (behind it, it does not matter here). It does not matter whether the heading equals the title. A page that
    is served without a heading gets a warning if scripts add one in a browser; without a browser, a page that scripts
    render is not evaluated. About two in five well-known pages get a warning
    or worse, most of them for a second main heading around the logo: people who navigate by headings then find the name
    of the site instead of the subject of the page. Several headings cost half, a missing one costs everything.

    ## Fails on

    ```html
    <!doctype html>
    <title>Red running shoes</title>
    <h2>Sizes</h2>
    <h2>Prices</h2>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Red running shoes</title>
    <h1>Red running shoes</h1>
    <h2>Sizes</h2>
    <h2>Prices</h2>
    ```
    """
    shown = _main_headings(document)
    filled = [heading for heading in shown if heading.text]
    details = (Detail(code="main_headings", actual=len(shown), limit=1),)
    if not filled:
        if isinstance(drawn_document, Document):
            added = [heading for heading in _main_headings(drawn_document) if heading.text]
            if added:
                return Outcome(
                    "scripted",
                    value=added[0].text[:512],
                    evidence=(drawn_document.evidence(added[0], reason=added[0].text[:200]),),
                )
        elif document.client_rendered:
            return NEEDS_RENDERING
        if not shown:
            return Outcome("missing", details=details)
    if len(filled) == 1 and shown[0].text:
        # An empty one behind it is the business of the check for empty headings.
        return Outcome("ok", value=filled[0].text[:512])
    if not filled:
        state = "empty"
    elif not shown[0].text:
        state = "first_empty"
    else:
        state = "several"
    further = "several" if state == "first_empty" and len(filled) > 1 else ""
    return Outcome(
        state,
        value=len(shown),
        evidence=tuple(
            document.evidence(heading, reason=heading.text[:200], state=further if heading.text else "")
            for heading in islice(shown, 100)
        ),
        total=len(shown),
        details=details,
        message=f"The page has {len(shown)} main headings." if state == "several" else "",
    )


def _main_headings(document: Document) -> list[Heading]:
    """Return the main headings that people or screen readers meet.

    Of what is switched off only ``aria-hidden`` leaves text, which people see: better than no heading.
    """
    headings = [heading for heading in document.headings if _is_main(heading)]
    return [heading for heading in headings if not heading.hidden] or [one for one in headings if one.text]


def _is_main(heading: Heading) -> bool:
    """An ``aria-level`` counts before the name of the element."""
    written = heading.attrs.get("aria-level", "").strip()
    return written == "1" if written.isdecimal() and written.strip("0") else heading.level == 1
