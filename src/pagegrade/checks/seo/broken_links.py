from typing import Final

from pagegrade.checks._amounts import part
from pagegrade.checks._check import Cap, State, Verdict, check, offender_loss
from pagegrade.model.artifacts import LinkProbes, Probe
from pagegrade.model.document import Anchor, Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.url import strip_fragment

FULL_AT: Final = 5
_GONE: Final = frozenset({404, 410})
_CIRCLES: Final = frozenset({"redirect_loop", "too_many_redirects"})


@check(
    id="broken-links",
    title="Broken links",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("alive", "Every linked page that was requested exists."),
        State(
            "broken",
            "Links lead to pages of the site that do not exist.",
            loss=0.5,
            loss_max=1.0,
            title="Broken links",
            why=(
                "Visitors who follow these links get an error page instead of content. Search engines waste "
                "requests on them and discover fewer of your pages."
            ),
            fix=(
                "Correct the URL of each link, remove the link, or redirect the old URL to its replacement with "
                "status 301."
            ),
            counted=True,
        ),
        State(
            "most",
            "Most of the site's linked pages do not exist.",
            loss=1.0,
            title="Most links of the page are broken",
            why="Visitors reach next to nothing from here, and search engines cannot discover the rest of the site.",
            fix=(
                "Look for what the broken URLs have in common: a folder that was moved, a rule of the server "
                "that is missing, or "
                "a switched-off part of the site. Restore it, or redirect the old URLs with status 301."
            ),
        ),
    ),
    cap=Cap(49, states=("most",)),
    sources=("https://www.rfc-editor.org/rfc/rfc9110#section-15.5",),
)
def broken_links(document: Document, link_probes: LinkProbes) -> Verdict:
    """A link to a page that does not exist ends the visit.

    ## What it checks

    The first 20 different pages of its own host that the page links to, in the order of its links: each is requested
    with HEAD, and with GET if that is not successful. A link is broken if both are answered with 404, 410 or a server
    error (500 to 599), or if its redirects form a loop. The first costs half, five cost everything; five that are at
    least half of all answers limit the score.

    Not counted: refusals that may be meant for our fetcher only (401, 403, 405, 429 and others), overloaded servers
    that name a time for the next attempt (`Retry-After`), bot challenges, and pages that did not answer in time. Not
    requested are URLs that `robots.txt` or `rel="nofollow"` excludes for robots, URLs that seem to perform an action
    (such as logging out), and other sites, whose owners have not agreed to requests.

    ## Fails on

    ```html
    <!doctype html>
    <title>Shop</title>
    <a href="/chairs">Chairs</a> <a href="/old-tables">Tables</a>
    ```

    ```json link_probes
    {
      "items": [
        {"url": "https://example.com/chairs", "response": {"url": "https://example.com/chairs", "status": 200}},
        {"url": "https://example.com/old-tables", "response": {"url": "https://example.com/old-tables", "status": 404}}
      ],
      "found": 2
    }
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Shop</title>
    <a href="/chairs">Chairs</a> <a href="/tables">Tables</a>
    ```

    ```json link_probes
    {
      "items": [
        {"url": "https://example.com/chairs", "response": {"url": "https://example.com/chairs", "status": 200}},
        {"url": "https://example.com/tables", "response": {"url": "https://example.com/tables", "status": 200}}
      ],
      "found": 2
    }
    ```
    """
    if not link_probes.found:
        return NotApplicable("The page links to no other pages of its host that may be requested.")
    evaluated = [(probe, _verdict(probe)) for probe in link_probes.items]
    known = [(probe, reason) for probe, reason in evaluated if reason is not None]
    if not known:
        return NotRun("blocked", "No response of a linked page says whether the page exists.")
    broken = [(probe, reason) for probe, reason in known if reason]
    asked = (
        Detail(code="pages_evaluated", actual=len(known)),
        Detail(code="pages_linked", actual=link_probes.found),
    )
    if not broken:
        return Outcome("alive", value=f"{len(known)} of {link_probes.found} pages", details=asked)
    count = len(broken)
    is_most = count >= FULL_AT and 2 * count >= len(known)
    return Outcome(
        "most" if is_most else "broken",
        value=part(count, len(known), "page"),
        evidence=_evidence(document, broken),
        total=count,
        details=(Detail(code="broken_links", actual=count, limit=0), *asked),
        loss=offender_loss(count, FULL_AT),
        message="One link leads to a page that does not exist."
        if count == 1
        else f"{count} links lead to pages that do not exist.",
    )


def _verdict(probe: Probe) -> str | None:
    """Explain why the page does not exist; "" when it does, ``None`` when the response does not say."""
    response = probe.response
    if response is None:
        circle = probe.failure is not None and probe.failure.reason in _CIRCLES
        return "redirects in a circle" if circle else None
    status = response.status
    if status < 400:
        return ""
    if response.header("cf-mitigated") is not None or response.header("retry-after") is not None:
        return None
    return f"status {status}" if status in _GONE or 500 <= status <= 599 else None


def _evidence(document: Document, broken: list[tuple[Probe, str]]) -> tuple[Evidence, ...]:
    """Each address with the first link that leads to it."""
    anchors: dict[str, Anchor] = {}
    for anchor in document.anchors:
        if anchor.url is not None:
            anchors.setdefault(strip_fragment(anchor.url), anchor)
    return tuple(
        document.evidence(anchors[probe.url], url=probe.url, reason=reason)
        if probe.url in anchors
        else Evidence(url=probe.url, reason=reason)
        for probe, reason in broken[:MAX_EVIDENCE]
    )
