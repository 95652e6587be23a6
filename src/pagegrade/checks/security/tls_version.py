from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import TLS, NotGathered, Response
from pagegrade.model.outcome import Detail, NotApplicable, NotRun, Outcome, Severity

_OLD: Final = ("TLSv1.0", "TLSv1.1")
_NEW: Final = ("TLSv1.2", "TLSv1.3")


@check(
    id="tls-version",
    title="TLS version",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("current", "The server accepts current TLS versions only."),
        State(
            "without-1-3",
            "The server does not accept TLS 1.3.",
            loss=0.5,
            title="Enable TLS 1.3",
            why="TLS 1.3 connects one round trip faster than 1.2, and has no weak methods left.",
            fix=(
                "Allow it beside TLS 1.2; OpenSSL supports it since 1.1.1. With nginx:\n\n"
                "```\n"
                "ssl_protocols TLSv1.2 TLSv1.3;\n"
                "```"
            ),
        ),
        State(
            "old",
            "The server accepts TLS 1.0 or 1.1, which are withdrawn.",
            loss=1.0,
            title="Disable TLS 1.0 and 1.1",
            why="These versions rely on broken methods, and the standard forbids them (RFC 8996).",
            fix=("Allow TLS 1.2 and 1.3 only. With nginx:\n\n```\nssl_protocols TLSv1.2 TLSv1.3;\n```"),
        ),
        State(
            "only-old",
            "The server accepts only TLS versions that are withdrawn.",
            loss=1.0,
            title="Server supports only withdrawn TLS versions",
            why="Current browsers refuse to connect to the page.",
            fix="Update the TLS library and the server, and enable TLS 1.2 and 1.3.",
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc8996",
        "https://www.rfc-editor.org/rfc/rfc8446",
        "https://wiki.mozilla.org/Security/Server_Side_TLS",
    ),
)
def tls_version(response: Response, tls: TLS | NotGathered) -> Verdict:
    """The TLS version decides how well the connection is protected.

    ## What it checks

    Each version from 1.0 to 1.3 is offered to the page's server in a handshake of its own. It passes when the server
    accepts TLS 1.3 and refuses 1.0 and 1.1. It costs half when TLS 1.3 is not accepted, and fails when 1.0 or 1.1 is.
    A version that could not be tried from here counts for nothing; where neither old version could be tried, or
    neither new one, the check is not evaluated.

    ## Fails on

    ```json tls
    {
      "host": "example.com",
      "verified": true,
      "versions": [["TLSv1.0", false], ["TLSv1.1", true], ["TLSv1.2", true], ["TLSv1.3", true]]
    }
    ```

    ## Passes on

    ```json tls
    {
      "host": "example.com",
      "verified": true,
      "versions": [["TLSv1.0", false], ["TLSv1.1", false], ["TLSv1.2", true], ["TLSv1.3", true]]
    }
    ```
    """
    if not response.url.startswith("https:"):
        return NotApplicable("The page is not served over HTTPS.")
    if isinstance(tls, NotGathered):
        return NotRun(tls.code, tls.detail)
    if not tls.versions:
        return NotApplicable("No protocol versions were tried.")
    tried = {name: accepted for name, accepted in tls.versions if accepted is not None}
    accepted = [name for name, is_accepted in tried.items() if is_accepted]
    old = [name for name in accepted if name in _OLD]
    new = [name for name in accepted if name in _NEW]
    value = ", ".join(accepted)
    details = tuple(Detail(code=name, actual="accepted" if tried[name] else "refused") for name in tried)
    if old:
        nothing_better = not new and all(name in tried for name in _NEW)
        return Outcome("only-old" if nothing_better else "old", value=value, details=details)
    if not new or "TLSv1.3" not in tried or not any(name in tried for name in _OLD):
        return NotRun("tls", "Not every version of TLS could be tried from here.")
    return Outcome("current" if "TLSv1.3" in new else "without-1-3", value=value, details=details)
