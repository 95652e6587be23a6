from collections.abc import Iterator
from typing import Final

from pagegrade.checks._check import NEEDS_RENDERING, State, Verdict, check
from pagegrade.checks._links import PageLinks
from pagegrade.model.document import Anchor, Document, Link
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, Outcome, Severity
from pagegrade.parse.data.social_networks import is_of_network, network_of_profile
from pagegrade.parse.url import join_url, origin

MAX_VALUES: Final = 2_000
"""Values of structured data that are looked at; profiles stand near its top."""


@check(
    id="social-links",
    title="Social media profiles",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("linked", "The page links to a social media profile."),
        State("none", "The page links to no social media profile."),
    ),
    sources=("https://schema.org/sameAs", "https://microformats.org/wiki/rel-me"),
)
def social_links(document: Document, page_links: PageLinks) -> Verdict:
    """Links to profiles show where else people can find the site's owner.

    ## What it checks

    Looks for links to profiles on known social networks, for links marked `rel="me"`, and for `sameAs` in structured
    data. Share buttons and single posts are no profiles. It is informative and costs nothing, because a site needs
    none.

    ## Fails on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <a href="https://www.facebook.com/sharer/sharer.php?u=https%3A%2F%2Fexample.com%2F">Share</a>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <a href="https://www.facebook.com/garden.furniture">Facebook</a>
    ```
    """
    found: dict[str, Evidence] = {}
    for url, fact in _links(document, page_links):
        network = network_of_profile(url) or ("profile (rel=me)" if fact is not None and _is_me(fact) else None)
        if network is None or url in found or len(found) >= MAX_EVIDENCE:
            continue
        if fact is None:
            found[url] = Evidence(url=url, reason=f"{network} (sameAs)")
        else:
            found[url] = document.evidence(fact, reason=network, url=url)
    if found:
        return Outcome("linked", value=len(found), evidence=tuple(found.values()))
    if document.client_rendered:
        return NEEDS_RENDERING
    return Outcome("none", value=0)


def _links(document: Document, page_links: PageLinks) -> Iterator[tuple[str, Anchor | Link | None]]:
    """(absolute address, the element that names it) of what may be a profile; no element for structured data."""
    # Most links stay on the site, and a network does not list its own profiles. A link to another site can be one when
    # it leads to a network, or says so itself.
    own = f"{origin(document.url)}/"
    networks = {authority for authority in page_links.authorities if is_of_network(authority)}
    for anchor, url, _ in page_links.found:
        if (anchor.rel and "me" in anchor.rel) or (networks and url.split("/", 3)[2] in networks):
            if url.startswith(own):
                continue
            yield url, anchor
    for link in document.links:
        if link.url is not None and "me" in link.rel:
            yield link.url, link
    for item in document.structured_items:
        for value in _same_as(item.data) if item.data is not None else ():
            yield join_url(document.base_url, value) or "", None


def _is_me(fact: Anchor | Link) -> bool:
    return "me" in fact.rel and fact.url is not None and fact.url.startswith(("https:", "http:"))


def _same_as(data: object) -> Iterator[str]:
    """Every ``sameAs`` address in parsed JSON-LD, breadth first, within bounds."""
    waiting = [data]
    for looked_at, value in enumerate(waiting):
        if looked_at >= MAX_VALUES:
            return
        if isinstance(value, list):
            waiting.extend(value[:MAX_VALUES])
        elif isinstance(value, dict):
            same_as = value.get("sameAs")
            for address in same_as[:MAX_EVIDENCE] if isinstance(same_as, list) else [same_as]:
                if isinstance(address, str):
                    yield address[:2_000]
            waiting.extend(inner for inner in value.values() if isinstance(inner, dict | list))
