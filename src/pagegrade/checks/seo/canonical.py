from collections.abc import Sequence
from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Outcome, Severity
from pagegrade.parse.language_tags import parse_language_tag
from pagegrade.parse.page_links import (
    PageLink,
    canonical_links,
    language_alternates,
    path_and_query,
    same_page_key,
)
from pagegrade.parse.url import host, same_site, scheme, strip_fragment

_HOME_PATHS: Final = frozenset(
    {
        "amp",
        "default.asp",
        "default.aspx",
        "home",
        "home.html",
        "index",
        "index.htm",
        "index.html",
        "index.php",
        "start",
    }
)
"""Last segments of paths that are often the start page under another name."""
_REASONS: Final = {
    "conflicting": "Names another address than the rest.",
    "unparsable": "Is no http or https address.",
    "relative": "Is not a whole address with scheme and host.",
    "in_body": "Stands in the body, where it does not count.",
    "root": "Points to the start page.",
    "root_of_home": "Points to the start page.",
    "alternate": "Points to another language version.",
    "repeated": "Names the same address once more.",
    "variant": "Differs from the page's address in scheme, www or a closing slash only.",
    "cross_domain": "Points to another site.",
}


@check(
    id="canonical",
    title="Canonical address",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("ok", "The page names one canonical address."),
        State("repeated", "The page names the same canonical address several times."),
        State("missing", "The page names no canonical address.", loss=0.5),
        State("variant", "The canonical address is the page's own in another spelling.", loss=0.5),
        State("root_of_home", "The canonical address is the start page.", loss=0.5),
        State("cross_domain", "The canonical address lies on another site.", loss=0.5),
        State("alternate", "The canonical address is another language version of the page.", loss=1.0),
        State("root", "The canonical address of this page is the start page.", loss=1.0),
        State("in_body", "The canonical address stands in the body, where it does not count.", loss=1.0),
        State("relative", "The canonical address is not a whole address.", loss=1.0),
        State("unparsable", "The canonical address cannot be read.", loss=1.0),
        State("conflicting", "The page names different canonical addresses.", loss=1.0),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc6596",
        "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    ),
)
def canonical(document: Document, response: Response) -> Outcome:
    """The canonical address tells search engines which of several addresses of a page to show.

    ## What it checks

    `<link rel="canonical">` in the head and `Link: <...>; rel="canonical"` in the headers. Best is one whole address,
    of the page itself or of another page on the same site. Failures: two different addresses, one that cannot be read,
    a relative one, one in the body only (the finding names the element that ended the head too early), the start page
    as canonical of a deeper page, and another language version. Warnings: none at all, a spelling that differs from the
    page's address in scheme, `www.` or a closing slash only, another site, and the start page as canonical of an
    address that often is the start page (`/index.html`, `/home`, `/amp`).

    The same address may be named several times, by tags and headers; this is pointed out and costs nothing. A page with
    http may name its https address. The canonical address is optional, so its absence is only a warning; it is one,
    though a third of well-known pages get it, because every page can be reached under addresses that nobody thinks of.
    One in the body is worse than none, since its author relies on it.

    ## Why it matters

    Shops and content systems answer with the same page under many addresses. Without a canonical address search engines
    choose by themselves; with a wrong one the page disappears in favour of another.

    ## How to fix

    Put one `<link rel="canonical">` with the whole address of the page into the head.

    ```html
    <link rel="canonical" href="https://example.com/shoes/red">
    ```

    The tag must come before anything in the head that browsers move to the body, such as `<div>` or `<img>`.

    ## Fails on

    ```html
    <!doctype html>
    <title>Red shoes</title>
    <link rel="canonical" href="https://example.com/shoes/red">
    <link rel="canonical" href="https://example.com/shoes/blue">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Start</title>
    <link rel="canonical" href="https://example.com/">
    ```
    """
    found = canonical_links(document, response)
    counted = [link for link in found if link.in_head]
    if not found:
        return Outcome("missing", details=(Detail(code="canonical_addresses", actual=0, limit=1),))
    if not counted:
        closer = document.head_closed_by
        cause = {None: "", "text": " Text ended the head before it."}.get(
            closer, f" The element <{closer}> ended the head before it."
        )
        message = canonical.state("in_body").message + cause
        return _outcome("in_body", found, document, message)
    unreadable = [link for link in counted if link.url is None]
    if unreadable:
        return _outcome("unparsable", unreadable, document)
    targets = {link.url for link in counted if link.url}
    if len(targets) > 1:
        return _outcome("conflicting", counted, document)
    relative = [link for link in counted if not link.is_absolute]
    if relative:
        return _outcome("relative", relative, document)
    target = targets.pop()
    state = _judge_target(target, document, response)
    if state == "ok" and sum(1 for link in found if link.link is not None) > 1:
        state = "repeated"
    if state == "ok":
        return Outcome("ok", value=target[:2_000])
    return _outcome(state, counted, document)


def _judge_target(target: str, document: Document, response: Response) -> str:
    own = strip_fragment(document.url)
    if target == own:
        return "ok"
    if same_page_key(target) == same_page_key(own):
        # Search engines prefer https, so naming it from the http address is what the tag is for.
        return "ok" if scheme(own) == "http" and scheme(target) == "https" else "variant"
    if not same_site(target, own):
        return "cross_domain"
    if _is_other_language(target, own, document, response):
        return "alternate"
    path, query = path_and_query(target)
    own_path, _ = path_and_query(own)
    if path == "/" and not query and own_path != "/" and host(target) == host(own):
        return "root_of_home" if own_path.rstrip("/").rsplit("/", 1)[-1].lower() in _HOME_PATHS else "root"
    return "ok"


def _is_other_language(target: str, own: str, document: Document, response: Response) -> bool:
    if same_page_key(target)[:2] == same_page_key(own)[:2]:
        # Only the query differs, as with tracking parameters: it is the same version of the page.
        return False
    alternates = language_alternates(document.links, response)
    named = [link.hreflang.strip() for link in alternates if link.url == target]
    if named and any(link.url == own for link in alternates):
        return True
    tags = (parse_language_tag(code) for code in named)
    languages = {tag.primary for tag in tags if tag is not None and tag.primary != "x"}
    own_tag = parse_language_tag(document.html.attrs.get("lang", "").strip()) if document.html else None
    return bool(languages) and own_tag is not None and own_tag.primary not in languages


def _outcome(state: str, links: Sequence[PageLink], document: Document, message: str = "") -> Outcome:
    return Outcome(
        state,
        value=(links[0].url or links[0].href)[:2_000],
        evidence=tuple(link.evidence(document, _REASONS[state]) for link in links[:100]),
        total=len(links),
        message=message,
    )
