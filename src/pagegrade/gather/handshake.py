"""Small TLS handshakes that ask one question each; no request is ever sent over them."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

import pycurl

from pagegrade.gather.guard import Guard, Permit
from pagegrade.gather.transfer import certificate_authorities, route

VERSIONS: Final = {
    "TLSv1.0": pycurl.SSLVERSION_TLSv1_0 | pycurl.SSLVERSION_MAX_TLSv1_0,
    "TLSv1.1": pycurl.SSLVERSION_TLSv1_1 | pycurl.SSLVERSION_MAX_TLSv1_1,
    "TLSv1.2": pycurl.SSLVERSION_TLSv1_2 | pycurl.SSLVERSION_MAX_TLSv1_2,
    "TLSv1.3": pycurl.SSLVERSION_TLSv1_3 | pycurl.SSLVERSION_MAX_TLSv1_3,
}
"""Name -> exactly that version, in the order of their age."""
_BAD_SOCKET: Final[int] = pycurl.SOCKET_BAD
_OLD_CIPHERS: Final = "ALL:@SECLEVEL=0"
"""TLS 1.0 and 1.1 need signatures that the usual level refuses; set for these handshakes alone, and nothing is sent."""
_NOT_OFFERED: Final = ("no protocols available", "no ciphers available", "legacy renegotiation")
"""Messages of our own library when it cannot say what we want to ask."""
_Options = tuple[tuple[int, Any], ...]


class _HandedOver(socket.socket):
    """A socket that libcurl has duplicated for itself: our own end is closed with its last reference."""

    def __del__(self) -> None:
        self.close()


class Handshaker:
    """Tries protocol versions against a server, under the same guard as every other connection.

    Args:
        guard: Checks every socket once more.
    """

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    async def versions(
        self, permit: Permit, *, timeout_s: float, versions: Iterable[str] = tuple(VERSIONS)
    ) -> tuple[tuple[str, bool | None], ...]:
        """Find out which versions a server accepts.

        Args:
            permit: What may be dialed, as the client checked it for the page.
            timeout_s: For each handshake, TCP included.
            versions: Names from ``VERSIONS``.

        Returns:
            (version, accepted) in the order asked; ``None`` where it could not be tried: the server was not reached,
            or our TLS library cannot offer that version.
        """
        async with pycurl.AsyncCurlMulti() as multi:
            # One after the other: a site's front end sees one quiet visitor and not a scan.
            return tuple(
                [(name, await self._try(multi, permit, _in_version(VERSIONS[name]), timeout_s)) for name in versions]
            )

    async def verifies(self, permit: Permit, *, timeout_s: float) -> bool | None:
        """Find out whether the certificate verifies with the authorities of everyone alone.

        Args:
            permit: What may be dialed, as the client checked it for the page.
            timeout_s: For the handshake, TCP included.

        Returns:
            ``None`` where it could not be tried.
        """
        async with pycurl.AsyncCurlMulti() as multi:
            return await self._try(multi, permit, ((pycurl.CAINFO, certificate_authorities()),), timeout_s)

    async def _try(
        self, multi: pycurl.AsyncCurlMulti, permit: Permit, options: _Options, timeout_s: float
    ) -> bool | None:
        """One handshake."""
        curl = pycurl.Curl()
        try:
            self._configure(curl, permit, options, timeout_s)
            async with asyncio.timeout(timeout_s + 1.0):
                await multi.perform(curl)
        except pycurl.error as error:
            return _meaning(int(error.args[0]), str(error.args[1]))  # lint: allow exception-text - sorted, not shown
        except TimeoutError:
            return None
        finally:
            # Closed while the loop still holds it, a handle that ran out of time would be used again after its end.
            with suppress(RuntimeError, pycurl.error):
                multi.remove_handle(curl)
            curl.close()
        return True

    def _configure(self, curl: pycurl.Curl, permit: Permit, options: _Options, timeout_s: float) -> None:
        def open_socket(_purpose: int, address: tuple[int, int, int, tuple[str, int]]) -> socket.socket | int:
            try:
                family, kind, protocol, (name, number, *_) = address
                if self._guard.check_socket(family, name, number, permit):
                    return _HandedOver(family, kind, protocol)
            except (OSError, ValueError, TypeError):
                return _BAD_SOCKET
            return _BAD_SOCKET

        curl.setopt(pycurl.URL, f"https://{permit.host}:{permit.port}/")
        curl.setopt(pycurl.CONNECT_ONLY, 1)
        for option, value in (*route(permit), *options):
            curl.setopt(option, value)
        curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTPS)
        curl.setopt(pycurl.RESOLVE, permit.pinned)
        curl.setopt(pycurl.OPENSOCKETFUNCTION, open_socket)
        curl.setopt(pycurl.FRESH_CONNECT, 1)
        curl.setopt(pycurl.FORBID_REUSE, 1)
        curl.setopt(pycurl.NOSIGNAL, 1)
        curl.setopt(pycurl.TIMEOUT_MS, max(1, int(timeout_s * 1_000)))


def _in_version(version: int) -> _Options:
    """Ask for one version, whatever the certificate."""
    return (
        (pycurl.SSLVERSION, version),
        (pycurl.SSL_VERIFYPEER, 0),
        (pycurl.SSL_VERIFYHOST, 0),
        (pycurl.SSL_CIPHER_LIST, _OLD_CIPHERS),
    )


def _meaning(code: int, message: str) -> bool | None:
    """Interpret a failed handshake: the version or the certificate was refused, or it failed for another reason."""
    if code == pycurl.E_PEER_FAILED_VERIFICATION:
        return False
    if code != pycurl.E_SSL_CONNECT_ERROR or any(text in message for text in _NOT_OFFERED):
        return None
    return False
