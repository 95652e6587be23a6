"""Determine the address of the client and the key that it authenticates with."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

Network = IPv4Network | IPv6Network
MAX_KEY_CHARACTERS: Final = 512
MAX_HOPS: Final = 32
"""Maximum number of own proxies in front of a request; entries further left are not read."""
MAX_ADDRESS_CHARACTERS: Final = 64
"""Maximum length of an entry of the header; an IPv6 address with a port has 47 characters."""
_IPV6_SITE: Final = 64
"""Length of the prefix of an IPv6 address that a client cannot change itself."""


def client_address(peer: str, forwarded_for: str | None, trusted: Sequence[IPv4Network | IPv6Network]) -> str:
    """Return the address that a request came from.

    ``X-Forwarded-For`` is read from the right for as long as the previous hop is a trusted proxy: everything further
    left may be forged by the client.

    Args:
        peer: Address of the other end of the connection; anything for a Unix socket.
        forwarded_for: ``X-Forwarded-For``, all of its lines joined; ``None`` when there is none.
        trusted: Networks of the installation's own proxies.
    """
    if not trusted or forwarded_for is None:
        return peer
    address = read_address(peer)
    hops = forwarded_for.rsplit(",", MAX_HOPS)[-MAX_HOPS:]
    while hops and address is not None and is_within(address, trusted):
        said = read_address(hops.pop())
        if said is None:
            break
        address = said
    return peer if address is None else str(address)


def limited_as(address: str) -> str:
    """Return the key that counts a client in rate limits: the /64 network of an IPv6 address, else the address."""
    read = read_address(address)
    if isinstance(read, IPv6Address):
        return str(IPv6Network((read, _IPV6_SITE), strict=False))
    return address


def bearer_key(authorization: str | None) -> tuple[str | None, bool]:
    """(the key, whether something was sent that should have been one) of an Authorization header.

    The key is ``None`` when there is none that could be valid: another scheme, nothing behind it, characters that no
    key has, or more of them than any key has.
    """
    if authorization is None:
        return None, False
    scheme, _, rest = authorization[: MAX_KEY_CHARACTERS + 16].partition(" ")
    if scheme.lower() != "bearer":
        return None, False
    key = rest.strip(" ")
    if not key:
        return None, False
    possible = len(key) <= MAX_KEY_CHARACTERS and key.isascii() and key.isprintable() and " " not in key
    return (key if possible else None), True


def read_address(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an address in an entry of the header, with or without brackets and a port."""
    if len(text) > MAX_ADDRESS_CHARACTERS:
        return None
    bare = text.strip()
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        address = ip_address(bare)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def is_within(address: IPv4Address | IPv6Address, networks: Sequence[IPv4Network | IPv6Network]) -> bool:
    """Return whether the address is in one of the networks."""
    return any(address.version == network.version and address in network for network in networks)
