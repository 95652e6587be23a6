from pagegrade.checks._check import State, check
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Anchor, Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="bypass",
    title="Ways past the menu",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("there", "Visitors can jump over what is repeated on every page."),
        State("missing", "Visitors cannot jump over what is repeated on every page.", 1.0),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/bypass-blocks.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/cf77f2/",
        "https://www.w3.org/WAI/WCAG22/Techniques/general/G1",
    ),
)
def bypass(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """People who use the keyboard or a screen reader need a way past menus and banners.

    ## What it checks

    A page with links needs one of these: a link to a place inside the page that exists, a `<main>` (or `role="main"`),
    or a heading, none of them hidden. The words of the link do not matter. Pages that scripts draw are not judged.

    ## Why it matters

    Without any, everybody who cannot point with a mouse walks through the whole menu on every page.

    ## How to fix

    Mark the content with `<main>` and give it a heading; add a link to it as the first thing on the page.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/">Home</a> <a href="/cart">Cart</a><p>Welcome</p>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/">Home</a> <a href="/cart">Cart</a><main><h1>Welcome</h1></main>
    ```
    """
    links = [anchor for anchor in document.anchors if anchor.href is not None and not anchor.hidden]
    if not links:
        return NotApplicable("The page has no links to jump over.")
    if accessibility.mains or any(heading.text and not heading.hidden for heading in document.headings):
        return Outcome("there")
    if any(_leads_inside(document, anchor) for anchor in links):
        return Outcome("there")
    if document.client_rendered:
        return NotApplicable("Scripts draw this page; its parts need rendering.")
    return Outcome("missing", value=0)


def _leads_inside(document: Document, anchor: Anchor) -> bool:
    href = (anchor.href or "").strip()
    return href[:1] == "#" and href[1:] in document.ids and not document.ids[href[1:]].hidden
