from collections.abc import Iterator
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Navigation, NotGathered, Response, WellKnown
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.files.robots import Robots
from pagegrade.parse.page_links import PageLink, canonical_links
from pagegrade.parse.url import origin, strip_fragment

_GONE: Final = frozenset({404, 410})


@check(
    id="canonical-target",
    title="Canonical URL target",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("reachable", "The canonical URL leads to a page that search engines can fetch."),
        State(
            "redirects",
            "The canonical URL redirects.",
            loss=0.5,
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
            loss=1.0,
            title="Canonical URL is blocked by robots.txt",
            why=(
                "Search engines are sent to a URL that they may not fetch, so the page may appear in results "
                "without a description or not at all."
            ),
            fix="Remove the rule that blocks the URL from robots.txt, or name a canonical URL that may be crawled.",
        ),
        State(
            "broken",
            "The canonical URL answers with an error.",
            loss=1.0,
            title="Canonical URL returns an error",
            why="Search engines are asked to index a page that does not exist in place of this one.",
            fix="Correct the canonical URL, or restore the page at that URL.",
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",),
)
def canonical_target(
    document: Document,
    navigation: Navigation,
    robots: Robots | NotGathered,
    insecure_probe: WellKnown | NotGathered,
    sibling_probe: WellKnown | NotGathered,
) -> Verdict:
    """The canonical URL has to answer without a redirect or an error.

    ## What it checks

    Where the page names exactly one canonical URL, whether that is the page itself, one that redirects on the way
    to this page or to its host, one that answers there with 404 or 410, or one of this host that robots.txt blocks.
    Another URL is not fetched for this check; it is then not evaluated.

    ## Why it matters

    Search engines ignore a canonical URL that they cannot fetch or index, and choose another one.

    ## How to fix

    Name the URL at which the page answers without a redirect and which robots.txt allows.

    ## Fails on

    ```http
    GET http://example.com/
    HTTP/1.1 301
    location: https://example.com/
    --
    GET https://example.com/
    HTTP/2 200
    ```

    ```html
    <!doctype html>
    <title>Shop</title>
    <link rel="canonical" href="http://example.com/">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shop</title>
    <link rel="canonical" href="https://example.com/">
    ```
    """
    response = navigation.response
    links = [link for link in canonical_links(document, response) if link.counts]
    targets = {link.url for link in links}
    if len(targets) != 1 or links[0].url is None:
        return NotApplicable("The page does not name exactly one canonical URL.")
    link, target = links[0], links[0].url
    if target == strip_fragment(document.url):
        return Outcome("reachable", value=target[:2_000])
    answers = [*navigation.hops, *_answers(insecure_probe), *_answers(sibling_probe)]
    known = next((answer for answer in answers if strip_fragment(answer.url) == target), None)
    if known is not None and 300 <= known.status < 400:
        return _outcome("redirects", document, link, known.status)
    if known is not None and known.status in _GONE:
        return _outcome("broken", document, link, known.status)
    if isinstance(robots, Robots) and robots.access == "rules" and origin(target) == origin(response.url):
        decision = robots.decide("Googlebot", target)
        if not decision.allowed:
            return _outcome("barred", document, link, decision.rule)
    return NotRun("skipped", "The canonical URL is a different URL, which was not fetched.")


def _answers(probe: WellKnown | NotGathered) -> Iterator[Response]:
    if isinstance(probe, WellKnown):
        yield from probe.hops
        yield probe.response


def _outcome(state: str, document: Document, link: PageLink, cause: str | int) -> Outcome:
    return Outcome(
        state,
        value=(link.url or "")[:2_000],
        evidence=(link.evidence(document, str(cause)),),
        details=(Detail(code=state, actual=cause),),
    )
