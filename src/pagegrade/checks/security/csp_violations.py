from typing import Final

from pagegrade.checks._check import State, Verdict, check, offender_loss
from pagegrade.model.outcome import Evidence, NotApplicable, Outcome, Severity
from pagegrade.model.rendering import BrowserIssue, Rendering
from pagegrade.parse.http.csp import CSP

FULL_AT: Final = 5
SHOWN: Final = 30
_KINDS: Final = {
    "kInlineViolation": "inline code",
    "kEvalViolation": "eval of a string",
    "kWasmEvalViolation": "compiling WebAssembly",
    "kTrustedTypesSinkViolation": "a string where a trusted type is required",
    "kTrustedTypesPolicyViolation": "a policy of trusted types",
    "kURLViolation": "an address",
    "kSRIViolation": "a file without an integrity hash",
}


@check(
    id="csp-violations",
    title="Violations of the Content Security Policy",
    severity=Severity.LOW,
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
            loss=0.5,
            loss_max=1.0,
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
    ),
    sources=("https://www.w3.org/TR/CSP3/#violation-events",),
)
def csp_violations(rendering: Rendering, csp: CSP) -> Verdict:
    """A content security policy that blocks parts of its own page is wrong, or the page is.

    ## What it checks

    What the browser blocked because of the page's content security policy during the last of the loads, each blocked
    source or kind of code once for each directive. One costs half, five cost everything. Violations of a policy in
    report-only mode are listed and cost nothing.

    ## Why it matters

    What the policy blocks does not work for any visitor, and real attacks are hard to see among the reports.

    ## How to fix

    Allow what the page needs with a nonce, a hash or its origin. Remove what it does not need.

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
    return Outcome(
        "blocked",
        value=len(blocked),
        evidence=_shown([*blocked, *reported]),
        total=len(blocked) + len(reported),
        count=len(blocked),
        loss=offender_loss(len(blocked), FULL_AT),
    )


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
