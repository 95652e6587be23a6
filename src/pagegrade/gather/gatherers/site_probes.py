"""Addresses beside the page: the host over plain HTTP, its other usual name, and one that should not exist."""

from __future__ import annotations

from typing import Final

from pagegrade.gather.context import Context
from pagegrade.model.artifacts import NotGathered, WellKnown
from pagegrade.parse.url import host, host_address, port, registrable_domain, scheme

MAX_FRONT_DOOR_BYTES: Final = 65_536
KEPT_FRONT_DOOR_BYTES: Final = 4_096
MAX_SIBLING_BYTES: Final = 65_536
MAX_NOT_FOUND_BYTES: Final = 262_144
"""Enough to see whether the error page says something and what its title is."""


async def gather_insecure_probe(context: Context) -> WellKnown | NotGathered:
    """See where plain HTTP leads; of no meaning where the document lives on an unusual port."""
    url = front_door(context.main_document_url)
    if url is None:
        return NotGathered(code="not_applicable", detail="The page is not on a standard port.")
    return await context.fetch_well_known(
        url, max_bytes=MAX_FRONT_DOOR_BYTES, keep_bytes=KEPT_FRONT_DOOR_BYTES, purpose="document"
    )


def front_door(url: str) -> str | None:
    """The root of the host of ``url`` on port 80; ``None`` where ``url`` is not on the standard port of its scheme."""
    is_standard = (scheme(url), port(url)) in {("https", 443), ("http", 80)}
    return f"http://{host(url)}/" if is_standard else None


async def gather_sibling_probe(context: Context) -> WellKnown | NotGathered:
    """Fetch the front page of the sibling, when there can be one.

    It is asked as the page itself is served: a site without a certificate has none for its other name either.
    """
    url = context.main_document_url
    sibling = sibling_host(context.host)
    if sibling is None or (scheme(url), port(url)) not in {("https", 443), ("http", 80)}:
        return NotGathered(code="not_applicable", detail="The host has no www sibling.")
    return await context.fetch_well_known(
        f"{scheme(url)}://{sibling}/", max_bytes=MAX_SIBLING_BYTES, purpose="document"
    )


def sibling_host(host: str) -> str | None:
    """The www name of a registrable domain or the other way round.

    ``None`` for addresses, single labels and deeper names: ``www.blog.example.com`` is not in use.
    """
    domain = registrable_domain(host)
    if host_address(host) is not None or "." not in domain:
        return None
    if host == domain:
        return f"www.{domain}"
    return domain if host == f"www.{domain}" else None


async def gather_not_found_probe(context: Context) -> WellKnown:
    """Ask once for a path of harmless words: suspicious ones make firewalls answer instead of the site."""
    return await context.fetch_well_known(
        f"{context.origin}/zebra-lantern-{context.probe_token}", max_bytes=MAX_NOT_FOUND_BYTES, purpose="document"
    )
