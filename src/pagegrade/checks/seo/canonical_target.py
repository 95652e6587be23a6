from collections.abc import Iterator
from http import HTTPStatus
from typing import Final

from pagegrade.checks._check import Cap, State, Verdict, check
from pagegrade.checks._robots_rules import placed_rules
from pagegrade.model.artifacts import Navigation, NotGathered, Response, WellKnown
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.files.robots import Robots
from pagegrade.parse.http.robots_directives import ALL_BOTS
from pagegrade.parse.page_links import PageLink, canonical_links, same_page_key
from pagegrade.parse.url import origin, strip_fragment

_GONE: Final = frozenset({404, 410})
_MAX_VALUE: Final = 2_000


@check(
    id="canonical-target",
    title="Canonical URL target",
    severity=Severity.CRITICAL,
    since="0.1.0",
    cause="noindex",
    states=(
        State("reachable", "The canonical URL leads to a page that search engines can fetch."),
        State(
            "redirects",
            "The canonical URL redirects to this page.",
            loss=0.06,
            title="Canonical URL redirects",
            why=(
                "A canonical URL that redirects contradicts itself: the page names it as preferred, and the "
                "server names another. Search engines then decide on their own."
            ),
            fix="Set the canonical URL to the final URL, where the page answers with status 200.",
        ),
        State(
            "barred",
            "The robots.txt file blocks search engines from the canonical URL.",
            loss=0.32,
            title="Canonical URL is blocked by robots.txt",
            why=(
                "Search engines are sent to a URL that they may not fetch, so the page may appear in results "
                "without a description or not at all."
            ),
            fix="Remove the rule that blocks the URL from robots.txt, or name a canonical URL that may be crawled.",
        ),
        State(
            "moved",
            "The canonical URL redirects to another page.",
            loss=1.0,
            title="Canonical URL redirects to another page",
            why="Search engines are asked to index another page in place of this one, which then leaves their results.",
            fix="Set the canonical URL to the URL of this page, where it answers with status 200.",
        ),
        State(
            "noindex",
            "The page at the canonical URL asks search engines not to index it.",
            loss=1.0,
            title="Canonical URL asks not to be indexed",
            why="Search engines take both for one page, and may drop it from their results.",
            fix="Set the canonical URL to the URL of this page, or remove `noindex` from the page that it names.",
        ),
        State(
            "broken",
            "The canonical URL answers with an error.",
            loss=1.0,
            title="Canonical URL returns an error",
            why="Search engines are asked to index a page that does not exist in place of this one.",
            fix="Correct the canonical URL, or restore the page at that URL.",
        ),
        State(
            "locked",
            "The canonical URL asks for a user name and a password.",
            loss=1.0,
            title="Canonical URL is behind a password",
            why="Search engines are asked to index a page that they cannot read in place of this one.",
            fix="Set the canonical URL to the URL of this page, or open the one that it names to everybody.",
        ),
        State(
            "unresolved",
            "The canonical URL leads to a host name that does not exist or has no address.",
            loss=1.0,
            title="Canonical URL leads to a host that nobody can reach",
            why="Search engines are asked to index a page that nobody can reach in place of this one.",
            fix="Set the canonical URL to the URL of this page; the one that it names is often that of a test server.",
        ),
    ),
    cap=Cap(59, category_max_score=30),
    sources=("https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",),
)
def canonical_target(  # noqa: PLR0917 - what it names are artifacts
    document: Document,
    navigation: Navigation,
    robots: Robots | NotGathered,
    canonical_probe: WellKnown | NotGathered,
    canonical_page: Document | NotGathered,
    insecure_probe: WellKnown | NotGathered,
    sibling_probe: WellKnown | NotGathered,
) -> Verdict:
    """The canonical URL has to answer without a redirect or an error, and to be indexable.

    ## What it checks

    Where the page names exactly one canonical URL of its site that is not its own: whether robots.txt blocks it, and
    what answers there. An error with 404 or 410, a server that asks for a password, a host name that does not exist or
    has no address, be it that of a redirect, a redirect to another page and a page that asks not to be indexed keep
    this page out of search, and cost what `noindex` costs. A redirect back to this page, as from http to https, costs
    little. A URL of another site is not fetched.

    ## Fails on

    ```http canonical_probe
    GET https://example.com/shoes
    HTTP/2 404
    ```

    ```html
    <!doctype html>
    <title>Shop</title>
    <link rel="canonical" href="https://example.com/shoes">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shop</title>
    <link rel="canonical" href="https://example.com/">
    ```
    """
    response = navigation.response
    links = [link for link in canonical_links(document.links, response) if link.counts]
    targets = {link.url for link in links}
    if len(targets) != 1 or links[0].url is None:
        return NotApplicable("The page does not name exactly one canonical URL.")
    link, target = links[0], links[0].url
    if target == strip_fragment(document.url):
        return Outcome("reachable", value=target[:_MAX_VALUE])
    if isinstance(robots, Robots) and robots.access == "rules" and origin(target) == origin(response.url):
        decision = robots.decide("Googlebot", target)
        if not decision.allowed:
            return _outcome("barred", document, link, decision.rule)
    answers = [*navigation.hops, *_answers(canonical_probe), *_answers(insecure_probe), *_answers(sibling_probe)]
    known = next((answer for answer in answers if strip_fragment(answer.url) == target), None)
    if known is not None and 300 <= known.status < 400:
        return _outcome(_redirected(canonical_probe, target, document.url), document, link, known.status)
    if known is not None and known.status in _GONE:
        return _outcome("broken", document, link, known.status)
    if known is not None and known.status == HTTPStatus.UNAUTHORIZED:
        return _outcome("locked", document, link, known.status)
    if known is None and isinstance(canonical_probe, NotGathered) and canonical_probe.reason == "dns_nxdomain":
        return _outcome("unresolved", document, link, canonical_probe.reason)
    if known is None or not 200 <= known.status < 300:
        return NotRun("skipped", "The canonical URL is a different URL, of which the content is not known.")
    if isinstance(canonical_page, Document) and strip_fragment(canonical_page.url) == target:
        rules = (one.directive for one in placed_rules(canonical_page, known))
        if any(one.bot == ALL_BOTS and one.name in {"noindex", "none"} for one in rules):
            return _outcome("noindex", document, link, "noindex")
        return Outcome("reachable", value=target[:_MAX_VALUE])
    return NotRun("skipped", "The canonical URL is a different URL, of which the content is not known.")


def _answers(probe: WellKnown | NotGathered) -> Iterator[Response]:
    if isinstance(probe, WellKnown):
        yield from probe.hops
        yield probe.response


def _redirected(probe: WellKnown | NotGathered, target: str, page: str) -> str:
    """The state of a canonical URL that redirects, by where that ends."""
    if not isinstance(probe, WellKnown) or strip_fragment(probe.requested_url) != target:
        return "redirects"
    if probe.response.status in _GONE:
        return "broken"
    return "redirects" if same_page_key(probe.response.url) == same_page_key(page) else "moved"


def _outcome(state: str, document: Document, link: PageLink, cause: str | int) -> Outcome:
    return Outcome(
        state,
        value=(link.url or "")[:_MAX_VALUE],
        evidence=(link.evidence(document, str(cause)),),
        details=(Detail(code=state, actual=cause),),
    )
