"""Origins that are safe without TLS, because their traffic never crosses an open network."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Network
from typing import Final

from pagegrade.parse.url import host, host_address

_LOCAL_SUFFIXES: Final = (".localhost", ".local", ".onion")
_PRIVATE_SUFFIXES: Final = tuple(
    ".localhost .localdomain .local .internal .home.arpa .test .intranet .private .corp .home .lan".split()
)
"""Names that are set aside for one machine, one network or tests, and mean nothing to anyone else.

Machines without a domain call themselves ``localhost.localdomain``; no registry has that one.

Source: RFC 6761, RFC 6762 (the last five in its appendix G), RFC 8375, and ICANN 2024.07.29.06 (``.internal``)
"""
_NETWORKS: Final = tuple(
    IPv4Network(text)
    for text in ("0.0.0.0/32", "10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16")
)
_NETWORKS_6: Final = tuple(IPv6Network(text) for text in ("::1/128", "fc00::/7", "fe80::/10"))
"""Addresses that mean another machine to everyone; those set aside for documentation lead nowhere and are no slip."""


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


def is_private_host(name: str) -> bool:
    """Return whether a host is another machine to everyone: this one, or one inside a single network."""
    address = host_address(name)
    if address is None:
        bare = name.removesuffix(".")
        return bare == "localhost" or bare.endswith(_PRIVATE_SUFFIXES)
    if address.version == 4:
        return any(address in network for network in _NETWORKS)
    return any(address in network for network in _NETWORKS_6)


def is_insecure_url(url: str) -> bool:
    """Return whether a request to the canonical ``url`` is unencrypted: ``http``, and the host is not local."""
    return url.startswith("http:") and not is_local_host(host_of(url))
