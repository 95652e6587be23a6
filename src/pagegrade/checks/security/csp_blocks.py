from collections.abc import Iterator
from typing import Final

from pagegrade.checks._check import Cap, State, Verdict, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document, Reference
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.http.csp import CSP
from pagegrade.parse.http.csp_matching import allows_inline, allows_url
from pagegrade.parse.party import Parties

MOST: Final = 0.5
"""Share of the page's own files and forms from which on the page cannot look or work as meant."""
MIN_INLINE_CHARS: Final = 200
"""Characters of inline styles from which on a page without them is not what it was meant to be."""
_DIRECTIVES: Final = {
    "stylesheet": "style-src-elem",
    "script": "script-src-elem",
    "image": "img-src",
    "font": "font-src",
}
_CODE: Final = "script-src-attr"
_TITLE: Final = "The policy blocks the page's own content"
_WHY: Final = "Browsers do not load or run what the policy forbids, so visitors miss these parts of the page."
_FIX: Final = (
    "Add `'self'` and the site's own hosts to the directives, with the single quotes, and a nonce or hash for inline "
    "code. Send the policy as `Content-Security-Policy-Report-Only` until nothing is reported."
)


@check(
    id="csp-blocks",
    title="Content blocked by the policy",
    severity=Severity.CRITICAL,
    since="0.1.0",
    cause="blocked-content",
    states=(
        State("allowed", "The Content Security Policy allows the page's own content."),
        State(
            "some", "The Content Security Policy blocks some of the page's own content.", 0.24, 0.6, _TITLE, _WHY, _FIX
        ),
        State(
            "most", "The Content Security Policy blocks most of the page's own content.", 1.0, None, _TITLE, _WHY, _FIX
        ),
    ),
    cap=Cap(49),
    sources=("https://www.w3.org/TR/CSP3/#match-url-to-source-expression",),
)
def csp_blocks(document: Document, csp: CSP, parties: Parties, response: Response) -> Verdict:
    """A Content Security Policy that forbids the page's own files breaks the page for every visitor.

    ## What it checks

    Every enforced policy, as browsers evaluate it, against the page's own stylesheets, scripts, images and fonts, its
    inline scripts and styles (a `sandbox` without `allow-scripts` or `allow-forms` forbids scripts or forms), the code
    that lets a stylesheet apply once it is there, and the targets of its forms. Files of third parties do not count,
    because a policy may keep those out on purpose. Blocking a part costs 6 points or more; where all styles or half of
    the files and forms are blocked, the score is 49 at most. A page without an enforced policy is not evaluated.

    ## Fails on

    ```http
    HTTP/2 200
    content-type: text/html; charset=utf-8
    content-security-policy: default-src 'none'
    ```

    ```html
    <!doctype html><title>Shop</title><link rel="stylesheet" href="/shop.css">
    ```

    ## Passes on

    ```http
    HTTP/2 200
    content-type: text/html; charset=utf-8
    content-security-policy: default-src 'self'
    ```

    ```html
    <!doctype html><title>Shop</title><link rel="stylesheet" href="/shop.css">
    ```
    """
    if not csp.enforced:
        return NotApplicable("The page has no enforced Content Security Policy.")
    seen = list(_own_content(document, csp, parties, response.url))
    if not seen:
        return NotApplicable("The page has no content of its own that a policy could block.")
    blocked = [offender for allowed, offender in seen if not allowed]
    if not blocked:
        return Outcome("allowed", value=0)
    files = [(allowed, offender) for allowed, offender in seen if offender.url]
    share = sum(not allowed for allowed, _ in files) / max(1, len(files))
    is_most = share >= MOST or _loses_all_styles(document, csp, response.url, seen)
    return Outcome(
        "most" if is_most else "some",
        value=len(blocked),
        evidence=evidence_of(document, blocked),
        total=len(blocked),
        loss=1.0 if is_most else 0.24 + 0.36 * share / MOST,
    )


def _loses_all_styles(document: Document, csp: CSP, url: str, seen: list[tuple[bool, Offender]]) -> bool:
    """Return whether own stylesheets, or more than a few inline rules, are blocked, and nothing styles the page."""
    sheets = [(allowed, offender) for allowed, offender in seen if offender.value in {"style-src-elem", _CODE}]
    inline_chars = sum(len(style.text) for style in document.styles)
    if any(allowed for allowed, _ in sheets) or not (
        any(offender.url for _, offender in sheets) or (sheets and inline_chars >= MIN_INLINE_CHARS)
    ):
        return False
    foreign = (one for one in document.references if one.kind == "stylesheet")
    return all(_blocked_by(csp, "style-src-elem", one, url) for one in foreign)


def _blocked_by(csp: CSP, directive: str, reference: Reference, page_url: str) -> str:
    """The directive that blocks a file; "" for one that is loaded.

    A stylesheet that an attribute with code lets apply has no effect where the code is not run.
    """
    nonce = reference.attrs.get("nonce", "")
    if not allows_url(csp, directive, reference.url, page_url=page_url, nonce=nonce):
        return directive
    waits = reference.kind == "stylesheet" and reference.lazy and "onload" in reference.attrs
    return _CODE if waits and not allows_inline(csp, _CODE, reference.attrs["onload"]) else ""


def _own_content(document: Document, csp: CSP, parties: Parties, url: str) -> Iterator[tuple[bool, Offender]]:
    """(whether it is allowed, what it is) of each part that the policy decides about."""
    listed: set[tuple[str, str]] = set()
    runs, sends = (_leaves(csp, name) for name in ("allow-scripts", "allow-forms"))
    for reference in document.references:
        directive = _DIRECTIVES.get(reference.kind)
        if directive is None or (directive, reference.url) in listed or not parties.is_own(reference.url):
            continue
        listed.add((directive, reference.url))
        by = _blocked_by(csp, directive, reference, url)
        by = "sandbox" if reference.kind == "script" and not runs else by
        yield not by, Offender(reference.node, "", by or directive, url=reference.url)
    for script in document.scripts:
        if script.kind in {"classic", "module"} and script.url is None and script.text.strip():
            allowed = allows_inline(csp, "script-src-elem", script.text, nonce=script.attrs.get("nonce", ""))
            yield allowed and runs, Offender(script.node, "", "script-src-elem" if runs else "sandbox")
    for style in document.styles:
        if style.text.strip():
            allowed = allows_inline(csp, "style-src-elem", style.text, nonce=style.attrs.get("nonce", ""))
            yield allowed, Offender(style.node, "", "style-src-elem")
    for form in document.forms:
        if parties.is_own(form.url):
            yield (
                sends and allows_url(csp, "form-action", form.url, page_url=url),
                Offender(form.node, "", "form-action" if sends else "sandbox", url=form.url),
            )


def _leaves(csp: CSP, flag: str) -> bool:
    """Return whether every sandbox of the page leaves it this freedom."""
    boxes = (policy.directives["sandbox"] for policy in csp.enforced if "sandbox" in policy.directives)
    return all(flag in (word.lower() for word in words) for words in boxes)
