from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="list-structure",
    title="List structure",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("sound", "Lists contain only items, and items are inside lists."),
        State(
            "broken",
            "Lists contain other elements than items, or items are outside of lists.",
            0.5,
            1.0,
            title="Elements that break the structure of a list",
            why="Screen readers announce a wrong number of items, or do not announce the list.",
            fix=(
                "Put what stands between the items into an `<li>` or outside the list, and items that stand outside "
                "into a `<ul>` or `<ol>`."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/grouping-content.html#the-ul-element",
        "https://html.spec.whatwg.org/multipage/grouping-content.html#the-dl-element",
        "https://www.w3.org/WAI/WCAG22/Understanding/info-and-relationships.html",
    ),
)
def list_structure(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """Screen readers announce the number of items in a list, so it may contain only items.

    ## What it checks

    Elements `<ul>`, `<ol>` and `<dl>` that are not hidden. In the first two, only `<li>`, elements with
    `role="listitem"`, and what shows nothing (scripts, templates, styles) may be children; in the last, terms `<dt>`
    each followed by a description `<dd>`, also in groups of `<div>`. And `<li>`, `<dt>` and `<dd>` must be in a list,
    or directly in a custom element (with a hyphen in its name), which may be one. Lists that a role makes into
    something else, such as a menu, are evaluated by that role. Text between the items counts too. A `<menu>` is not
    evaluated. Hidden elements may be anywhere, and an unknown role changes nothing, as in browsers. The loss grows from
    half (one element) to everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <ul><div><a href="/a">First</a></div><div><a href="/b">Second</a></div></ul>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <ul><li><a href="/a">First</a></li><li><a href="/b">Second</a></li></ul>
    ```
    """
    found = [Offender(node, reason) for one in accessibility.lists for node, reason in one.strays]
    found += [Offender(one.node, reason) for one, reason in accessibility.stray_items]
    if not accessibility.has_lists:
        return NotApplicable("The page has no lists.")
    return counted(
        document,
        found,
        "sound",
        "broken",
        "One element breaks the structure of a list.",
        "{count} elements break the structure of lists.",
    )
