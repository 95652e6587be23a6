from typing import Final

from pagegrade.checks._check import State, Verdict, check, offender_loss
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.model.rendering import BrowserIssue, Rendering
from pagegrade.parse.party import Parties

FULL_AT: Final = 5
SHOWN: Final = 30


@check(
    id="deprecated-apis",
    title="Deprecated browser features",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("none", "The browser reports no deprecated features."),
        State(
            "third_party",
            "Scripts of other sites use features that browsers will remove.",
            title="Third-party scripts that use deprecated features",
            why=(
                "When browsers remove the feature, what the script does for the page may fail without a change on "
                "your side."
            ),
            fix="Update the script, or ask its author for a version that does without the feature.",
            counted=True,
        ),
        State(
            "own",
            "The page uses features that browsers will remove.",
            loss=0.5,
            loss_max=1.0,
            title="Deprecated browser features in use",
            why="Browsers remove such features after some time, and what depends on them stops working.",
            fix="Look up the listed features on https://chromestatus.com, and use what replaces them.",
            counted=True,
        ),
    ),
    sources=("https://developer.chrome.com/docs/lighthouse/best-practices/deprecations",),
)
def deprecated_apis(rendering: Rendering, parties: Parties) -> Verdict:
    """Browsers announce which features they will remove, and report their use.

    ## What it checks

    The deprecated features of which the browser reported the use during the last of the loads, each once for each file.
    One in a file of the site costs half, five cost everything. Those in files of other sites are listed, and cost
    nothing. Features that only a click or a scroll reaches are not seen.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "issues": [{"kind": "deprecation", "subject": "UnloadHandler", "url": "https://example.com/app.js", "line": 10}]
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
    found = {(issue.subject, issue.url): issue for issue in reversed(rendering.issues) if issue.kind == "deprecation"}
    own = [issue for issue in reversed(found.values()) if not issue.url or parties.is_own(issue.url)]
    foreign = [issue for issue in reversed(found.values()) if issue.url and not parties.is_own(issue.url)]
    if not own:
        return Outcome(
            "third_party" if foreign else "none", value=len(foreign), evidence=_shown(foreign), total=len(foreign)
        )
    return Outcome(
        "own",
        value=len(own),
        evidence=_shown([*own, *foreign]),
        total=len(own) + len(foreign),
        count=len(own),
        loss=offender_loss(len(own), FULL_AT),
    )


def _shown(issues: list[BrowserIssue]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            url=issue.url,
            line=None if issue.line is None or issue.line < 0 else issue.line + 1,
            value=issue.subject,
            reason="deprecated feature",
        )
        for issue in issues[:SHOWN]
    )
