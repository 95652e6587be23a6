import itertools
from collections.abc import Iterator
from typing import Final

from pagegrade.checks._check import Cap, State, Verdict, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document, Image, Reference
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.http.csp import CSP, allows_inline, allows_url
from pagegrade.parse.party import Parties
from pagegrade.parse.url import host, host_address

MOST: Final = 0.5
"""Share of the page's own files and forms from which on the page cannot look or work as meant."""
MIN_INLINE_CHARS: Final = 200
"""Characters of inline styles from which on a page without them is not what it was meant to be."""
_DIRECTIVES: Final = {
    "stylesheet": "style-src-elem",
    "script": "script-src-elem",
    "image": "img-src",
    "font": "font-src",
    "frame": "frame-src",
    "media": "media-src",
    "object": "object-src",
}
_UPGRADED: Final = frozenset({"image", "media"})
"""Kinds of files that browsers request over https where a page over https names them with http."""
MIN_DATA_CHARS: Final = 200
"""Characters of an image written as ``data:``; shorter ones hold the place of another."""
_SHOWN: Final = frozenset(
    "align alt border class decoding dir fetchpriority height hspace id itemprop lang loading longdesc role src style"
    " tabindex title usemap vspace width".split()
)
"""Attributes of an image that shows what it holds; any other may name a file that a script puts in its place."""
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
            "attributes",
            "The Content Security Policy blocks code or styles in attributes.",
            0.04,
            0.12,
            "The policy blocks code and styles in attributes",
            "Browsers ignore these attributes, so that buttons do nothing and parts of the page look other than meant.",
            (
                "Move the code into a script that adds event listeners, and the styles into a stylesheet. The policy "
                "can also allow single attributes by `'unsafe-hashes'` and the hash of each."
            ),
        ),
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
def csp_blocks(
    document: Document, csp: CSP, parties: Parties, response: Response, accessibility: Accessibility
) -> Verdict:
    """A Content Security Policy that forbids the page's own files breaks the page for every visitor.

    ## What it checks

    Every enforced policy, as browsers evaluate it, against the page's own stylesheets, scripts, images, fonts, frames
    and media, images written as `data:` (unless they hold the place of another), its inline scripts and styles (a
    `sandbox` without `allow-scripts` or `allow-forms` forbids scripts or forms), the code that lets a stylesheet apply
    once it is there, and the targets of its forms. URLs that browsers change to https first are compared as https.
    Files of third parties do not count, because a policy may keep those out on purpose. Blocking a part costs 6 points
    or more; where all styles or half of the files and forms are blocked, the score is 49 at most. Where only attributes
    are blocked, `style` costs 1 point, and event handlers of links, buttons, fields and forms cost 3. A page without an
    enforced policy is not evaluated.

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
    attributes = list(_own_attributes(document, csp, accessibility))
    if not seen and not attributes:
        return NotApplicable("The page has no content of its own that a policy could block.")
    blocked = [offender for allowed, offender in seen if not allowed]
    if not blocked:
        ignored = [offender for allowed, offender in attributes if not allowed]
        return Outcome(
            "attributes" if ignored else "allowed",
            value=len(ignored),
            evidence=evidence_of(document, ignored),
            total=len(ignored),
            loss=(0.12 if any(one.value == _CODE for one in ignored) else 0.04) if ignored else None,
        )
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
    url = _as_requested(csp, reference.url, page_url, upgraded=reference.kind in _UPGRADED)
    if not allows_url(csp, directive, url, page_url=page_url, nonce=nonce):
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
    for image in document.images:
        if _is_written_out(image):
            allowed = allows_url(csp, "img-src", image.url or "", page_url=url)
            yield allowed, Offender(image.node, "", "img-src")
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
                sends and allows_url(csp, "form-action", _as_requested(csp, form.url or "", url), page_url=url),
                Offender(form.node, "", "form-action" if sends else "sandbox", url=form.url),
            )


def _is_written_out(image: Image) -> bool:
    """Return whether the page holds the image itself (``data:``), and no file or script puts another in its place."""
    url = image.url or ""
    return (
        url.startswith("data:")
        and len(url) >= MIN_DATA_CHARS
        and not image.hidden
        and all(one == url for one in image.candidates)
        and all(name in _SHOWN or name.startswith("aria-") for name in image.attrs)
    )


def _own_attributes(document: Document, csp: CSP, accessibility: Accessibility) -> Iterator[tuple[bool, Offender]]:
    """(whether it is allowed, what it is) of each ``style`` and each event handler of what visitors operate."""
    operated = (document.anchors, document.named, document.controls, document.forms, accessibility.click_targets)
    handled = {
        one.node: text
        for one in itertools.chain(*operated)
        for name, text in one.attrs.items()
        if name.startswith("on") and text.strip()
    }
    for node, text in handled.items():
        yield allows_inline(csp, _CODE, text), Offender(node, "", _CODE)
    for style in document.style_attributes:
        if style.value.strip():
            yield allows_inline(csp, "style-src-attr", style.value), Offender(style.node, "", "style-src-attr")


def _as_requested(csp: CSP, url: str, page_url: str, *, upgraded: bool = False) -> str:
    """The URL that browsers request, which they compare with the policy after changing http to https.

    Source: https://fetch.spec.whatwg.org/#main-fetch
    """
    if not url.startswith("http:"):
        return url
    # A picture of a host without a name is not changed, but blocked as mixed content.
    changed = upgraded and page_url.startswith("https:") and host_address(host(url)) is None
    return url.replace("http:", "https:", 1) if changed or csp.enforces("upgrade-insecure-requests") else url


def _leaves(csp: CSP, flag: str) -> bool:
    """Return whether every sandbox of the page leaves it this freedom."""
    boxes = (policy.directives["sandbox"] for policy in csp.enforced if "sandbox" in policy.directives)
    return all(flag in (word.lower() for word in words) for words in boxes)
