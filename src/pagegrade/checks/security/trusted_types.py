from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.http.csp import CSP, Policy, mask_nonces


@check(
    id="trusted-types",
    title="Trusted Types",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("enforced", "The Content Security Policy requires Trusted Types for scripts."),
        State(
            "report_only",
            "Trusted Types are required by a report-only policy.",
            title="Trusted Types are only reported",
            why="Browsers report what the policy would block, but still pass plain strings to dangerous functions.",
            fix=(
                "When the reports show no more violations, move `require-trusted-types-for 'script'` to the enforced "
                "`Content-Security-Policy` header."
            ),
        ),
        State(
            "invalid",
            "The policy has a require-trusted-types-for directive that has no effect.",
            title="Directive require-trusted-types-for has no effect",
            why="The only value that browsers know is 'script'; they ignore the directive without it.",
            fix="Write `require-trusted-types-for 'script'`, with the quotes.",
        ),
        State(
            "missing",
            "The Content Security Policy does not require Trusted Types.",
            title="Consider Trusted Types",
            why=(
                "Text that reaches functions such as innerHTML can run as code in the page (DOM-based cross-site "
                "scripting)."
            ),
            fix=(
                "Try `require-trusted-types-for 'script'` in a `Content-Security-Policy-Report-Only` header first, and "
                "change the reported code to use a Trusted Types policy."
            ),
        ),
    ),
    sources=(
        "https://www.w3.org/TR/trusted-types/#require-trusted-types-for-csp-directive",
        "https://web.dev/articles/trusted-types",
    ),
)
def trusted_types(csp: CSP, document: Document) -> Verdict:
    """Trusted Types keep plain text from being run as code by the page's own scripts.

    ## What it checks

    Whether the page's Content Security Policy holds `require-trusted-types-for 'script'`, enforced or report-only. All
    policies of headers and of the head count. A page without scripts, or without any policy, is not evaluated: the
    check of the policy itself comes first. It is informative and costs nothing.

    ## Fails on

    ```http
    content-security-policy: script-src 'self'

    <!doctype html><title>Shop</title><script src="/a.js"></script>
    ```

    ## Passes on

    ```http
    content-security-policy: script-src 'self'; require-trusted-types-for 'script'

    <!doctype html><title>Shop</title><script src="/a.js"></script>
    ```
    """
    if not any(script.kind in {"classic", "module"} for script in document.scripts):
        return NotApplicable("The page has no scripts.")
    if not csp.policies:
        return NotApplicable("The page has no Content Security Policy.")
    if any(_requires(policy) for policy in csp.enforced):
        return Outcome("enforced", value="enforced")
    if any(_requires(policy) for policy in csp.report_only):
        return Outcome("report_only", value="report-only", evidence=_evidence(document, csp.report_only))
    named = [policy for policy in csp.policies if "require-trusted-types-for" in policy.directives]
    if named:
        return Outcome("invalid", value="invalid", evidence=_evidence(document, tuple(named)))
    return Outcome("missing", value="missing", evidence=_evidence(document, csp.policies))


def _requires(policy: Policy) -> bool:
    """The keyword is compared without regard to case, as other keywords of CSP."""
    return "'script'" in map(str.lower, policy.directives.get("require-trusted-types-for", ()))


def _evidence(document: Document, policies: tuple[Policy, ...]) -> tuple[Evidence, ...]:
    """The policies themselves; without nonces."""
    found = []
    for policy in policies[:MAX_EVIDENCE]:
        words = policy.directives.get("require-trusted-types-for")
        value = "no directive" if words is None else mask_nonces(" ".join(words)[:200]) or "without a value"
        if policy.meta is not None:
            found.append(document.evidence_at(policy.meta.node, value=value))
        else:
            suffix = "-Report-Only" if policy.report_only else ""
            found.append(Evidence(header=f"Content-Security-Policy{suffix}", value=value))
    return tuple(found)
