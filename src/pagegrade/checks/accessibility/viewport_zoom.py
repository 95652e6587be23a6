from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, NotApplicable, Outcome, Severity
from pagegrade.parse.html.viewport import parse_viewport

LARGE_SCALE: Final = 5.0
"""Five times: what helps people with very low vision; no success criterion asks for it."""
ENOUGH_SCALE: Final = 2.0
"""Twice the size: WCAG 2.2, success criterion 1.4.4."""


@check(
    id="viewport-zoom",
    title="Zooming on mobile devices",
    severity=Severity.HIGH,
    since="0.1.0",
    visible_only=False,
    states=(
        State("free", "Visitors can zoom the page as far as they need."),
        State("limited", "Visitors can zoom the page to twice its size, but less than five times."),
        State(
            "too-small",
            "Visitors cannot zoom to twice the size.",
            loss=1.0,
            title="Zooming is limited to less than twice the size",
            why="Many people need text at twice its size to read it, as the accessibility guidelines require.",
            fix='Remove `maximum-scale` from the `<meta name="viewport">`.',
        ),
        State(
            "blocked",
            "The page prevents zooming.",
            loss=1.0,
            title="Zooming is disabled",
            why="In browsers that obey it, people with low vision cannot read the page on a phone.",
            fix=(
                "Remove `user-scalable=no` and `maximum-scale` from the viewport:\n\n"
                "```html\n"
                '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
                "```"
            ),
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/resize-text.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/b4f0c3/",
        "https://www.w3.org/TR/css-viewport-1/#user-scalable",
    ),
)
def viewport_zoom(document: Document) -> Outcome | NotApplicable:
    """People with low vision enlarge a page with two fingers, unless the page prevents it.

    ## What it checks

    The `<meta name="viewport">` of the page; of several the last one counts. It fails with `user-scalable=no` (or `0`)
    and with a `maximum-scale` under 2, because text must be able to grow to twice its size. A `maximum-scale` limits
    zooming even beside `user-scalable=yes`. A page without the element forbids nothing. A `maximum-scale` between 2 and
    5 passes: the success criterion is met with twice the size. A value that browsers cannot read is treated as they
    treat it: it disables zooming.

    ## Fails on

    ```html
    <!doctype html><title>Example</title>
    <meta name="viewport" content="width=device-width, initial-scale=1, user-scalable=no">
    ```

    ## Passes on

    ```html
    <!doctype html><title>Example</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    ```
    """
    declared = [meta for meta in document.metas if meta.name == "viewport"]
    if not declared:
        return NotApplicable("The page sets no viewport, so it does not restrict zooming.")
    meta = declared[-1]
    viewport = parse_viewport(meta.content)
    value = meta.content.strip()[:200]
    evidence = (document.evidence(meta),)
    if viewport.user_scalable is False:
        return Outcome("blocked", value=value, evidence=evidence, details=(Detail(code="user_scalable", actual="no"),))
    scale = viewport.maximum_scale
    if scale is None or scale >= LARGE_SCALE:
        return Outcome("free", value=value)
    details = (Detail(code="maximum_scale", actual=scale, limit=ENOUGH_SCALE if scale < ENOUGH_SCALE else LARGE_SCALE),)
    return Outcome("limited" if scale >= ENOUGH_SCALE else "too-small", value=value, evidence=evidence, details=details)
