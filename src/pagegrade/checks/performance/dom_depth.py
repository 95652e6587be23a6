from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, Outcome, Severity

MAX_DEPTH: Final = 32
MAX_CHILDREN: Final = 60


@check(
    id="dom-depth",
    title="DOM depth",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("shallow", "The elements are moderately nested."),
        State(
            "deep",
            "Elements are deeply nested or have many children.",
            title="Reduce nesting and very long lists in the DOM",
            why="A change in one element can force the browser to lay out all its siblings and parents again.",
            fix="Remove wrappers that only carry a class, and split very long lists over several pages.",
        ),
    ),
    sources=("https://developer.chrome.com/docs/lighthouse/performance/dom-size",),
)
def dom_depth(document: Document) -> Verdict:
    """Deeply nested elements and parents with many children make style and layout calculations expensive.

    ## What it checks

    How deep the elements of the served HTML are nested, and how many children the fullest element has. More than 32
    levels or more than 60 children are reported; the limits are those that Lighthouse has published. Long lists and
    tables have many children for good reasons, so the check is informative and costs nothing.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <!-- the next line 40 times -->
    <div>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <ul><li>Tables<li>Chairs</ul>
    ```
    """
    depth, children = document.max_depth, document.max_children
    evidence: tuple[Evidence, ...] = ()
    if depth > MAX_DEPTH and document.deepest is not None:
        evidence = (document.evidence_at(document.deepest, reason=f"{depth} levels deep"),)
    return Outcome(
        "deep" if depth > MAX_DEPTH or children > MAX_CHILDREN else "shallow",
        value=depth,
        evidence=evidence,
        details=(
            Detail(code="deepest_nesting", actual=depth, limit=MAX_DEPTH),
            Detail(code="most_children", actual=children, limit=MAX_CHILDREN),
        ),
        message=f"Elements are nested up to {depth} deep, and one element has {children:,} children.",
    )
