"""Origins that are safe without TLS, because their traffic never crosses an open network."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Final

from pagegrade.parse.url import host, host_address

_LOCAL_SUFFIXES: Final = (".localhost", ".local", ".onion")


def host_of(url: str) -> str:
    """Host of an absolute URL, lower case and without a trailing dot; "" when it has none."""
    return host(url).removesuffix(".")


def is_ip_address(name: str) -> bool:
    """Return whether a host (as ``host_of`` gives it) is an address rather than a name."""
    return host_address(name) is not None


def is_local_host(name: str) -> bool:
    """Return whether a host is this machine, a name of the local network or an onion service.

    Browsers call the first a secure context in spite of plain HTTP, and Tor encrypts the last by itself; names under
    ``.local`` (RFC 6762) are answered inside the link only, and no public authority can certify them.

    Source: https://w3c.github.io/webappsec-secure-contexts/#is-origin-trustworthy
    """
    if name == "localhost" or name.endswith(_LOCAL_SUFFIXES):
        return True
    address = host_address(name) if name.startswith(("127.", "[")) else None
    if isinstance(address, IPv4Address):
        return address.is_loopback
    return address is not None and address.is_loopback and address.ipv4_mapped is None


def is_insecure_url(url: str) -> bool:
    """Return whether a request to the canonical ``url`` is unencrypted: ``http``, and the host is not local."""
    return url.startswith("http:") and not is_local_host(host_of(url))
