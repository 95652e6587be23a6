from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.page_links import has_section, section_of


@check(
    id="skip-link-target",
    title="Skip link target",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("found", "The targets of skip links exist."),
        State(
            "lost",
            "A skip link has no target.",
            title="Skip links without a target",
            why="Keyboard users activate the link and stay where they are, unless a script creates the target.",
            fix='Give the main part of the page the `id` that the link refers to: `<main id="content">`.',
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/bypass-blocks.html",
        "https://www.w3.org/WAI/WCAG22/Techniques/general/G1",
        "https://html.spec.whatwg.org/multipage/browsing-the-web.html#scrolling-to-a-fragment",
    ),
)
def skip_link_target(document: Document) -> Outcome | NotApplicable:
    """A skip link is the first link of a page and leads past the menu; its target must exist.

    ## What it checks

    The links to a place inside the page that come before any other link. Each needs an element with that `id` (or an
    anchor with that `name`). Case matters, as in browsers. `#` and `#top` always lead to the top. Links that a role
    makes into a button and URLs that scripts read (`#!` and `#/`) are left out. The position of such a link on the
    screen is not known, so its text and appearance do not matter, and scripts may add the target later. It is
    informative and costs nothing.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <a href="#content">Skip to content</a><main id="main">Welcome</main>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <a href="#content">Skip to content</a><main id="content">Welcome</main>
    ```
    """
    skips = []
    for anchor in document.anchors:
        href = (anchor.href or "").strip()
        if anchor.href is None or anchor.hidden or href == "#" or href[:2] in {"#!", "#/"} or "role" in anchor.attrs:
            continue
        if href[:1] != "#":
            break
        skips.append((anchor, section_of(href)))
    if not skips:
        return NotApplicable("The page has no skip link.")
    names = {*document.ids, *(anchor.attrs["name"] for anchor in document.anchors if "name" in anchor.attrs)}
    found = [
        Offender(anchor.node, "no element has this id", target[:200])
        for anchor, target in skips
        if target and not has_section(target, names)
    ]
    return counted(
        document,
        found,
        "found",
        "lost",
        "One skip link has no target.",
        "{count} skip links have no target.",
        low=0,
        high=0,
    )
