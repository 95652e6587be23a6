from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import Cap, State, Verdict, check
from pagegrade.checks._metrics import paints_nothing
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.outcome import Evidence, NotRun, Outcome, Severity
from pagegrade.model.rendering import Rendering

_STATES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "unresponsive": "hangs",
        "page_crash": "crashes",
        "memory": "memory",
        "reloads": "reloads",
        "left": "leaves",
    }
)
"""Reason for which a page was not drawn -> state."""


@check(
    id="browser-drawing",
    title="Page in a browser",
    severity=Severity.CRITICAL,
    since="0.1.0",
    states=(
        State("drawn", "A browser draws the page."),
        State(
            "blank",
            "In a browser, the page paints neither text nor a picture within 15 seconds.",
            loss=1.0,
            title="The page stays blank in a browser",
            why="Visitors see nothing, although the server answers with success.",
            fix=(
                "Open the page in a browser, and look at its console: a script that fails before it shows the page, or "
                "a style that hides all of it, is the usual reason."
            ),
        ),
        State(
            "leaves",
            "Soon after it is opened, the page leads to a URL that cannot be opened.",
            loss=1.0,
            title="The page leaves for a URL that cannot be opened",
            why="Visitors see an error of their browser in place of the page.",
            fix="Correct the URL in the script or in the `<meta>` element that leads away from the page.",
        ),
        State(
            "reloads",
            "The page loads itself, or others, again and again.",
            loss=1.0,
            title="The page reloads without an end",
            why="Visitors cannot read or use a page that begins anew all the time.",
            fix=(
                "Find the script or the `<meta>` element that reloads or redirects, and let it do so once. Redirects "
                "that depend on a cookie need a way for browsers that keep none."
            ),
        ),
        State(
            "hangs",
            "The scripts of the page keep the browser so busy that it does not answer.",
            loss=1.0,
            title="The page makes the browser hang",
            why="Visitors can neither scroll nor press anything, and their browser offers to close the page.",
            fix="Record a profile in the browser's developer tools, and end the loop that it shows.",
        ),
        State(
            "memory",
            "The page takes more memory than a browser is given.",
            loss=1.0,
            title="The page takes too much memory",
            why="On phones and small computers the browser closes the page, or everything else becomes slow.",
            fix="Take snapshots of the memory in the developer tools, and release or never load what grows.",
        ),
        State(
            "crashes",
            "The browser's process that draws the page ends while it does.",
            loss=1.0,
            title="The page crashes the browser",
            why="Visitors see an error of their browser in place of the page.",
            fix="Open the page in a current Chromium, and remove scripts one after the other until it stays.",
        ),
    ),
    cap=Cap(49),
    sources=("https://web.dev/articles/fcp",),
)
def browser_drawing(rendering: Rendering | NotGathered) -> Verdict:
    """A page that a browser cannot draw is broken for its visitors, whatever its HTML says.

    ## What it checks

    What became of the page in a browser: whether it painted any text or picture within 15 seconds, whether its scripts
    let the browser answer (20 seconds without an answer are taken for a hang), whether it took more memory than a
    browser is given, crashed the process that draws it, loaded itself or other documents more than seven times, or left
    for an address that could not be opened. Each of them limits the score. A page that consists of frames is not taken
    for blank. Where the browser itself failed, or there was no time for it, nothing is said.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"load_ms": 900}], "notes": ["nothing_painted"]
    }
    ```

    ## Passes on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}]
    }
    ```
    """
    if isinstance(rendering, NotGathered):
        state = _STATES.get(rendering.reason)
        if state is None:
            return NotRun(rendering.code, rendering.detail)
        return Outcome(state, evidence=(Evidence(value=rendering.detail),))
    if not paints_nothing(rendering):
        return Outcome("drawn", value=amount(len(rendering.loads), "load"))
    if "frames_not_checked" in rendering.notes:
        return NotRun("frames", "The page shows frames, and what those paint was not seen.")
    waited_for = [one.url for one in rendering.requests if one.end_ms is None][:5] * ("unfinished" in rendering.notes)
    errors = [message for message in rendering.console if message.level == "error"][:5]
    return Outcome(
        "blank",
        evidence=(
            Evidence(url=rendering.final_url, value="nothing was painted"),
            *(Evidence(url=url, value="did not arrive") for url in waited_for),
            *(Evidence(url=one.url, snippet=one.text[:200], reason=one.source) for one in errors),
        ),
    )
