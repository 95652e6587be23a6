from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document, Heading
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="heading-order",
    title="Heading order",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("ordered", "No heading level is skipped."),
        State(
            "skipping",
            "Headings skip a level.",
            0.25,
            title="Headings that skip a level",
            why=(
                "Screen reader users navigate from heading to heading. Where a level is missing, they look for "
                "a section that does not exist."
            ),
            fix=(
                "Choose the level by the place in the outline, for example `<h3>` after `<h2>`, and the size "
                "with a stylesheet."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/tutorials/page-structure/headings/",
        "https://www.w3.org/WAI/WCAG22/Techniques/html/H42",
        "https://www.w3.org/WAI/WCAG22/Understanding/info-and-relationships.html",
    ),
)
def heading_order(document: Document) -> Outcome | NotApplicable:
    """Headings are the outline of a page: each level belongs under the one above it.

    ## What it checks

    The headings that are not hidden, in the order of the page. It costs a quarter when a heading is more than one level
    below the one before it, such as an `h4` right after an `h2`. Going back up by any number of levels is fine, and a
    page may begin with any level. An `aria-level` counts before the name of the element. Headings in closed details
    count, because a click shows them; which heading comes first and how many `h1` there are is evaluated by `h1`.

    More than half of all pages skip a level somewhere, no standard forbids it, and many do little harm. So it never
    costs more, however many there are.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <h1>Shop</h1><h3>Bicycles</h3>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <h1>Shop</h1><h2>Bicycles</h2>
    ```
    """
    headings = [heading for heading in document.headings if not heading.hidden]
    if not headings:
        return NotApplicable("The page has no headings.")
    found = []
    before = _level(headings[0])
    for heading in headings[1:]:
        level = _level(heading)
        if level > before + 1:
            found.append(Offender(heading.node, f"level {level} after level {before}", heading.text))
        before = level
    return counted(
        document,
        found,
        "ordered",
        "skipping",
        "One heading skips a level.",
        "{count} headings skip a level.",
        low=0.25,
        high=0.25,
    )


def _level(heading: Heading) -> int:
    written = heading.attrs.get("aria-level", "").strip()
    if written.isascii() and written.isdecimal() and len(written) < 4 and int(written) > 0:
        return int(written)
    return heading.level
