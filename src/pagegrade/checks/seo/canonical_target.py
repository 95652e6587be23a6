from collections.abc import Iterator
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Navigation, NotGathered, Response, WellKnown
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.page_links import PageLink, canonical_links
from pagegrade.parse.robots import Robots
from pagegrade.parse.url import origin, strip_fragment

_GONE: Final = frozenset({404, 410})


@check(
    id="canonical-target",
    title="Target of the canonical address",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("reachable", "The canonical address leads to a page that search engines can read."),
        State("redirects", "The canonical address redirects.", loss=0.5),
        State("barred", "The robots.txt file bars search engines from the canonical address.", loss=1.0),
        State("broken", "The canonical address answers with an error.", loss=1.0),
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
    """The canonical address has to be one that answers by itself.

    ## What it checks

    Where the page names exactly one canonical address, whether that is the page itself, one that redirects on the way
    to this page or to its host, one that answers there with 404 or 410, or one of this host that robots.txt bars.
    Another address is not fetched for this check; it is then not judged.

    ## Why it matters

    Search engines set a canonical address aside that they cannot read, and choose one themselves.

    ## How to fix

    Name the address at which the page answers without a redirect, and which robots.txt allows.

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
    links = [link for link in canonical_links(document, response) if link.in_head]
    targets = {link.url for link in links}
    if len(targets) != 1 or links[0].url is None:
        return NotApplicable("The page does not name exactly one canonical address.")
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
    return NotRun("skipped", "The canonical address is another one, which was not fetched.")


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
