from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from pagegrade.checks._check import Cap, State, check
from pagegrade.model.artifacts import NotGathered, Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Outcome, Severity
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
    "conflicting": "Names another URL than the other links.",
    "unparsable": "Is not an http or https URL.",
    "relative": "Is not an absolute URL with scheme and host.",
    "disqualified": "Has an attribute with which search engines do not use it: hreflang, lang, media or type.",
    "in_body": "Is in the body, where search engines ignore it.",
    "root": "Points to the home page.",
    "root_of_home": "Points to the home page.",
    "alternate": "Points to another language version.",
    "repeated": "Names the same URL again.",
    "variant": "Differs from the page's URL only in scheme, www. or a trailing slash.",
    "cross_domain": "Points to another site.",
    "fragment": "Holds a fragment (#), which search engines leave out.",
}


@check(
    id="canonical",
    title="Canonical URL",
    severity=Severity.CRITICAL,
    since="0.1.0",
    cause="noindex",
    states=(
        State("ok", "The page declares one canonical URL."),
        State("repeated", "The page declares the same canonical URL several times."),
        State(
            "scripted",
            "Only scripts declare a canonical URL.",
            loss=0.03,
            title="Canonical URL is added by scripts",
            why=(
                "Search engines decide before they run scripts, and some never run them. They may choose another URL "
                "of the page."
            ),
            fix="Send the canonical link in the HTML, or as an HTTP `Link` header.",
        ),
        State(
            "missing",
            "The page declares no canonical URL.",
            loss=0.06,
            title="Declare a canonical URL",
            why=(
                "Every page can be reached under several URLs, for example with tracking parameters. Without a "
                "canonical URL search engines choose which one to index and may split ranking signals between "
                "them."
            ),
            fix=(
                "Add a link element with the absolute URL of this page to the head:\n\n"
                "```html\n"
                '<link rel="canonical" href="https://example.com/shoes/red">\n'
                "```"
            ),
        ),
        State(
            "variant",
            "The canonical URL differs from the page's URL only in scheme, www. or a trailing slash.",
            loss=0.06,
            title="Canonical URL differs slightly from the page's own URL",
            why=(
                "The page is served under one spelling of its URL and names another as the preferred one. "
                "Search engines get contradicting signals and may index either."
            ),
            fix="Use one spelling everywhere: in the canonical URL, in internal links and in the server's redirects.",
        ),
        State(
            "root_of_home",
            "The canonical URL is the home page.",
            loss=0.06,
            title="Canonical URL of this page is the home page",
            why="If this URL is not the home page itself, search engines will show the home page in its place.",
            fix=(
                "If this is the home page under another name, redirect this URL to `/` with status 301. "
                "Otherwise set the canonical URL to the URL of this page."
            ),
        ),
        State(
            "fragment",
            "The canonical URL has a fragment.",
            loss=0.06,
            title="Canonical URL with a fragment",
            why="Search engines leave the part behind `#` out, so it names no page of its own.",
            fix="Write the URL of the page without `#` and what follows it.",
        ),
        State(
            "disqualified",
            "The canonical link has an attribute with which search engines do not use it.",
            loss=0.12,
            title="Canonical link has an attribute that disqualifies it",
            why=(
                "Google uses no canonical link with `hreflang`, `lang`, `media` or `type`. The page is treated as if "
                "it had none."
            ),
            fix="Remove these attributes from the canonical link. Language versions have links of their own.",
        ),
        State(
            "in_body",
            "The canonical link is in the body, where search engines ignore it.",
            loss=0.12,
            title="Canonical URL is in the body",
            why="Search engines read canonical links only in the head. The page is treated as if it had none.",
            fix=(
                'Move the `<link rel="canonical">` into the head, before any element that browsers move to the '
                "body, such as `<div>`, `<img>` or `<iframe>`."
            ),
        ),
        State(
            "relative",
            "The canonical URL is not an absolute URL.",
            loss=0.12,
            title="Canonical URL is not absolute",
            why=(
                "A relative canonical URL changes its meaning with the URL the page is served under, so every "
                "copy of the page names itself."
            ),
            fix="Write the whole URL, with scheme and host: `https://example.com/shoes/red`.",
        ),
        State(
            "unparsable",
            "The canonical URL is not a valid http or https URL.",
            loss=0.12,
            title="Canonical URL is invalid",
            why="Search engines ignore a canonical URL that they cannot parse. The page is treated as if it had none.",
            fix="Correct the URL in the `href` attribute of the canonical link.",
        ),
        State(
            "conflicting",
            "The page declares different canonical URLs.",
            loss=0.12,
            title="Conflicting canonical URLs",
            why="Search engines ignore canonical links that contradict each other and choose a URL themselves.",
            fix="Keep one canonical URL. Look for a second one set by a plugin, a theme or an HTTP `Link` header.",
        ),
        State(
            "cross_domain",
            "The canonical URL is on another site.",
            loss=1.0,
            title="Canonical URL points to another site",
            why=(
                "Search engines are asked to show the other site's page instead of this one. That is right for "
                "syndicated content and wrong for anything else."
            ),
            fix=(
                "Keep it if this page republishes an article of the other site. Otherwise set the canonical URL "
                "to the URL of this page."
            ),
        ),
        State(
            "alternate",
            "The canonical URL is another language version of the page.",
            loss=1.0,
            title="Canonical URL points to another language version",
            why=(
                "Search engines are asked to drop this language version and show the other one, so speakers of "
                "this language do not find it."
            ),
            fix="Let every language version name itself as canonical, and connect the versions with `hreflang` links.",
        ),
        State(
            "root",
            "The canonical URL of this page is the home page.",
            loss=1.0,
            title="Canonical URL points to the home page",
            why=(
                "Search engines are asked to show the home page in place of this page, so this page disappears "
                "from results."
            ),
            fix=(
                "Set the canonical URL to the URL of this page. The cause is often a template that prints the "
                "site's URL on every page."
            ),
        ),
    ),
    cap=Cap(59, category_max_score=30),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc6596",
        "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    ),
)
def canonical(document: Document, response: Response, drawn_document: Document | NotGathered) -> Outcome:
    """The canonical URL names the one of several URLs of a page that search engines should show.

    ## What it checks

    `<link rel="canonical">` in the head and `Link: <...>; rel="canonical"` in the headers. Best is one absolute URL, of
    the page itself or of another page on the same site. Failures: two different URLs, one that cannot be read, a
    relative one, one in the body only (the finding names the element that ended the head too early), one with
    `hreflang`, `lang`, `media` or `type`, which Google does not use, the home page as canonical of a deeper page, and
    another language version. Warnings: none at all, one with a fragment, a spelling that differs from the page's URL
    only in scheme, `www.` or a trailing slash, another site, the home page as canonical of a URL that often is the home
    page (`/index.html`, `/home`, `/amp`), and one that only scripts add in a browser.

    The same URL may be named several times, by tags and headers; this is reported and costs nothing. A page with http
    may name its https URL. The canonical URL is optional, so its absence is only a warning. A third of well-known pages
    get this warning, because every page can be reached under several URLs. A canonical URL in the body is worse than
    none, since its author relies on it.

    A canonical URL that is the home page, another language version or another site keeps the page out of search results
    as `noindex` does, so it costs the same: while it fails, the score cannot exceed 59, and that of the category 30.

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
    found = canonical_links(document.links, response)
    counted = [link for link in found if link.counts]
    if not found and isinstance(drawn_document, Document):
        added = [link for link in canonical_links(drawn_document.links, response) if link.counts and link.url]
        if added:
            return Outcome(
                "scripted", value=(added[0].url or "")[:2_000], evidence=(added[0].evidence(drawn_document, ""),)
            )
    if not found:
        return Outcome("missing", details=(Detail(code="canonical_addresses", actual=0, limit=1),))
    if not counted and any(link.in_head for link in found):
        return _outcome([("disqualified", [link for link in found if link.in_head])], document)
    if not counted:
        closer = document.head_closed_by
        message = canonical.state("in_body").message
        if closer is not None:
            cause = "Text ended the head before it." if closer == "text" else f"<{closer}> ended the head before it."
            message = f"{message} {cause}"
        return _outcome([("in_body", found)], document, message)
    faults = list(_faults(counted, document, response))
    if faults:
        return _outcome(faults, document)
    if sum(1 for link in found if link.link is not None) > 1:
        return _outcome([("repeated", counted)], document)
    return Outcome("ok", value=(counted[0].url or "")[:2_000])


def _faults(
    counted: Sequence[PageLink], document: Document, response: Response
) -> Iterator[tuple[str, Sequence[PageLink]]]:
    """(state, its links) of everything that is wrong, the worst first."""
    unreadable = [link for link in counted if link.url is None]
    if unreadable:
        yield "unparsable", unreadable
    by_target: dict[str, list[PageLink]] = {}
    for link in counted:
        if link.url:
            by_target.setdefault(link.url, []).append(link)
    if len(by_target) > 1:
        yield "conflicting", counted if not unreadable else [link for link in counted if link.url]
    relative = [link for link in counted if link.url is not None and not link.is_absolute]
    if relative:
        yield "relative", relative
    with_fragment = [link for link in counted if "#" in link.href]
    by_state: dict[str, list[PageLink]] = {"fragment": with_fragment} if with_fragment else {}
    for target, links in islice(by_target.items(), MAX_EVIDENCE):
        state = _evaluate_target(target, document, response)
        if state != "ok":
            by_state.setdefault(state, []).extend(links)
    order = [state.name for state in canonical.states]
    yield from sorted(by_state.items(), key=lambda entry: -order.index(entry[0]))


def _evaluate_target(target: str, document: Document, response: Response) -> str:
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


def _outcome(faults: Sequence[tuple[str, Sequence[PageLink]]], document: Document, message: str = "") -> Outcome:
    """The state of the first fault, with the links of all."""
    worst, links = faults[0]
    listed = [(link, state) for state, some in faults for link in some]
    return Outcome(
        worst,
        value=(links[0].url or links[0].href)[:2_000],
        evidence=tuple(
            link.evidence(document, _REASONS[state], "" if state == worst else state)
            for link, state in islice(listed, MAX_EVIDENCE)
        ),
        total=len(listed),
        message=message,
    )
