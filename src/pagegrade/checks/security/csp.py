from collections.abc import Iterator
from typing import Final

import msgspec

from pagegrade.checks._check import State, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, Outcome, Severity
from pagegrade.parse.http.csp import CSP, IgnoredPart, Policy, SourceList, mask_nonces

_NOTED: Final = 1
_WEAK: Final = 2
_OPEN: Final = 3
_LIBRARY_HOSTS: Final = (
    "accounts.google.com",
    "ajax.googleapis.com",
    "ajax.aspnetcdn.com",
    "cdn.jsdelivr.net",
    "cdnjs.cloudflare.com",
    "gstatic.com",
    "raw.githubusercontent.com",
    "storage.googleapis.com",
    "unpkg.com",
    "www.google.com",
    "www.gstatic.com",
)
"""Hosts that hand out anyone's files, old template libraries, or scripts of the caller's choice (JSONP).

Naming them whole lets an injected script in.
"""
_SHARED_SUFFIXES: Final = (
    ".amazonaws.com",
    ".cloudfront.net",
    ".github.io",
    ".google.com",
    ".googleapis.com",
    ".gstatic.com",
    ".herokuapp.com",
)
"""The same for wildcards, also over hosts that are rented out by name."""
_MAY_REPEAT: Final = frozenset({"report-uri", "report-to"})
"""Directives whose second copy would protect from nothing."""
_SHOWN: Final = 20


class _Finding(msgspec.Struct, frozen=True):
    """One gap of one policy. Gaps of the same ``topic`` in several policies count as the smallest of them."""

    topic: str
    level: int
    directive: str
    value: str
    reason: str


@check(
    id="csp",
    title="Content Security Policy (CSP)",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("strict", "The policy stops injected scripts."),
        State("lenient", "The policy stops injected scripts, and allows other content freely."),
        State(
            "weak",
            "The policy stops injected scripts, but leaves gaps.",
            loss=0.5,
            title="Close gaps in the Content Security Policy",
            why=(
                "The listed gaps let an attacker who can insert markup load or redirect scripts in spite of the policy."
            ),
            fix=(
                "Add the missing directives or remove the listed sources. `object-src 'none'; base-uri 'none'` "
                "closes the most common gaps."
            ),
        ),
        State(
            "ignored",
            "Browsers ignore parts of the policy, or read them differently.",
            loss=0.5,
            title="Parts of the Content Security Policy without effect",
            why=(
                "Browsers skip words that they do not know, and take a keyword without single quotes as the name of a "
                "host. The policy then blocks the site's own files, or allows what it was meant to block."
            ),
            fix=(
                "Correct the listed parts. Keywords, nonces and hashes stand in straight single quotes, schemes end "
                "with a colon, and a semicolon ends each directive:\n\n"
                "```\n"
                "Content-Security-Policy: default-src 'self'; img-src 'self' data:; object-src 'none'\n"
                "```"
            ),
        ),
        State(
            "open",
            "The policy does not stop injected scripts.",
            loss=1.0,
            title="Content Security Policy allows injected scripts",
            why=(
                "A policy that allows `'unsafe-inline'` or any host does not protect: a script in a comment or "
                "search term runs."
            ),
            fix=(
                "Name your scripts by a nonce that is new for every response, and repeat it in `<script "
                'nonce="...">`:\n\n'
                "```\n"
                "Content-Security-Policy: script-src 'nonce-2726c7f26c' 'strict-dynamic'; object-src 'none'; "
                "base-uri 'none'\n"
                "```"
            ),
        ),
        State(
            "unreadable",
            "The policy contains no directive that browsers know.",
            loss=1.0,
            title="Content Security Policy is invalid",
            why="Browsers ignore the policy, so it protects from nothing.",
            fix=(
                "Correct the names of the directives, for example `script-src` and `object-src`, and separate "
                "them by semicolons."
            ),
        ),
        State(
            "report-only",
            "The policy only reports violations and stops nothing.",
            loss=1.0,
            title="Enforce the Content Security Policy",
            why="Browsers report injected scripts, but run them.",
            fix="Once the reports show no false alarms, send the same policy in the `Content-Security-Policy` header.",
        ),
        State(
            "missing",
            "The page has no Content Security Policy.",
            loss=1.0,
            title="Add a Content Security Policy",
            why=(
                "Where a comment, a search term or a plugin can put markup into the page, a script in it acts "
                "in the visitor's name. A policy makes such a mistake harmless."
            ),
            fix=(
                "Test a policy in a `Content-Security-Policy-Report-Only` header first, then enforce it. The nonce is "
                'a new random value in every response, and is repeated in each `<script nonce="...">`; a page without '
                "scripts needs `script-src 'none'` instead:\n\n"
                "```\n"
                "Content-Security-Policy: script-src 'nonce-2726c7f26c' 'strict-dynamic'; object-src 'none'; "
                "base-uri 'none'\n"
                "```"
            ),
        ),
    ),
    sources=(
        "https://www.w3.org/TR/CSP3/",
        "https://cheatsheetseries.owasp.org/cheatsheets/Content_Security_Policy_Cheat_Sheet.html",
        "https://web.dev/articles/strict-csp",
    ),
)
def csp(csp: CSP, document: Document) -> Outcome:
    """A Content Security Policy declares which scripts may run, so that injected ones do not.

    ## What it checks

    Every enforced policy, in headers and in `<meta>` elements of the head, read as browsers read it: one policy can
    only add to what another forbids, a nonce or hash switches `'unsafe-inline'` off, `'strict-dynamic'` switches
    hosts off, and of a repeated directive the first counts.

    It passes when scripts are limited to hosts, nonces or hashes, and `object-src` is limited as well, and with nonces
    or `'strict-dynamic'` also `base-uri`. It fails when there is no policy, when it only reports, when nothing limits
    scripts or plugins, and when scripts may come from anywhere: `'unsafe-inline'` without a nonce or hash, `*`, a bare
    scheme such as `https:` or `data:`. It costs half when a nonce lets scripts in and `base-uri` is open, with
    `'unsafe-eval'`, with `'strict-dynamic'` that has nothing to start from, with a host that serves files of anyone or
    is named with `http:` or `ftp:`, and when a directive is repeated, because browsers ignore every copy but the first,
    whichever was meant. It costs half as well when browsers skip a part of a policy or take it as something else: a
    directive that they do not know, a keyword without single quotes (`self` is the name of a host) or in other quotes,
    `'none'` beside other sources, a missing semicolon, a scheme without its colon. Capitals make no difference.

    Three gaps are named but cost nothing, because no script gets in through them: inline styles, which many frameworks
    need, images over plain HTTP, which browsers upgrade and the check of mixed content evaluates, and a policy that is
    only in a `<meta>`, which browsers enforce as well. A list of hosts passes, although some tools require nonces
    everywhere; and `base-uri` is required although some tools do not, since an injected `<base>` element sends the
    page's own trusted scripts to another server. Two policies are not merged word by word: `http:` in one and `https:`
    in another still let in every server with HTTPS. Two hashes without a space between them count as none.

    Three of four of the most visited sites have no policy, so most pages are flagged: a policy takes work, and its
    absence alone is no vulnerability, but nothing else limits the damage of one.

    ## Fails on

    ```http
    HTTP/2 200
    Content-Type: text/html
    Content-Security-Policy: default-src 'self'; script-src 'self' 'unsafe-inline'

    <!doctype html><title>Example</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Content-Type: text/html
    Content-Security-Policy: default-src 'self'; object-src 'none'; base-uri 'self'

    <!doctype html><title>Example</title>
    ```
    """
    enforced = csp.enforced
    shown = tuple(_evidence(csp, document))
    if not enforced:
        return Outcome(
            "report-only" if csp.report_only else "missing", value=_policies(len(csp.policies)) or None, evidence=shown
        )
    if not any(policy.readable for policy in enforced):
        return Outcome("unreadable", value=_policies(len(enforced)), evidence=shown)
    evaluated = [_evaluate(policy) for policy in enforced]
    findings = _together(evaluated)
    findings += _only_meta(enforced, evaluated)
    worst = max((finding.level for finding in findings), default=0)
    ignored = [_Finding("ignored", _WEAK, one.directive, one.text, _why_ignored(one)) for one in _ignored(enforced)]
    state = {0: "strict", _NOTED: "lenient", _WEAK: "weak", _OPEN: "open"}[worst]
    if ignored and worst < _OPEN:
        state = "ignored"
        findings, worst = ignored + findings, _WEAK
    else:
        findings += ignored
    reasons = tuple(
        Evidence(
            header="Content-Security-Policy",
            snippet=finding.directive,
            value=finding.value,
            reason=finding.reason,
            state=_state_of(finding, state),
        )
        for finding in findings[:_SHOWN]
    )
    details = tuple(Detail(code=finding.topic, actual=finding.value) for finding in findings[:_SHOWN])
    message = "" if worst == 0 else f"{_first(findings, worst).reason}."
    value = _policies(len(enforced))
    return Outcome(state, value=value, evidence=(*reasons, *shown), details=details, message=message)


def _state_of(finding: _Finding, state: str) -> str:
    """The state of an entry, where it is not that of the outcome."""
    own = "ignored" if finding.topic == "ignored" else "weak" if finding.level == _WEAK else state
    return "" if own == state else own


def _ignored(enforced: tuple[Policy, ...]) -> Iterator[IgnoredPart]:
    for policy in enforced:
        yield from policy.without_effect


def _why_ignored(part: IgnoredPart) -> str:
    text, name = part.text[:60], part.directive[:60]
    match part.code:
        case "directive":
            return f"Browsers do not know the directive {text}"
        case "not_ascii":
            return f"Browsers skip {name}, because it has characters beyond ASCII, such as curly quotes"
        case "no_quotes":
            return f"Browsers take {text} in {name} as the name of a host: it needs single quotes"
        case "wrong_quotes":
            return f"Browsers skip {text} in {name}: single quotes belong around keywords, nonces and hashes, no others"
        case "not_alone":
            return f"'none' in {name} has no effect beside other sources"
        case "no_semicolon":
            return f"Browsers take {text} as a source of {name}: a semicolon is missing before it"
        case "no_colon":
            return f"Browsers take {text} in {name} as the name of a host: a scheme ends with a colon"
        case "source":
            return f"Browsers skip {text} in {name}, which is no source"
        case "value":
            return f"Browsers skip {text}, which is no value of {name}"


def _policies(count: int) -> str:
    return "1 policy" if count == 1 else f"{count} policies" if count else ""


def _first(findings: list[_Finding], level: int) -> _Finding:
    return next(finding for finding in findings if finding.level == level)


def _together(evaluated: list[dict[str, _Finding]]) -> list[_Finding]:
    """Find the gaps that remain when all policies are enforced: those that every policy has, at their smallest."""
    shared = [topic for topic in evaluated[0] if all(topic in findings for findings in evaluated)]
    return [min((findings[topic] for findings in evaluated), key=lambda finding: finding.level) for topic in shared]


def _evaluate(policy: Policy) -> dict[str, _Finding]:
    """The gaps of one policy, the largest of each topic."""
    found: dict[str, _Finding] = {}
    for finding in _gaps(policy):
        if finding.topic not in found or finding.level > found[finding.topic].level:
            found[finding.topic] = finding
    return found


def _gaps(policy: Policy) -> Iterator[_Finding]:
    elements = policy.governing("script-src-elem")
    yield from _script_gaps(elements)
    handlers = policy.governing("script-src-attr")
    if handlers is not None and handlers.allows_all_inline:
        yield _finding("script", _OPEN, handlers, "'unsafe-inline'", "Any inline event handler runs")
    evaluated = policy.governing("script-src")
    if evaluated is None or evaluated.has("'unsafe-eval'"):
        yield _finding("eval", _WEAK, evaluated, "'unsafe-eval'", "Text can be turned into script by eval")
    objects = policy.governing("object-src")
    if objects is None or objects.open_sources:
        yield _finding(
            "object", _OPEN, objects, _value(objects), "Nothing limits plugins: object-src is open or missing"
        )
    bases = policy.directives.get("base-uri")
    base = None if bases is None else SourceList("base-uri", bases)
    # A list of hosts checks the origin of a redirected script, and a hash its content; a nonce, or a script that is
    # trusted to load others, would allow any origin.
    trusts_anywhere = elements is None or elements.has_nonce or elements.strict_dynamic
    if trusts_anywhere and (base is None or base.open_sources):
        yield _finding("base", _WEAK, base, _value(base), "An injected base element can redirect relative scripts")
    if repeated := [name for name in policy.duplicates if name not in _MAY_REPEAT]:
        reason = f"Browsers ignore all but the first {repeated[0][:60]}"
        yield _Finding("repeated", _WEAK, repeated[0][:200], "", reason)
    if elements is not None and elements.has_nonce_or_hash and not elements.open_sources:
        # Scripts that are named one by one leave little for injected styles to steal; hosts of images do not matter.
        return
    styles = policy.governing("style-src-elem")
    attributes = policy.governing("style-src-attr")
    if styles is None or styles.allows_all_inline or attributes is None or attributes.allows_all_inline:
        yield _finding("style", _NOTED, styles, "'unsafe-inline'", "Any inline style is applied")
    images = policy.governing("img-src")
    if images is None or any(_plain_http(source.lower()) for source in images.sources):
        yield _finding("image", _NOTED, images, _value(images), "Images may come over plain HTTP")


def _script_gaps(scripts: SourceList | None) -> Iterator[_Finding]:
    if scripts is None:
        yield _Finding(
            "script", _OPEN, "script-src", "", "Nothing limits scripts: script-src and default-src are missing"
        )
        return
    if scripts.allows_all_inline:
        yield _finding("script", _OPEN, scripts, "'unsafe-inline'", "Any inline script runs")
    for source in scripts.open_sources[:1]:
        yield _finding("script", _OPEN, scripts, source, f"Scripts may come from anywhere that {source[:60]} covers")
    plain = next((source for source in scripts.sources if source.lower().startswith(("http://", "ftp://"))), "")
    if plain and not scripts.strict_dynamic:
        reason = f"Scripts may come over an open connection from {plain[:60]}"
        yield _finding("script-http", _WEAK, scripts, plain, reason)
    if scripts.strict_dynamic:
        if not scripts.has_nonce_or_hash:
            yield _finding(
                "strict-dynamic", _WEAK, scripts, "'strict-dynamic'", "No nonce or hash starts 'strict-dynamic'"
            )
        return
    for source in scripts.sources:
        if _is_shared(source.lower()):
            reason = f"An attacker finds usable scripts on {source[:60]}"
            yield _finding("script-host", _WEAK, scripts, source, reason)
            return


def _is_shared(source: str) -> bool:
    """Return whether the expression lets in a host with everyone's files; a path behind the host narrows it down."""
    host, _, path = (source.partition("://")[2] or source).partition("/")
    if path:
        return False
    return host in _LIBRARY_HOSTS or (host.startswith("*.") and f".{host[2:]}" in _SHARED_SUFFIXES)


def _plain_http(source: str) -> bool:
    return source in {"*", "http:"} or source.startswith("http://")


def _only_meta(enforced: tuple[Policy, ...], evaluated: list[dict[str, _Finding]]) -> list[_Finding]:
    """A policy in the page comes after the head has begun and cannot hold every directive.

    It is not alone when a header limits scripts as well as it does.
    """
    levels = [findings["script"].level if "script" in findings else 0 for findings in evaluated]
    best = min(levels)
    if any(policy.source == "header" and level == best for policy, level in zip(enforced, levels, strict=True)):
        return []
    return [_Finding("meta", _NOTED, "meta", "", "The policy is in the page instead of a header")]


def _finding(topic: str, level: int, sources: SourceList | None, value: str, reason: str) -> _Finding:
    directive = "" if sources is None else mask_nonces(" ".join((sources.directive, *sources.sources)))[:200]
    return _Finding(topic, level, directive, mask_nonces(value)[:200] if sources is not None else "", reason)


def _value(sources: SourceList | None) -> str:
    return "" if sources is None else " ".join(sources.open_sources or sources.sources)


def _evidence(csp: CSP, document: Document) -> Iterator[Evidence]:
    for policy in csp.policies[:_SHOWN]:
        notes = []
        if policy.report_only:
            notes.append("only reports")
        if policy.duplicates:
            notes.append(f"repeated: {', '.join(policy.duplicates)}")
        if policy.ignored:
            notes.append(f"ignored in a meta element: {', '.join(policy.ignored)}")
        if policy.unknown:
            notes.append(f"unknown: {', '.join(policy.unknown)}")
        reason = "; ".join(notes)[:200]
        if policy.meta is not None:
            place = document.evidence(policy.meta, reason=reason)
            yield Evidence(
                selector=place.selector,
                line=place.line,
                column=place.column,
                snippet=policy.masked[:200],
                reason=reason,
            )
        else:
            name = "Content-Security-Policy-Report-Only" if policy.report_only else "Content-Security-Policy"
            yield Evidence(header=name, snippet=policy.masked[:200], reason=reason)
