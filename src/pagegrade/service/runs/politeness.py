"""Targets of a run: a registrable domain and the addresses of its host."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

from pagegrade.gather.guard import unwrap
from pagegrade.parse.url import host, host_address, registrable_domain

Networks = Iterable[IPv4Network | IPv6Network]
_LOOPBACK: Final = IPv4Address("127.0.0.1")


def politeness_target(url: str, allow_networks: Networks) -> str:
    """The target that shows in a canonical URL: its registrable domain, or the address it is written with.

    Empty where politeness does not apply: an address of the operator's own networks. A name that turns out to lead
    there is found out when it has been looked up; only ``localhost`` is known before (RFC 6761 6.3).
    """
    name = host(url)
    literal = host_address(name)
    if literal is None:
        bare = name.removesuffix(".")
        is_local = bare == "localhost" or bare.endswith(".localhost")
        return "" if is_local and _within(_LOOPBACK, allow_networks) else registrable_domain(name)
    return "" if _within(literal, allow_networks) else str(unwrap(literal))


def address_targets(addresses: Iterable[str]) -> tuple[str, ...]:
    """The targets that addresses are, each once and in one spelling; what is no address is none."""
    return tuple(dict.fromkeys(str(unwrap(address)) for address in _read(addresses)))


def is_own_host(addresses: Iterable[str], allow_networks: Networks) -> bool:
    """Return whether a host with these addresses is the operator's own: all of them lie in the allowed networks."""
    networks = tuple(allow_networks)
    found = _read(addresses)
    return bool(found) and all(_within(address, networks) for address in found)


def _read(addresses: Iterable[str]) -> list[IPv4Address | IPv6Address]:
    found = []
    for text in addresses:
        try:
            found.append(ip_address(text))
        except ValueError:
            continue
    return found


def _within(address: IPv4Address | IPv6Address, networks: Networks) -> bool:
    plain = unwrap(address)
    return any(network.version == plain.version and plain in network for network in networks)
