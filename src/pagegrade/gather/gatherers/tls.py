"""The secure connection of the document's host: its certificates, and the protocol versions it accepts."""

from __future__ import annotations

from typing import Final, Literal

from pagegrade.gather.context import Context, OffloadFailed
from pagegrade.gather.exchange import Exchange, FetchError, Request
from pagegrade.gather.guard import Guard
from pagegrade.gather.handshake import Handshaker
from pagegrade.model.artifacts import TLS, Certificate, NotGathered
from pagegrade.parse.certificates import read_chain
from pagegrade.parse.url import scheme

Word = Literal[
    "expired", "not_yet_valid", "self_signed", "untrusted", "wrong_host", "revoked", "incomplete_chain", "other"
]

HANDSHAKE_S: Final = 5.0
"""For each version that is tried."""
_WORDS: Final[dict[int, Word]] = {
    9: "not_yet_valid",
    10: "expired",
    18: "self_signed",
    19: "untrusted",
    23: "revoked",
    27: "untrusted",
    28: "untrusted",
    62: "wrong_host",
    64: "wrong_host",
}
"""X509_V_ERR code -> our word (https://docs.openssl.org/master/man3/X509_STORE_CTX_get_error/)."""
_NO_ISSUER: Final = frozenset({2, 20, 21})
"""Codes for an issuer that is neither sent nor known."""
_ALPN: Final = {"HTTP/1.0": "http/1.1", "HTTP/1.1": "http/1.1", "HTTP/2": "h2", "HTTP/3": "h3"}


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
    handshaker = Handshaker(Guard(context.options.policy), context.resolver)
    versions = await handshaker.versions(url, timeout_s=context.timeout_s(HANDSHAKE_S))
    return TLS(
        host=context.host,
        verified=error is None,
        verify_error=None if error is None else verify_word(exchange.verify_result, error, chain),
        verify_detail=error or "",
        chain=chain,
        alpn=_ALPN.get(context.navigation.response.http_version),
        versions=versions,
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


def verify_word(code: int, message: str, chain: tuple[Certificate, ...]) -> Word:
    """Say in one of the model's words why a chain did not verify.

    Args:
        code: OpenSSL's X509_V_ERR; 0 when the library that checks names found the fault.
        message: What the client said.
        chain: As sent. A single certificate that another one issued lacks its intermediate.
    """
    word = _WORDS.get(code)
    if word is not None:
        return word
    if code in _NO_ISSUER:
        return "incomplete_chain" if len(chain) == 1 and chain[0].issuer != chain[0].subject else "untrusted"
    if code == 0 and "name" in message.lower():
        return "wrong_host"
    return "other"
