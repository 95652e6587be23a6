"""The links of a page that lead to pages, and which of them stay on the own site."""

from __future__ import annotations

from collections.abc import Iterator

from pagegrade.model.document import Anchor, Document
from pagegrade.parse.url import host, is_http, registrable_domain


def links_to_pages(document: Document) -> Iterator[tuple[Anchor, str, bool]]:
    """(anchor, absolute http(s) address, whether it has the page's registrable domain), in document order."""
    own = registrable_domain(host(document.url))
    kinds: dict[str, bool] = {}
    for anchor in document.anchors:
        url = anchor.url
        if url is None or not is_http(url):
            continue
        # Canonical addresses of one host start alike, so that few of a page's hosts need to be looked up.
        authority = url.split("/", 3)[2]
        internal = kinds.get(authority)
        if internal is None:
            internal = kinds[authority] = registrable_domain(host(url)) == own
        yield anchor, url, internal
