from collections import Counter
from itertools import islice
from typing import Final

from pagegrade.checks._check import State, Verdict, check, offender_loss
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Outcome, Severity

FULL_AT: Final = 20
_ELSEWHERE: Final = frozenset({"applet", "blink", "marquee", "param"})
"""Elements that ``marquee-blink`` and ``obsolete-plugins`` report, or that belong to such a one."""


@check(
    id="deprecated-html",
    title="Obsolete HTML elements",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("none", "The page uses no obsolete elements."),
        State(
            "some",
            "The page uses obsolete elements.",
            loss=0.5,
            loss_max=1.0,
            title="Obsolete HTML elements",
            why="Browsers still render most of them, but need not, and assistive technology ignores them.",
            fix=(
                "Replace each by a current element or a style: `<center>` by `text-align: center`, `<font>` by "
                "a class, `<strike>` by `<s>`, `<tt>` by `<code>`."
            ),
            counted=True,
        ),
    ),
    sources=("https://html.spec.whatwg.org/multipage/obsolete.html#non-conforming-features",),
)
def deprecated_html(document: Document) -> Verdict:
    """Elements such as `<font>` and `<center>` are no longer part of HTML.

    ## What it checks

    Elements that the HTML standard calls obsolete, among them acronym, basefont, big, center, dir, font, frame,
    frameset, noframes, strike and tt. The first costs half, twenty cost everything. `<s>` and `<u>` are part of HTML
    and are not counted, nor are elements of the same name in an SVG, in comments or in templates, nor obsolete
    attributes such as `align`, which are harmless. What browsers discard while they parse, such as a `<frame>` in a
    body, is not counted. `<marquee>` and `<blink>` are reported by `marquee-blink`, `<applet>` and plugins with their
    `<param>` elements by `obsolete-plugins`.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <center>Welcome</center>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <p class="welcome">Welcome</p>
    ```
    """
    offenders = [fact for fact in document.obsolete if fact.node.tag not in _ELSEWHERE]
    count = len(offenders)
    if not count:
        return Outcome("none")
    tags = Counter(fact.node.tag for fact in offenders)
    return Outcome(
        "some",
        value=", ".join(f"{tag} ({number})" for tag, number in sorted(tags.items())),
        evidence=tuple(document.evidence(fact) for fact in islice(offenders, MAX_EVIDENCE)),
        total=count,
        details=(Detail(code="obsolete_elements", actual=count, limit=0),),
        loss=offender_loss(count, FULL_AT),
    )
