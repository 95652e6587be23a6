"""The same site under its other usual name: with ``www.`` or without."""

from __future__ import annotations

from typing import Final

from pagegrade.gather.context import Context
from pagegrade.model.artifacts import NotGathered, WellKnown
from pagegrade.parse.url import host_address, port, registrable_domain, scheme

MAX_BYTES: Final = 65_536


async def gather_sibling_probe(context: Context) -> WellKnown | NotGathered:
    """Fetch the front page of the sibling, when there can be one.

    It is asked as the page itself is served: a site without a certificate has none for its other name either.
    """
    url = context.main_document_url
    sibling = sibling_host(context.host)
    if sibling is None or (scheme(url), port(url)) not in {("https", 443), ("http", 80)}:
        return NotGathered(code="not_applicable", detail="The host has no www sibling.")
    return await context.fetch_well_known(f"{scheme(url)}://{sibling}/", max_bytes=MAX_BYTES, purpose="document")


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
