from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import WellKnown
from pagegrade.model.outcome import Evidence, NotRun, Outcome, Severity
from pagegrade.parse.http.cors import sharing_of

_HEADERS: Final = ("Access-Control-Allow-Origin", "Access-Control-Allow-Credentials")


@check(
    id="cors",
    title="CORS",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("closed", "Scripts of other sites cannot read the page unless it names them."),
        State("public", "Scripts of other sites can read the page only without credentials."),
        State("reflected", "The page allows any site to read it, but only without credentials."),
        State(
            "null-credentials",
            "The page allows the null origin to read it with the visitor's session.",
            loss=1.0,
            title="CORS allows the null origin with credentials",
            why=(
                "Any site can create a sandboxed frame with the origin `null` and read this page with the "
                "visitor's session."
            ),
            fix="Never allow the origin `null`. Compare the `Origin` header with a list of sites that you trust.",
        ),
        State(
            "reflected-credentials",
            "The page allows every site to read it with the visitor's session.",
            loss=1.0,
            title="CORS allows every site with credentials",
            why=(
                "Any page that the visitor opens can read this one with the visitor's session: names, messages, "
                "form tokens."
            ),
            fix=(
                "Compare the `Origin` header with a list of sites that you trust, and send no CORS headers to "
                "others. Add `Vary: Origin`."
            ),
        ),
    ),
    sources=(
        "https://fetch.spec.whatwg.org/#http-cors-protocol",
        "https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CORS",
    ),
)
def cors(cors_probe: WellKnown) -> Verdict:
    """A page can allow scripts of other sites to read it, and may allow too much.

    ## What it checks

    The page is requested once more as if by a script of a site that cannot exist. It fails when the response permits
    that site, or the origin `null`, together with `Access-Control-Allow-Credentials: true`. No permission, a permission
    for a certain other site, and `*` pass: with `*` browsers send no cookies, so everyone sees only what is public
    anyway. Only the page is requested, not the URLs that its scripts use.

    ## Fails on

    ```http cors_probe
    HTTP/2 200
    Access-Control-Allow-Origin: https://origin-probe.example
    Access-Control-Allow-Credentials: true
    ```

    ## Passes on

    ```http cors_probe
    HTTP/2 200
    Content-Type: text/html
    ```
    """
    response = cors_probe.response
    state = sharing_of(response)
    if state == "closed" and not 200 <= response.status < 400:
        return NotRun("probe", f"Asked on behalf of another site, the page answers with status {response.status}.")
    evidence = tuple(
        Evidence(header=name, snippet=value[:200])
        for name in (*_HEADERS, "Vary")
        for value in response.header_values(name)[:5]
        if name != "Vary" or state != "closed"
    )
    return Outcome(state, value=(response.header(_HEADERS[0]) or "")[:200], evidence=evidence)
