"""The host of the document: its DNS records, its certificates, and the protocol versions that it accepts."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final

from pagegrade.gather.context import Context, OffloadFailed
from pagegrade.gather.exchange import Exchange, FetchError, Request
from pagegrade.gather.guard import is_public
from pagegrade.gather.handshake import VERSIONS, Handshaker
from pagegrade.gather.resolver import ResolveError
from pagegrade.model.artifacts import TLS, Certificate, DNSFacts, NotGathered
from pagegrade.parse.http.certificates import names_its_issuer, read_chain
from pagegrade.parse.url import host_address, scheme

HANDSHAKE_S: Final = 5.0
"""For each version that is tried."""
_NO_ISSUER: Final = frozenset({2, 20, 21})
"""X509_V_ERR codes for an issuer that is neither sent nor known
(https://docs.openssl.org/3.0/man3/X509_STORE_CTX_get_error/)."""
_ALPN: Final = {"HTTP/1.0": "http/1.1", "HTTP/1.1": "http/1.1", "HTTP/2": "h2", "HTTP/3": "h3"}


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


async def gather_tls(context: Context) -> TLS | NotGathered:
    """Read the chain that the document's connection showed, and try each protocol version by a handshake of its own.

    Raises:
        FetchError: The document's connection had been opened for an earlier redirect, and another one failed.
    """
    url = context.main_document_url
    if scheme(url) != "https":
        return NotGathered(code="not_applicable", detail="The page is not served over https.")
    exchange = context.exchange
    if not exchange.certificates_pem:
        exchange = await _connect_again(context)
    chain = await _read_chain(context, exchange)
    error = exchange.response.certificate_error
    versions, trusted_by_all = await _ask(context, verified=error is None)
    return TLS(
        host=context.host,
        verified=error is None,
        verify_error=await _verify_word(context, exchange, chain),
        verify_detail=f"verification error {exchange.verify_result} of OpenSSL" if error else "",
        chain=chain,
        alpn=_ALPN.get(context.navigation.response.http_version),
        versions=versions,
        trusted_by_all=trusted_by_all,
        checked_at=context.gathered_at,
    )


async def _connect_again(context: Context) -> Exchange:
    """An exchange on a new connection, because only the first one on a connection sees the certificates."""
    request = Request(url=context.origin + "/", method="HEAD", keep_bytes=0, timeout_s=context.timeout_s(HANDSHAKE_S))
    async with context.fresh_client() as client:
        try:
            return await client.fetch(request)
        except FetchError:
            # Some servers hang up on HEAD; the page itself answered GET.
            return await client.fetch(
                Request(url=context.main_document_url, keep_bytes=0, timeout_s=context.timeout_s(HANDSHAKE_S))
            )


async def _read_chain(context: Context, exchange: Exchange) -> tuple[Certificate, ...]:
    """The certificates as facts; none when they are beyond the reader's limits."""
    try:
        return await context.parse(read_chain, exchange.certificates_pem)
    except OffloadFailed:
        return ()


async def _ask(context: Context, *, verified: bool) -> tuple[tuple[tuple[str, bool | None], ...], bool | None]:
    """Find the accepted protocol versions, and whether a chain that verified does so with what everyone trusts.

    The second is asked where the run trusts more than that. Both are unknown if the server no longer responds.
    """
    try:
        permit = await context.client.permit(context.main_document_url)
    except FetchError:
        return tuple((version, None) for version in VERSIONS), None
    guard = context.client.guard
    ask = Handshaker(guard)
    versions = await ask.versions(permit, timeout_s=context.timeout_s(HANDSHAKE_S))
    if not (verified and guard.policy.authorities):
        return versions, None
    return versions, await ask.verifies(permit, timeout_s=context.timeout_s(HANDSHAKE_S))


async def _verify_word(context: Context, exchange: Exchange, chain: tuple[Certificate, ...]) -> str | None:
    """Return the reason why the chain did not verify; ``None`` if it did.

    OpenSSL reports an unknown authority and a missing intermediate in the same way. The second is
    meant when the leaf stands alone and says where its issuer is to be found, which is how browsers get over it.
    """
    word = exchange.response.certificate_error
    if word is None or exchange.verify_result not in _NO_ISSUER:
        return word
    if len(chain) != 1 or chain[0].issuer == chain[0].subject:
        return "untrusted"
    try:
        completes = await context.parse(names_its_issuer, exchange.certificates_pem[0])
    except OffloadFailed:
        return word
    return "incomplete_chain" if completes else "untrusted"
