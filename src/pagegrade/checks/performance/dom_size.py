from typing import Final

from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Outcome, Severity
from pagegrade.model.rendering import Rendering

GOOD: Final = 1_500
BAD: Final = 3_000


@check(
    id="dom-size",
    title="DOM size",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("moderate", "The page has a moderate number of elements."),
        State(
            "large",
            "The page has many elements.",
            loss=0.2,
            loss_max=0.8,
            title="Reduce the number of DOM elements",
            why=(
                "Styles are matched against every element, and each layout change affects many of them, so "
                "large pages respond slowly, most of all on phones."
            ),
            fix=(
                "Split long lists over several pages, load hidden parts when they are opened, and remove "
                "wrappers that only carry a class."
            ),
        ),
        State(
            "very_large",
            "The page has very many elements.",
            loss=1.0,
            title="Reduce the number of DOM elements",
            why=(
                "Styles are matched against every element, and each layout change affects many of them, so "
                "large pages respond slowly, most of all on phones."
            ),
            fix=(
                "Split long lists over several pages, load hidden parts when they are opened, and remove "
                "wrappers that only carry a class."
            ),
        ),
    ),
    sources=("https://developer.chrome.com/docs/lighthouse/performance/dom-size",),
)
def dom_size(document: Document, rendering: Rendering | NotGathered) -> Verdict:
    """Every element costs the browser memory, style and layout work.

    ## What it checks

    The number of elements, each counted once; texts and comments are not counted. Where a browser rendered the page,
    these are the elements after scripts have run, shadow trees included; otherwise those of the HTML as served. Up to
    1,500 is fine, up to 3,000 costs in four steps, more costs
    everything. 1,500 is the number that Lighthouse has published for years; one in six real pages exceeds it. Its score
    falls from 800 elements on; that slope is not followed, because no fault can be named there.

    ## Fails on

    ```html
    <!doctype html>
    <title>Numbers</title>
    <ul>
    <!-- the next line 1600 times -->
    <li>Number {n}
    </ul>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Numbers</title>
    <ul><li>One<li>Two</ul>
    ```
    """
    drawn = None if isinstance(rendering, NotGathered) else rendering.dom_elements
    count = document.element_count if drawn is None else drawn
    loss = 1.0 if count > BAD else 0.8 * meter_loss(count, GOOD, BAD, steps=4)
    served = (Detail(code="served_elements", actual=document.element_count),) if drawn is not None else ()
    message = f"The page has {count:,} elements, nested up to {document.max_depth} deep."
    if drawn is None and "nodes" in document.limits_hit:
        message = f"The page has at least {count:,} elements, nested up to {document.max_depth} deep."
    if drawn is not None:
        message = f"The page has {count:,} elements after its scripts have run, {document.element_count:,} as served."
    return Outcome(
        "moderate" if loss == 0 else "large" if loss < 1 else "very_large",
        value=count,
        details=(
            Detail(code="elements", actual=count, limit=GOOD),
            *served,
            Detail(code="deepest_nesting", actual=document.max_depth),
            Detail(code="most_children", actual=document.max_children),
        ),
        loss=loss,
        message=message,
    )
