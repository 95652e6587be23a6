from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import NotGathered, Response, WellKnown
from pagegrade.model.outcome import Evidence, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.page_links import path_and_query
from pagegrade.parse.url import host, scheme

COMPARED_BYTES: Final = 65_536
"""Of either page; as much as is read of the other one."""
SAME_SHARE: Final = 0.7
"""Share of equal tags and texts from which two pages are taken for one; nonces and dates differ every time."""
_TEMPORARY: Final = frozenset({302, 303, 307})
_NO_SITE: Final = frozenset({404, 410, 421})


@check(
    id="host-canonicalization",
    title="www and non-www host",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("one", "The site answers under one host name."),
        State(
            "temporary",
            "The other host name redirects with a temporary status.",
            loss=0.5,
            title="Redirect to the preferred host is temporary",
            why="A temporary redirect means that the old URL stays valid, so search engines keep both hosts.",
            fix="Redirect with status 301 or 308 instead of 302, 303 or 307.",
        ),
        State(
            "chain",
            "The other host name redirects through another URL.",
            loss=0.5,
            title="Redirect to the preferred host takes a detour",
            why="Each extra redirect costs visitors a round trip to the server.",
            fix="Let one rule build the final URL, with scheme and host, and redirect to it in one step.",
        ),
        State(
            "both",
            "The site answers under two host names, with and without www.",
            loss=0.5,
            title="Both hosts answer, with and without www",
            why=(
                "Visitors and links split between two hosts whose home pages differ. Search engines treat them "
                "as two sites."
            ),
            fix="Choose one host and redirect the other to it with status 301, each path to the same path.",
        ),
        State(
            "duplicate",
            "The same page answers under two host names, with and without www.",
            loss=1.0,
            title="The same site answers with and without www",
            why=(
                "Every page exists twice. Links split between the two hosts, and search engines choose which "
                "one to show."
            ),
            fix="Redirect one of the two hosts to the other with status 301, each path to the same path.",
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",),
)
def host_canonicalization(response: Response, sibling_probe: WellKnown | NotGathered) -> Verdict:
    """A site should answer under one host name, with or without `www.`.

    ## What it checks

    The home page under the other name of the site: without `www.` where the page has it, with it where not. It should
    lead to this name by one permanent redirect (301 or 308). A temporary redirect (302, 303, 307) and a redirect by way
    of another URL are warnings. If both names answer, it is a warning, and a failure if the home pages are the same. A
    name that does not exist is fine, and so is one that leads to another site. Deeper names such as `shop.example.com`
    have no other name. Redirects from http are evaluated by a check of their own.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <h1>Garden furniture</h1>
    ```

    ```http sibling_probe
    HTTP/2 200

    <!doctype html>
    <title>Garden furniture</title>
    <h1>Garden furniture</h1>
    ```

    ## Passes on

    ```http sibling_probe
    GET https://www.example.com/
    HTTP/2 301
    location: https://example.com/
    --
    GET https://example.com/
    HTTP/2 200

    <!doctype html>
    <title>Garden furniture</title>
    ```
    """
    if isinstance(sibling_probe, NotGathered):
        if sibling_probe.code == "not_applicable":
            return NotApplicable("The host has no counterpart with or without www.")
        if sibling_probe.code == "dns":
            return Outcome("one", value="The other name does not exist.")
        return NotRun(sibling_probe.code, sibling_probe.detail)
    own = host(response.url)
    if host(sibling_probe.requested_url) == own:
        return NotApplicable("The host has no counterpart with or without www.")
    if any(host(hop.url) == own for hop in (*sibling_probe.hops, sibling_probe.response)):
        return _evaluate_redirect(sibling_probe, own, scheme(response.url))
    answer = sibling_probe.response
    if host(answer.url) != host(sibling_probe.requested_url):
        return Outcome("one", value="The other name leads to another site.")
    if not 200 <= answer.status < 300:
        if answer.status in _NO_SITE:
            return Outcome("one", value=answer.status)
        return NotRun("protocol", f"The other name of the site answered with status {answer.status}.")
    evidence = (Evidence(url=answer.url, value=f"status {answer.status}", reason="answers as well"),)
    if path_and_query(response.url) != path_and_query(answer.url):
        return Outcome("both", value=host(answer.url), evidence=evidence)
    if _is_same(response.body, answer.body):
        return Outcome("duplicate", value=host(answer.url), evidence=evidence)
    return Outcome("one", value="The other name shows another page.")


def _evaluate_redirect(probe: WellKnown, own: str, wanted: str) -> Outcome:
    """The way from the other name to this one; what comes after that is no matter of names."""
    answers = (*probe.hops, probe.response)
    arrived = [index for index, answer in enumerate(answers) if host(answer.url) == own]
    encrypted = [index for index in arrived if scheme(answers[index].url) == wanted]
    way = answers[: (encrypted or arrived)[0]]
    evidence = tuple(Evidence(url=hop.url, value=f"status {hop.status}", reason="redirects") for hop in way)
    if any(hop.status in _TEMPORARY for hop in way):
        return Outcome("temporary", value=len(way), evidence=evidence)
    if len(way) > 1:
        return Outcome("chain", value=len(way), evidence=evidence)
    return Outcome("one", value=len(way), evidence=evidence)


def _is_same(one: bytes, other: bytes) -> bool:
    """Return whether two pages share most of their pieces between tags."""
    first = set(one[:COMPARED_BYTES].split(b"<"))
    second = set(other[:COMPARED_BYTES].split(b"<"))
    return len(first & second) >= SAME_SHARE * max(len(first), len(second))
