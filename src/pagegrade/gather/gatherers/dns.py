"""DNS records of the document's host."""

from __future__ import annotations

from ipaddress import ip_address

from pagegrade.gather.context import Context
from pagegrade.gather.guard import is_public
from pagegrade.gather.resolver import ResolveError
from pagegrade.model.artifacts import DNSFacts, NotGathered
from pagegrade.parse.url import host_address


async def gather_dns(context: Context) -> DNSFacts | NotGathered:
    """Look the host up; the report's resolver caches the answer."""
    if host_address(context.host) is not None:
        return NotGathered(code="not_applicable", detail="The host is an IP address, not a name.")
    try:
        answer = await context.client.resolve(context.host)
    except ResolveError as error:
        return NotGathered(code="dns", detail=error.detail, reason=error.reason)
    return DNSFacts(
        host=context.host,
        addresses=tuple(address for address in answer.addresses if is_public(ip_address(address))),
        canonical_name=answer.canonical_name,
        duration_ms=answer.duration_ms,
    )
