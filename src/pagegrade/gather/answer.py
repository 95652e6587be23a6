"""From a finished transfer to the answer as an artifact."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address
from typing import Final

import pycurl

from pagegrade.gather.exchange import Exchange
from pagegrade.gather.failures import verify_word
from pagegrade.gather.guard import is_public
from pagegrade.gather.transfer import REDIRECTS, Transfer
from pagegrade.model.artifacts import Response, Timings

_CODING_NOTES: Final = frozenset({"unknown_coding", "too_many_codings", "corrupt", "truncated_stream", "plain_body"})
"""Problems of a coding that leave the body less than whole."""


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
