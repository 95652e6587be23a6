from collections.abc import Collection
from typing import Final

from pagegrade.checks._check import State, Verdict, check, offender_loss
from pagegrade.model.artifacts import NotGathered, Resources, Response
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.model.rendering import ConsoleMessage, Rendering
from pagegrade.parse.assets import sees_names
from pagegrade.parse.url import host

FULL_AT: Final = 10
SHOWN: Final = 30
_OF_OTHER_CHECKS: Final = frozenset({"deprecation", "security", "violation"})
_NOT_COUNTED: Final = "Content Security Policy"
"""In messages that `csp-violations` is about."""
_NOT_CONTACTED: Final = "ERR_SOCKS_CONNECTION_FAILED"
"""In messages about files of hosts that did not answer, or that were not contacted."""
_NO_ANSWER: Final = "Failed to load resource: its host does not exist or does not answer"
"""The browser names the proxy that all of its connections pass, of which visitors have none."""


@check(
    id="console-errors",
    title="Browser errors in the console",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("none", "The browser reports no errors while it loads the page."),
        State(
            "errors",
            "The browser reports errors while it loads the page.",
            loss=0.5,
            loss_max=1.0,
            title="Errors in the browser's console",
            why="A script that stops, or a file that does not arrive, leaves a part of the page without function.",
            fix="Open the console of the browser on this page, and fix the causes one after the other.",
            counted=True,
        ),
    ),
    sources=("https://developer.chrome.com/docs/lighthouse/best-practices/errors-in-console",),
)
def console_errors(rendering: Rendering, response: Response, resources: Resources | NotGathered) -> Verdict:
    """The browser writes to its console what goes wrong while it loads a page.

    ## What it checks

    Exceptions that no script caught, what scripts log with `console.error`, and files that could not be loaded, in
    the last of the loads. Equal messages count once. Files of hosts that Pagegrade did not contact are left out: the
    page is not to blame for that; those of hosts that do not exist or do not answer count, unless no name at all could
    be looked up from here. What its content security
    policy blocks belongs to `csp-violations`.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "console": [
        {"level": "error", "source": "exception", "text": "TypeError: menu is null", "url": "https://example.com/a.js"}
      ]
    }
    ```

    ## Passes on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "console": [{"level": "warning", "source": "console", "text": "Slow network"}]
    }
    ```
    """
    refused = {name for name, _ in rendering.refused_hosts}
    is_on_a_network = sees_names(resources if isinstance(resources, Resources) else Resources(), response.url)
    found = [message for message in rendering.console if _counts(message, refused, is_on_a_network=is_on_a_network)]
    if not found:
        return Outcome("none", value=0)
    return Outcome(
        "errors",
        value=len(found),
        evidence=tuple(
            Evidence(
                # A refused frame shows a page of the browser's own; the text names the one that was to be there.
                url="" if message.url.startswith("chrome-error:") else message.url,
                line=None if message.line is None else message.line + 1,
                snippet=_NO_ANSWER if _NOT_CONTACTED in message.text else message.text[:200],
                reason=f"{message.source}, {message.count} times" if message.count > 1 else message.source,
            )
            for message in found[:SHOWN]
        ),
        total=len(found),
        loss=offender_loss(len(found), FULL_AT),
    )


def _counts(message: ConsoleMessage, refused: Collection[str], *, is_on_a_network: bool) -> bool:
    is_unknown = not message.url or host(message.url) in refused or not is_on_a_network
    return (
        message.level == "error"
        and message.source not in _OF_OTHER_CHECKS
        and _NOT_COUNTED not in message.text
        and not (_NOT_CONTACTED in message.text and is_unknown)
    )
