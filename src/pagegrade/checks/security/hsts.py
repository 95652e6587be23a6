from collections.abc import Iterator
from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.http.hsts import HSTS, parse_hsts, preloaded_suffix
from pagegrade.parse.secure_context import host_of, is_ip_address

GOOD_AGE_S: Final = 15_768_000
"""Six months."""
PRELOAD_AGE_S: Final = 31_536_000
"""One year: what hstspreload.org asks for."""
_DAY_S: Final = 86_400
_HEADER: Final = "Strict-Transport-Security"

_REASONS: Final = {
    "short": "kept for less than six months",
    "duplicates": "a directive is repeated",
    "preload-mismatch": "preload without its conditions",
}


@check(
    id="hsts",
    title="HTTP Strict Transport Security (HSTS)",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("strong", "Browsers use only HTTPS for this host, for at least six months."),
        State("preloaded", "Browsers use only HTTPS for this host: its whole top-level domain is preloaded."),
        State(
            "preload-mismatch",
            "The header asks for preloading without meeting the conditions.",
            loss=0.5,
            title="HSTS preload conditions are not met",
            why="Browser vendors reject the host for their preload list, so the first visit stays unprotected.",
            fix=(
                "Meet the conditions, or remove `preload`:\n\n"
                "```\n"
                "Strict-Transport-Security: max-age=31536000; includeSubDomains; preload\n"
                "```"
            ),
        ),
        State(
            "duplicates",
            "The header repeats a directive.",
            loss=0.5,
            title="HSTS header repeats a directive",
            why="The header is invalid, and browsers may ignore it.",
            fix="Send each directive once: `Strict-Transport-Security: max-age=31536000`.",
        ),
        State(
            "short",
            "Browsers use only HTTPS, but for less than six months.",
            loss=0.5,
            title="Extend the HSTS lifetime",
            why="Visitors who return after that time are unprotected on their first request.",
            fix="Once everything on the host works over HTTPS, raise `max-age` to a year: `max-age=31536000`.",
        ),
        State(
            "off",
            "With this header, browsers no longer use HTTPS only for the host.",
            loss=1.0,
            title="HSTS is turned off with max-age=0",
            why=(
                "Browsers send the first request over plain HTTP again, where attackers on the network can "
                "intercept it."
            ),
            fix="Send `Strict-Transport-Security: max-age=31536000`, unless the host is about to give up HTTPS.",
        ),
        State(
            "unreadable",
            "The header has no valid max-age, so browsers ignore it.",
            loss=1.0,
            title="HSTS header has no valid max-age",
            why="Without `max-age` the header has no effect.",
            fix="Send `Strict-Transport-Security: max-age=31536000`.",
        ),
        State(
            "meta",
            "Strict-Transport-Security is set in a meta element, where browsers ignore it.",
            loss=1.0,
            title="HSTS stands in a meta element",
            why="Browsers accept it only as a response header, so the host is unprotected.",
            fix="Send it as a header: `Strict-Transport-Security: max-age=31536000`.",
        ),
        State(
            "missing",
            "The page does not send Strict-Transport-Security.",
            loss=1.0,
            title="Enable HSTS",
            why=(
                "Visitors who type the address or follow an old link send their first request over plain HTTP, "
                "where attackers on the network can intercept it."
            ),
            fix=(
                "Send the header with every HTTPS response. Start with `max-age=300`, and raise it once "
                "everything on the host works over HTTPS:\n\n"
                "```\n"
                "Strict-Transport-Security: max-age=31536000\n"
                "```"
            ),
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc6797#section-6.1",
        "https://www.rfc-editor.org/rfc/rfc6797#section-11.2",
        "https://hstspreload.org/",
    ),
)
def hsts(seen_response: Response, document: Document) -> Outcome | NotApplicable:
    """Strict-Transport-Security makes browsers use HTTPS for the host even when a link says `http:`.

    ## What it checks

    The first `Strict-Transport-Security` header of the page itself (not of redirects before it). It passes with a
    `max-age` of 15,768,000 seconds, six months, which is the customary minimum; no standard names one. It costs half
    with a shorter time, with a repeated directive, and with `preload` where the conditions of the preload list
    (`includeSubDomains` and one year) are not met. It fails when the header is missing, says `max-age=0` or cannot be
    read, and when it is in a `<meta>`, which browsers ignore. Leaving `includeSubDomains` and `preload` out costs
    nothing, although some tools require them: they bind every subdomain and are not right for everyone. Directives that
    no standard knows cost nothing either, because browsers have to skip them. Hosts under a top-level domain that is
    preloaded as a whole (`.dev`, `.app` and others) pass, because browsers never use plain HTTP there.

    About half of the most visited sites still lack the header. It costs points because it is one line, and nothing else
    protects the first request.

    ## Fails on

    ```http
    HTTP/2 200
    Content-Type: text/html

    <!doctype html><title>Example</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Content-Type: text/html
    Strict-Transport-Security: max-age=31536000; includeSubDomains

    <!doctype html><title>Example</title>
    ```
    """
    if not seen_response.url.startswith("https:"):
        return NotApplicable("The page is not served over HTTPS; browsers ignore the header there.")
    host = host_of(seen_response.url)
    if is_ip_address(host):
        return NotApplicable("The host is an IP address; browsers keep this promise for names only.")
    values = seen_response.header_values(_HEADER)
    policy = parse_hsts(values)
    suffix = preloaded_suffix(host)
    state = _evaluate(values, policy)
    if suffix is not None and state != "strong":
        return Outcome("preloaded", value=f".{suffix}", evidence=_evidence(values))
    if policy is None:
        metas = [meta for meta in document.metas if meta.http_equiv == "strict-transport-security"]
        if state == "missing" and metas:
            return Outcome("meta", evidence=tuple(document.evidence(meta) for meta in metas[:10]), total=len(metas))
        return Outcome(state, value=values[0][:200] if values else "", evidence=_evidence(values))
    details = [Detail(code="max_age_s", actual=policy.max_age_s, limit=GOOD_AGE_S)]
    if policy.duplicates:
        details.append(Detail(code="duplicates", actual=", ".join(policy.duplicates)[:200]))
    message = ""
    if state == "short":
        days = policy.max_age_s // _DAY_S
        message = f"The max-age is {days} days; six months (183 days) are the customary minimum."
        if days <= 1:
            message = f"The max-age is {policy.max_age_s:,} seconds; six months (183 days) are the customary minimum."
    milder = tuple(
        Evidence(header=_HEADER, snippet=values[0][:200], reason=_REASONS[name], state=name)
        for name in _faults(policy)
        if name != state
    )
    return Outcome(
        state,
        value=policy.max_age_s,
        evidence=(*_evidence(values), *milder) if state != "off" else _evidence(values),
        details=tuple(details),
        message=message,
    )


def _evaluate(values: list[str], policy: HSTS | None) -> str:
    if policy is None:
        return "unreadable" if values else "missing"
    if policy.max_age_s == 0:
        return "off"
    return next(_faults(policy), "strong")


def _faults(policy: HSTS) -> Iterator[str]:
    if policy.max_age_s < GOOD_AGE_S:
        yield "short"
    if policy.duplicates:
        yield "duplicates"
    if policy.preload and not (policy.include_subdomains and policy.max_age_s >= PRELOAD_AGE_S):
        yield "preload-mismatch"


def _evidence(values: list[str]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            header=_HEADER,
            snippet=value[:200],
            reason="" if index == 0 else "ignored: only the first header counts",
        )
        for index, value in enumerate(values[:10])
    )
