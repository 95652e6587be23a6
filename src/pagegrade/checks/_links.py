"""The links of a page that lead to pages, and which of them stay on the own site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from pagegrade.model.document import Anchor, Document
from pagegrade.parse.url import host, registrable_domain


class PageLinks(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The links of one page, classified once for several checks."""

    found: Sequence[tuple[Anchor, str, bool]]
    """(anchor, absolute http(s) address, whether it has the page's registrable domain), in document order."""
    authorities: Mapping[str, bool]
    """Host and port of each as it stands in the address -> whether that is of the page's registrable domain."""


def links_to_pages(document: Document) -> PageLinks:
    """Classify the links of a page."""
    own = registrable_domain(host(document.url))
    schemes = ("https://", "http://")
    found: list[tuple[Anchor, str, bool]] = []
    authorities: dict[str, bool] = {}
    for anchor in document.anchors:
        url = anchor.url
        if url is None or not url.startswith(schemes):
            continue
        # Canonical addresses of one host start alike, so that few of a page's hosts need to be looked up.
        authority = url.split("/", 3)[2]
        internal = authorities.get(authority)
        if internal is None:
            internal = authorities[authority] = registrable_domain(host(url)) == own
        found.append((anchor, url, internal))
    return PageLinks(found=found, authorities=authorities)
