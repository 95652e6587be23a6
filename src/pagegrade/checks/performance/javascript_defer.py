from itertools import islice
from typing import Final

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.document import Document, Script
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, NotApplicable, Outcome, Severity
from pagegrade.parse.party import Parties
from pagegrade.parse.url import is_http

MANY: Final = 5
ALL: Final = 30
"""Blocking scripts from which everything is lost: the browser starts with none of the page for seconds."""


@check(
    id="javascript-defer",
    title="Render-blocking JavaScript",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("deferred", "No external script blocks rendering."),
        State(
            "blocking",
            "External scripts block rendering until they have run.",
            loss=0.19,
            loss_max=0.3,
            title="Render-blocking scripts",
            why="Visitors see nothing of what comes after such a script until it has loaded and run.",
            fix=(
                "Add `defer` to every external script that the first screen does not need, or `async` where the "
                "order does not matter:\n\n"
                "```\n"
                '<script src="/shop.js" defer></script>\n'
                "```"
            ),
            counted=True,
        ),
        State(
            "many",
            "Many external scripts block rendering until they have run.",
            loss=0.4,
            loss_max=0.55,
            title="Render-blocking scripts",
            why="Visitors see nothing of what comes after such a script until it has loaded and run.",
            fix=(
                "Add `defer` to every external script that the first screen does not need, or `async` where the "
                "order does not matter:\n\n"
                "```\n"
                '<script src="/shop.js" defer></script>\n'
                "```"
            ),
            counted=True,
        ),
        State(
            "third_party",
            "Third-party scripts in the head block rendering.",
            loss=0.55,
            loss_max=1.0,
            title="Load third-party scripts without blocking",
            why="If the other site is slow or down, the page stays blank until the request times out.",
            fix=(
                "Load such scripts with `async` or `defer`; most providers offer a snippet for it. If one must run "
                "early, serve a copy from your own host."
            ),
        ),
    ),
    sources=("https://html.spec.whatwg.org/multipage/scripting.html#attr-script-defer",),
)
def javascript_defer(document: Document, parties: Parties) -> Verdict:
    """External scripts without `defer` or `async` stop the browser from reading the page until they have run.

    ## What it checks

    Every external classic script. One with `defer` or `async`, one of `type="module"`, and one at the end of the body
    with nothing visible after it keep no one waiting. Each of the others delays the page, so the cost grows with their
    number: up to five cost 1.5 to 2.4 points, more up to 4.4. If one of them comes from another site and is in the
    head, they cost 4.4 points, and up to 8 from thirty on, because when that site does not answer, the page stays
    empty. Inline scripts cannot be deferred, data blocks are not scripts, and nothing is loaded from a `file:` URL:
    none of them is evaluated. Five and thirty are our own limits.

    About three of four well-known pages have such a script, most of them one of another site. The share is that large
    because the snippets of services are older than `async` and are copied unchanged. Visitors wait for each of them,
    and one attribute fixes it.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <script src="/shop.js"></script>
    <p>Tables and chairs.
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <script src="/shop.js" defer></script>
    <p>Tables and chairs.
    ```
    """
    external = [script for script in document.scripts if script.url is not None and is_http(script.url)]
    if not external:
        return NotApplicable("The page has no external scripts.")
    offenders = [script for script in external if script.blocking and not script.trailing]
    if not offenders:
        return Outcome("deferred", value=amount(len(external), "script"))
    count = len(offenders)
    foreign_first = sorted(offenders, key=lambda script: not _is_foreign_in_head(script, parties))
    foreign = sum(_is_foreign_in_head(script, parties) for script in offenders)
    state = "third_party" if foreign else "many" if count > MANY else "blocking"
    share = meter_loss(count, MANY, ALL)
    loss = 0.55 + 0.45 * share if foreign else 0.4 + 0.15 * share if share else 0.19 + 0.0275 * (count - 1)
    return Outcome(
        state,
        value=part(count, len(external), "script"),
        evidence=tuple(
            document.evidence(script, reason=_reason(script, parties), url=script.url or "")
            for script in islice(foreign_first, MAX_EVIDENCE)
        ),
        total=count,
        details=(
            Detail(code="blocking_scripts", actual=count, limit=0),
            Detail(code="third_party_blocking_scripts_in_head", actual=foreign, limit=0),
        ),
        loss=loss,
        message=_message(count, foreign) if foreign else "",
    )


def _is_foreign_in_head(script: Script, parties: Parties) -> bool:
    return script.in_head and script.url is not None and not parties.is_own(script.url)


def _reason(script: Script, parties: Parties) -> str:
    place = "in the head" if script.in_head else "in the body"
    return f"{place}, from another site" if _is_foreign_in_head(script, parties) else place


def _message(count: int, foreign: int) -> str:
    """The number of blocking scripts, and of those among them that another site must deliver."""
    if count == foreign:
        if count == 1:
            return "1 external script blocks rendering and comes from another site."
        return f"{count:,} external scripts block rendering, all from other sites."
    if foreign > 1:
        return f"{count:,} external scripts block rendering; {foreign} of them are in the head and from other sites."
    return f"{count:,} external scripts block rendering; one of them is in the head and from another site."
