from itertools import islice
from typing import Final

from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.artifacts import NotGathered, Resource, Resources
from pagegrade.model.document import Document, Link
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, NotApplicable, Outcome, Severity
from pagegrade.parse.cascade.conditions import BOTH_SCREENS, screens_of
from pagegrade.parse.url import is_http, strip_fragment

GOOD: Final = 3
BAD: Final = 10
GOOD_BYTES: Final = 60_000
BAD_BYTES: Final = 200_000


@check(
    id="render-blocking-css",
    title="Render-blocking CSS",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("few", "Few and small stylesheets block rendering."),
        State(
            "many",
            "Many or large stylesheets block rendering.",
            loss=0.2,
            loss_max=0.5,
            title="Reduce render-blocking CSS",
            why="Visitors look at a blank page until the stylesheets in the head have loaded.",
            fix=(
                'Combine stylesheets that are always used together, give those for printing `media="print"`, '
                "and load styles for parts further down later."
            ),
        ),
    ),
    sources=("https://web.dev/learn/performance/understanding-the-critical-path",),
)
def render_blocking_css(document: Document, resources: Resources | NotGathered) -> Verdict:
    """The browser shows nothing until the stylesheets in the head have loaded.

    ## What it checks

    The external stylesheets in the head that hold for every screen: those whose `media` does not hold on a phone and on
    a desktop alike, such as `print`, alternate and disabled ones are left out. Up to three with at most 60,000
    transferred bytes are fine; more cost a fifth to a half, by number up to ten and by bytes up to 200,000. One
    stylesheet is what the first screen needs, so a page without any is not expected. Bytes count only for sheets that
    were fetched.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <!-- the next line 6 times -->
    <link rel="stylesheet" href="/part-{n}.css">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <link rel="stylesheet" href="/all.css">
    ```
    """
    sheets = [link for link in document.links if link.in_head and is_http(link.url or "") and _blocks(link)]
    if not sheets:
        return NotApplicable("The head has no render-blocking stylesheet.")
    files = resources.by_url() if isinstance(resources, Resources) else {}
    sizes = {strip_fragment(link.url or ""): _wire_bytes(files.get(strip_fragment(link.url or ""))) for link in sheets}
    count, size = len(sizes), sum(sizes.values())
    share = max(meter_loss(count, GOOD, BAD), meter_loss(size, GOOD_BYTES, BAD_BYTES))
    loss = max(0.2, 0.5 * share) if share else 0.0
    return Outcome(
        "many" if loss else "few",
        value=count,
        evidence=tuple(
            document.evidence(link, reason=_reason(sizes[strip_fragment(link.url or "")]), url=link.url or "")
            for link in islice(sheets, MAX_EVIDENCE)
        )
        if loss
        else (),
        total=len(sheets) if loss else None,
        details=(
            Detail(code="blocking_stylesheets", actual=count, limit=GOOD),
            Detail(code="blocking_bytes", actual=size if files else None, limit=GOOD_BYTES),
        ),
        loss=loss,
        message=_message(count, size) if loss else "",
    )


def _blocks(link: Link) -> bool:
    if "stylesheet" not in link.rel or "alternate" in link.rel or "disabled" in link.attrs:
        return False
    return screens_of(link.attrs.get("media", ""))[0] == BOTH_SCREENS


def _message(count: int, size: int) -> str:
    """Count the stylesheets, with their bytes where any are known."""
    if size:
        return (
            f"1 stylesheet of {size:,} bytes blocks rendering."
            if count == 1
            else f"{count:,} stylesheets of {size:,} bytes block rendering."
        )
    return "1 stylesheet blocks rendering." if count == 1 else f"{count:,} stylesheets block rendering."


def _reason(size: int) -> str:
    return f"{size:,} bytes" if size else "in the head"


def _wire_bytes(item: Resource | None) -> int:
    return 0 if item is None or item.response is None else item.response.wire_bytes or 0
