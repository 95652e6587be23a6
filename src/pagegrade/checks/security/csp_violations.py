from collections.abc import Sequence
from typing import Final

from pagegrade.checks._check import Cap, State, Verdict, check, offender_loss
from pagegrade.model.document import Document
from pagegrade.model.outcome import Evidence, NotApplicable, Outcome, Severity
from pagegrade.model.rendering import BrowserIssue, Rendering
from pagegrade.parse.http.csp import CSP
from pagegrade.parse.url import strip_fragment

FULL_AT: Final = 5
MOST: Final = 0.5
"""Share of the page's style sheets, or of its script files, without which it is not the page."""
_FILES: Final = {"stylesheet": "style-src", "script": "script-src"}
SHOWN: Final = 30
_KINDS: Final = {
    "kInlineViolation": "inline code",
    "kEvalViolation": "eval of a string",
    "kWasmEvalViolation": "compiling WebAssembly",
    "kTrustedTypesSinkViolation": "a string where a trusted type is required",
    "kTrustedTypesPolicyViolation": "a policy of trusted types",
    "kURLViolation": "a URL",
    "kSRIViolation": "a file without an integrity hash",
}


@check(
    id="csp-violations",
    title="Violations of the Content Security Policy",
    severity=Severity.CRITICAL,
    since="0.1.0",
    states=(
        State("none", "The page does nothing that its content security policy forbids."),
        State(
            "reported",
            "The page does what a policy in report-only mode would forbid.",
            title="Violations of the report-only policy",
            why="The policy cannot be enforced before they are gone, since parts of the page would stop working.",
            fix="Change the listed code, or allow its source in the policy, before you enforce it.",
            counted=True,
        ),
        State(
            "blocked",
            "The content security policy blocks parts of the page.",
            loss=0.02,
            loss_max=0.04,
            title="Content blocked by the page's own policy",
            why=(
                "What the policy blocks does not work for any visitor, and real attacks are hard to see among the "
                "reports."
            ),
            fix=(
                "Allow what the page needs with a nonce, a hash or its origin. Remove what it does not need; if a "
                "line is not from you, find out where it comes from."
            ),
            counted=True,
        ),
        State(
            "stopped",
            "The content security policy blocks most of the styles or scripts that the page loads.",
            loss=1.0,
            title="The page's own policy stops it",
            why="Without them the page does not look or work as meant, for any visitor.",
            fix=(
                "Add the listed hosts to `style-src` and `script-src`, with `'self'` for your own. Send the policy as "
                "`Content-Security-Policy-Report-Only` until nothing is reported."
            ),
            counted=True,
        ),
    ),
    cause="blocked-content",
    cap=Cap(49),
    sources=("https://www.w3.org/TR/CSP3/#violation-events",),
)
def csp_violations(rendering: Rendering, csp: CSP, served_document: Document) -> Verdict:
    """A content security policy that blocks parts of its own page is wrong, or the page is.

    ## What it checks

    What the browser blocked because of the page's content security policy during the last of the loads, each blocked
    source or kind of code once for each directive. One costs half a point, five cost one. Where at least half of the
    page's style sheets or script files are blocked, the score is 49 at most. Violations of a policy in report-only mode
    are listed and cost nothing.

    ## Fails on

    ```http
    Content-Security-Policy: script-src 'self'

    <!doctype html><title>Garden furniture</title><script>start()</script>
    ```

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "issues": [{"kind": "csp", "subject": "script-src-elem", "url": "https://example.com/", "line": 0,
        "detail": "kInlineViolation"}]
    }
    ```

    ## Passes on

    ```http
    Content-Security-Policy: script-src 'self'

    <!doctype html><title>Garden furniture</title><script src="/start.js"></script>
    ```

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}]
    }
    ```
    """
    found: dict[tuple[str, str, str, bool], BrowserIssue] = {}
    for issue in rendering.issues:
        if issue.kind == "csp":
            found.setdefault((issue.subject, issue.blocked_url, issue.detail, issue.report_only), issue)
    if not found and not csp.enforced and not csp.report_only:
        return NotApplicable("The page has no content security policy.")
    blocked = [issue for issue in found.values() if not issue.report_only]
    reported = [issue for issue in found.values() if issue.report_only]
    if not blocked:
        return Outcome(
            "reported" if reported else "none", value=len(reported), evidence=_shown(reported), total=len(reported)
        )
    is_stopped = any(_blocked_share(kind, blocked, served_document) >= MOST for kind in _FILES)
    return Outcome(
        "stopped" if is_stopped else "blocked",
        value=len(blocked),
        evidence=_shown([*blocked, *reported]),
        total=len(blocked) + len(reported),
        count=len(blocked),
        loss=None if is_stopped else 0.04 * offender_loss(len(blocked), FULL_AT),
    )


def _blocked_share(kind: str, blocked: Sequence[BrowserIssue], document: Document) -> float:
    """Share of the files of a kind that the page names and the policy blocks."""
    named = {one.url for one in document.references if one.kind == kind}
    refused = {strip_fragment(one.blocked_url) for one in blocked if one.subject.startswith(_FILES[kind])}
    return len(named & refused) / len(named) if named else 0.0


def _shown(issues: list[BrowserIssue]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            url=issue.blocked_url or issue.url,
            line=None if issue.blocked_url or issue.line is None or issue.line < 0 else issue.line + 1,
            value=issue.subject,
            reason=", ".join(
                (_KINDS.get(issue.detail, "a violation"), *(["reported only"] if issue.report_only else []))
            ),
        )
        for issue in issues[:SHOWN]
    )
