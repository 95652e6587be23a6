from typing import Final
from urllib.parse import unquote

from pagegrade.checks._check import NEEDS_RENDERING, State, check
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Anchor, Document, Node
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome, Severity

_PARAGRAPH: Final = 80
"""Characters of a paragraph that is content, not the motto in a banner."""


@check(
    id="bypass",
    title="Bypass blocks",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("there", "Users can skip content that is repeated on every page."),
        State(
            "missing",
            "Users cannot skip content that is repeated on every page.",
            1.0,
            title="Add a way to skip repeated content",
            why="Keyboard users have to go through what comes before the content, often a menu, on every page.",
            fix=(
                "Mark the content with `<main>` or give it a heading. A skip link as the first element of the page "
                "also helps people who use only the keyboard:\n\n"
                "```html\n"
                '<a href="#content">Skip to content</a>\n'
                "...\n"
                '<main id="content">\n'
                "```"
            ),
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/bypass-blocks.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/cf77f2/",
        "https://www.w3.org/WAI/WCAG22/Techniques/general/G1",
    ),
)
def bypass(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable | NotRun:
    """Keyboard and screen reader users need a way to skip menus and banners.

    ## What it checks

    A page with links needs one of these: a link to a place inside the page that exists, a `<main>` (or `role="main"`),
    or a heading with text, none of them hidden. The words of the link do not matter. A `<main>` with another role is
    none. A `main` or a heading inside a frame does not help outside of it.

    Not evaluated are pages rendered by scripts, pages with a button that runs a script or expands something, because it
    may be such a way, and pages that begin with a paragraph of text before the first link, because there is nothing to
    skip.

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
        return NotApplicable("The page has no links to skip.")
    if accessibility.mains or any(heading.text and not heading.hidden for heading in document.headings):
        return Outcome("there")
    names = {anchor.attrs["name"] for anchor in document.anchors if "name" in anchor.attrs}
    if any(_leads_inside(document, anchor, names) for anchor in links):
        return Outcome("there")
    if document.client_rendered:
        return NEEDS_RENDERING
    if _begins_with_text(document, links[0]):
        return NotApplicable("The text begins before the first link, so there is nothing to skip.")
    if _has_scripted_way(document, links):
        return NotApplicable("A button runs a script or opens a part of the page, which may be a way to skip content.")
    return Outcome("missing", value=0)


def _leads_inside(document: Document, anchor: Anchor, names: set[str]) -> bool:
    href = (anchor.href or "").strip()
    if href[:1] != "#":
        return False
    # Browsers look for the fragment as it is written first, and then without its escapes.
    for name in (href[1:], unquote(href[1:])):
        target = document.ids.get(name)
        if name in names if target is None else not target.hidden:
            return True
    return False


def _begins_with_text(document: Document, first: Anchor) -> bool:
    """Return whether a whole paragraph stands before the first link."""
    if not document.paragraphs or len(document.paragraphs[0].text) < _PARAGRAPH:
        return False
    start, end = _place(document.paragraphs[0].node), _place(first.node)
    return start is not None and end is not None and start < end


def _has_scripted_way(document: Document, links: list[Anchor]) -> bool:
    buttons = [named.attrs for named in document.named if named.role == "button" and not named.hidden]
    if any("onclick" in attrs or "aria-expanded" in attrs or "aria-controls" in attrs for attrs in buttons):
        return True
    return any("onclick" in link.attrs and (link.href or "").strip()[:1] in {"", "#"} for link in links)


def _place(node: Node) -> tuple[int, int] | None:
    line, column = node.source_line, node.source_col
    return None if line is None or column is None else (line, column)
