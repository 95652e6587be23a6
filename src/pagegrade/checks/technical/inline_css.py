from itertools import islice
from typing import Final

from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Outcome, Severity

GOOD: Final = 20
MANY: Final = 200
SHOWN: Final = 20
SVG_ELEMENTS: Final = frozenset(
    (
        "svg g path rect circle ellipse line polyline polygon text tspan textPath use symbol defs marker mask clipPath "
        "pattern linearGradient radialGradient stop filter image foreignObject switch"
    ).split(),
)


@check(
    id="inline-css",
    title="Inline styles",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("few", "The page has few style attributes."),
        State(
            "many",
            "The page has many style attributes.",
            loss=0.1,
            loss_max=0.5,
            title="Elements with a style attribute",
            why=(
                "The attributes make the HTML larger on every visit, override the stylesheet, and stop working "
                "under a Content Security Policy without `unsafe-inline`."
            ),
            fix=(
                "Move repeated styles into classes of a stylesheet. Values that differ for each element, such "
                "as the progress of a bar, may stay."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/dom.html#the-style-attribute",
        "https://www.w3.org/TR/CSP3/#directive-style-src-attr",
    ),
)
def inline_css(document: Document) -> Verdict:
    """Styles in attributes are repeated on every element and cannot be cached.

    ## What it checks

    How many elements have a `style` attribute; SVGs and empty attributes are not counted. Up to 20 is fine, because
    scripts and widgets set some legitimately and nine of ten real pages have at least one. From 21 on it costs in five
    steps, at 200 half. It never fails, since no standard forbids it; about a third of well-known pages have more, so it
    counts little.

    ## Fails on

    ```html
    <!doctype html>
    <title>Prices</title>
    <!-- the next line 60 times -->
    <p style="color: green">{n} €</p>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Prices</title>
    <!-- the next line 60 times -->
    <p class="price">{n} €</p>
    ```
    """
    offenders = [fact for fact in document.style_attributes if fact.node.tag not in SVG_ELEMENTS and fact.value.strip()]
    count = len(offenders)
    loss = 0.5 * meter_loss(count, GOOD, MANY)
    if loss == 0:
        return Outcome("few", value=count, details=(Detail(code="style_attributes", actual=count, limit=GOOD),))
    return Outcome(
        "many",
        value=count,
        evidence=tuple(document.evidence(fact) for fact in islice(offenders, SHOWN)),
        total=count,
        details=(Detail(code="style_attributes", actual=count, limit=GOOD),),
        loss=loss,
        message=f"{count} elements have a style attribute.",
    )
