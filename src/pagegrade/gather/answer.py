"""From a finished transfer to the answer as an artifact, and from what libcurl says of a broken one to our words.

Texts of libcurl hold addresses and are never shown.
"""

from __future__ import annotations

import errno
from functools import lru_cache
from ipaddress import ip_address
from typing import Final

import pycurl

from pagegrade.gather.exchange import Exchange, FetchError
from pagegrade.gather.guard import is_public
from pagegrade.gather.transfer import REDIRECTS, Transfer
from pagegrade.model.artifacts import Response, Timings

HOST_MISMATCH: Final = 62
"""X509_V_ERR_HOSTNAME_MISMATCH."""
_VERIFY_WORDS: Final = {
    9: "not_yet_valid",
    10: "expired",
    18: "self_signed",
    19: "untrusted",
    20: "untrusted",
    21: "incomplete_chain",
    23: "revoked",
    HOST_MISMATCH: "wrong_host",
    64: "wrong_host",
}
"""X509_V_ERR codes -> the words of ``TLS.verify_error``."""
_PLAIN_TEXT_SIGNS: Final = ("wrong version number", "packet length too long", "http request", "record layer failure")
"""Messages of OpenSSL when the other side does not speak TLS at all."""
_NO_ANSWER: Final = frozenset({pycurl.E_RECV_ERROR, pycurl.E_SEND_ERROR, pycurl.E_PARTIAL_FILE})
_TLS_CODES: Final = frozenset(
    {
        pycurl.E_SSL_CONNECT_ERROR,
        pycurl.E_PEER_FAILED_VERIFICATION,
        pycurl.E_SSL_CERTPROBLEM,
        pycurl.E_SSL_CIPHER,
        pycurl.E_SSL_ISSUER_ERROR,
        pycurl.E_SSL_INVALIDCERTSTATUS,
    }
)
_CODING_NOTES: Final = frozenset({"unknown_coding", "too_many_codings", "corrupt", "truncated_stream", "plain_body"})
"""Problems of a coding that leave the body less than whole."""


def verify_result(given: int) -> int:
    """The X509_V_ERR code of a verification that failed.

    Args:
        given: What libcurl says. It compares names itself and leaves 0 or 1 (unspecified) when they differ.
    """
    return given if given > 1 else HOST_MISMATCH


def verify_word(result: int) -> str:
    """The word for why a certificate did not verify.

    Args:
        result: OpenSSL's X509_V_ERR code.

    Source: https://docs.openssl.org/3.0/man3/X509_STORE_CTX_get_error/
    """
    return _VERIFY_WORDS.get(result, "other")


def refused(detail: str) -> FetchError:
    """The target may not be contacted."""
    return FetchError("address_not_allowed", detail, reason="target_refused")


def protocol_error(detail: str) -> FetchError:
    """The answer is not proper HTTP."""
    return FetchError("protocol", detail, reason="http_protocol")


def explain_timeout(*, connected: bool, handshaken: bool, in_headers: bool) -> FetchError:
    """Describe the phase that had not finished at the timeout.

    Args:
        connected: A TCP connection was there.
        handshaken: TLS was set up, or was not wanted.
        in_headers: The header deadline was the one that passed.
    """
    if not connected:
        return FetchError("connect", "The server did not accept a connection in time.", reason="connect_timeout")
    if not handshaken:
        return FetchError("tls", "The TLS handshake did not finish in time.", reason="tls_error")
    if in_headers:
        return FetchError("timeout", "The server did not send its headers in time.", reason="headers_timeout")
    return FetchError("timeout", "The server did not send its answer in time.", reason="timeout_total")


def explain_curl(code: int, text: str, os_error: int, *, only_ipv6: bool, has_head: bool) -> FetchError:
    """Put an error of libcurl, other than a time-out, into our words.

    Args:
        code: ``pycurl.E_*``.
        text: libcurl's message; only searched, never shown.
        os_error: ``errno`` of the failed connect, 0 when unknown.
        only_ipv6: The host has no IPv4 address.
        has_head: The head of the answer had arrived.
    """
    lower = text.lower()
    if code == pycurl.E_COULDNT_CONNECT:
        return _explain_connect(os_error, only_ipv6=only_ipv6)
    if code in _TLS_CODES or (code in _NO_ANSWER and ("ssl" in lower or "tls" in lower)):
        plain = any(sign in lower for sign in _PLAIN_TEXT_SIGNS)
        detail = (
            "The server does not speak TLS on this port." if plain else "The secure connection could not be set up."
        )
        return FetchError("tls", detail, reason="tls_error")
    if code == pycurl.E_GOT_NOTHING:
        return protocol_error("The server closed the connection without an answer.")
    if code in _NO_ANSWER and "chunk" not in lower and "encoding" not in lower:
        when = "before its body" if has_head else "before the answer was complete"
        return FetchError("connect", f"The server broke the connection off {when}.", reason="conn_reset")
    if code == pycurl.E_COULDNT_RESOLVE_HOST:
        # Addresses are always given; a name that libcurl would look up itself is a mistake of ours.
        return FetchError("internal", "The IP address of the host got lost.", reason="internal")
    return protocol_error("The server's answer is not proper HTTP.")


def _explain_connect(os_error: int, *, only_ipv6: bool) -> FetchError:
    if os_error == errno.ECONNREFUSED:
        return FetchError("connect", "The server refused the connection.", reason="connect_refused")
    if os_error == errno.ETIMEDOUT:
        return FetchError("connect", "The server did not accept a connection in time.", reason="connect_timeout")
    detail = "The server cannot be reached."
    if only_ipv6:
        detail = "The server has IPv6 addresses only and cannot be reached from here."
    return FetchError("connect", detail, reason="connect_unreachable")


def build_exchange(
    curl: pycurl.Curl, transfer: Transfer, *, timed_out: bool, broken: bool, dns_ms: float | None, uncertified: int
) -> Exchange:
    """Put together what an exchange brought.

    Args:
        curl: The handle, not yet used for something else.
        transfer: What its callbacks collected; the head is complete.
        timed_out: The clock ended the exchange.
        broken: The server did, or libcurl for its sake.
        dns_ms: What the look-up took when it was made for this exchange.
        uncertified: X509_V_ERR code with which the certificate failed before; 0 when it verified.
    """
    reader, request = transfer.reader, transfer.request
    truncated = transfer.stopped if transfer.stopped in ("limit", "coding") else None
    if truncated is None and transfer.stopped is None and not transfer.is_redirect:
        if timed_out:
            truncated = "time"
        elif broken:
            truncated = "connection"
    body = b""
    removed: tuple[str, ...] = ()
    decoded_bytes, digest = 0, ""
    if transfer.decoder is not None:
        if truncated is None:
            transfer.decoder.finish()
        if transfer.decoder.problem is not None and transfer.decoder.problem != "limit":
            reader.note(transfer.decoder.problem)
        if transfer.decoder.problem in _CODING_NOTES and not transfer.is_redirect:
            truncated = truncated or "coding"
        body, removed = bytes(transfer.decoder.body), transfer.decoder.removed
        decoded_bytes, digest = transfer.decoder.decoded_bytes, transfer.decoder.digest
        transfer.decoder.body = bytearray()
    if reader.status in REDIRECTS and not any(reader.locations):
        reader.note("redirect_without_location")
    if reader.status == 304:
        reader.note("unsolicited_304")
    permit = transfer.permit
    # The address of a proxy says nothing about the site.
    dialed = str(curl.getinfo(pycurl.PRIMARY_IP) if permit.via is None else permit.asked_address or "")
    secure = request.url.startswith("https:")
    surveyed = request.survey is not None
    response = Response(
        url=request.url,
        status=reader.status,
        headers=tuple(reader.headers),
        http_version=reader.version,
        address=_shown_address(dialed),
        body=b"" if surveyed else body,
        wire_bytes=transfer.wire_bytes,
        header_bytes=reader.size,
        content_encodings=removed,
        truncated=truncated,
        notes=tuple(reader.notes),
        certificate_error=verify_word(uncertified) if secure and uncertified else None,
        timings=_read_timings(curl, dns_ms),
    )
    return Exchange(
        request=request,
        response=response,
        dialed_address=dialed,
        certificates_pem=_read_chain(curl) if secure else (),
        location=reader.locations[0] if transfer.is_redirect else None,
        verify_result=uncertified,
        decoded_bytes=decoded_bytes,
        digest=digest,
        body=body if surveyed else b"",
        hold=transfer.hold,
    )


@lru_cache(maxsize=1_024)
def _shown_address(dialed: str) -> str | None:
    try:
        return dialed if is_public(ip_address(dialed)) else None
    except ValueError:
        return None


def _read_timings(curl: pycurl.Curl, dns_ms: float | None) -> Timings:
    """Phases from libcurl's marks, which are microseconds since the exchange was begun."""
    looked_up = curl.getinfo(pycurl.NAMELOOKUP_TIME_T)
    connected = curl.getinfo(pycurl.CONNECT_TIME_T)
    secured = curl.getinfo(pycurl.APPCONNECT_TIME_T)
    sent = curl.getinfo(pycurl.PRETRANSFER_TIME_T)
    first = curl.getinfo(pycurl.STARTTRANSFER_TIME_T)
    total = curl.getinfo(pycurl.TOTAL_TIME_T)
    is_new = curl.getinfo(pycurl.NUM_CONNECTS) > 0
    return Timings(
        dns_ms=dns_ms,
        connect_ms=max(0, connected - looked_up) / 1_000 if is_new else None,
        tls_ms=max(0, secured - connected) / 1_000 if is_new and secured > 0 else None,
        first_byte_ms=max(0, first - sent) / 1_000,
        download_ms=max(0, total - first) / 1_000,
        total_ms=total / 1_000 + (dns_ms or 0.0),
    )


def _read_chain(curl: pycurl.Curl) -> tuple[str, ...]:
    """The certificates of a new connection in PEM, leaf first."""
    if curl.getinfo(pycurl.NUM_CONNECTS) == 0:
        return ()
    return tuple(
        str(value)
        for certificate in curl.getinfo(pycurl.INFO_CERTINFO)
        for name, value in certificate
        if name == "Cert"
    )
