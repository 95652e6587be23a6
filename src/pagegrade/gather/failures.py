"""From what libcurl says of a broken exchange to our words; its own texts hold addresses and are never shown."""

from __future__ import annotations

import errno
from typing import Final

import pycurl

from pagegrade.gather.exchange import FetchError

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


def protocol(detail: str) -> FetchError:
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
        return protocol("The server closed the connection without an answer.")
    if code in _NO_ANSWER and "chunk" not in lower and "encoding" not in lower:
        when = "before its body" if has_head else "before the answer was complete"
        return FetchError("connect", f"The server broke the connection off {when}.", reason="conn_reset")
    if code == pycurl.E_COULDNT_RESOLVE_HOST:
        # Addresses are always given; a name that libcurl would look up itself is a mistake of ours.
        return FetchError("internal", "The IP address of the host got lost.", reason="internal")
    return protocol("The server's answer is not proper HTTP.")


def _explain_connect(os_error: int, *, only_ipv6: bool) -> FetchError:
    if os_error == errno.ECONNREFUSED:
        return FetchError("connect", "The server refused the connection.", reason="connect_refused")
    if os_error == errno.ETIMEDOUT:
        return FetchError("connect", "The server did not accept a connection in time.", reason="connect_timeout")
    detail = "The server cannot be reached."
    if only_ipv6:
        detail = "The server has IPv6 addresses only and cannot be reached from here."
    return FetchError("connect", detail, reason="connect_unreachable")
