"""Rules about the addresses, ports and names that may be contacted; every outgoing connection passes here.

That is the defense against server-side request forgery (SSRF), and against DNS rebinding: a connection goes to the
address that was checked, whatever the name leads to by then.

The tables are our own. ``ipaddress.is_global`` is not used, because its answer
changes between Python versions and calls multicast, NAT64 and unallocated
space reachable. IPv4: public is what no row refuses. IPv6: public is
``2000::/3`` less the rows that refuse inside it; all else is refused unseen.

Source: https://www.iana.org/assignments/iana-ipv4-special-registry,
https://www.iana.org/assignments/iana-ipv6-special-registry
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from pathlib import Path
from typing import Final

import msgspec

from pagegrade.gather.outgoing_proxy import OutgoingProxy, ProxyHop
from pagegrade.model.identity import USER_AGENT, is_own_request_id
from pagegrade.parse import url as urls

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

DEFAULT_PORTS: Final = frozenset({80, 443, 8080, 8443})
MAX_ADDRESSES: Final = 8
"""Addresses of one name that may be dialed; all of its addresses are checked."""

REFUSED_IPV4: Final = tuple(
    IPv4Network(row)
    for row in (
        "0.0.0.0/8",  # this network; Linux reaches itself through 0.0.0.0
        "10.0.0.0/8",
        "100.64.0.0/10",  # shared space of carriers and overlay networks, some clouds' metadata
        "127.0.0.0/8",
        "168.63.129.16/32",  # looks public, is the host agent inside one cloud
        "169.254.0.0/16",  # link-local, metadata services
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",  # AS112: no web pages there
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and 255.255.255.255
    )
)
GLOBAL_IPV6: Final = IPv6Network("2000::/3")
REFUSED_IPV6: Final = tuple(
    IPv6Network(row)
    for row in (
        "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarks
        "2001:db8::/32",
        "2002::/16",  # 6to4 wraps any IPv4 address
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",
    )
)
"""Refused inside ``2000::/3``."""
TYPED_NETWORKS: Final[tuple[Network, ...]] = (
    IPv4Network("0.0.0.0/32"),
    IPv4Network("10.0.0.0/8"),
    IPv4Network("100.64.0.0/10"),
    IPv4Network("127.0.0.0/8"),
    IPv4Network("172.16.0.0/12"),
    IPv4Network("192.168.0.0/16"),
    IPv6Network("::/128"),
    IPv6Network("::1/128"),
    IPv6Network("fc00::/7"),
)
"""Networks of development servers that a user may type in a command, without link-local and metadata addresses."""
METADATA: Final = frozenset({ip_address("100.100.100.200"), ip_address("fd00:ec2::254"), ip_address("fd20:ce::254")})
"""Metadata services of clouds inside ``TYPED_NETWORKS``."""

SPECIAL_SUFFIXES: Final = frozenset(
    {
        "alt",
        "arpa",
        "corp",
        "home",
        "internal",
        "intranet",
        "invalid",
        "lan",
        "local",
        "localdomain",
        "localhost",
        "mail",
        "onion",
        "private",
        "svc",
        "test",
    }
)
"""Last labels that never name a public site: RFC 6761, 6762, 7686, 8375, 9476 and the ICANN collision list."""

_NOT_PUBLIC: Final = "The address is not a public one, so it is not contacted."
_OWN: Final = "The address is this installation's own, so it is not contacted."
_DENIED: Final = "The operator of this installation denies this host, so it is not contacted."
_NOT_FOR_PROXY: Final = (
    "The host is not a name of the public Internet, and only such names are handed to a proxy that resolves them. "
    "Name it in PAGEGRADE_NO_PROXY to reach it directly."
)
_FRONT_DOORS: Final = frozenset({80, 443})
"""Ports of which one usually redirects to the other."""


class Refusal(msgspec.Struct, frozen=True):
    """Reason why a target is not contacted; names the rule, never an address that was not typed."""

    reason: str
    """``scheme``, ``host``, ``port`` or ``address``."""
    detail: str
    """One sentence for people."""


def _pinned(host: str, port: int, addresses: tuple[Address, ...]) -> list[str]:
    if urls.host_address(host) is not None:
        return []
    name = host.removesuffix(".")
    written = ",".join(f"[{each}]" if each.version == 6 else str(each) for each in addresses)
    hosts = [host] if name == host else [host, name]
    return [f"{each}:{port}:{written}" for each in hosts]


@dataclass(frozen=True, slots=True)
class Permit:
    """Target that one exchange may connect to."""

    host: str
    port: int
    addresses: tuple[Address, ...]
    """One to eight, IPv4-mapped ones unwrapped; none where a proxy resolves the host."""
    via: ProxyHop | None = None
    """Proxy that is asked for the first of them, or for the host; ``None``: they are dialed."""
    pinned: list[str] = field(init=False, repr=False, compare=False)
    """Lines for ``CURLOPT_RESOLVE``: none for an address, which needs no look-up."""

    def __post_init__(self) -> None:
        dialed = (self.host, self.port, self.addresses)
        if self.via is not None:
            dialed = (self.via.proxy.host, self.via.proxy.port, self.via.addresses)
        object.__setattr__(self, "pinned", _pinned(*dialed))

    @property
    def asked_address(self) -> Address | None:
        """The address that a proxy is asked for: an IPv4 one where there is one, which every proxy can reach."""
        return next((each for each in self.addresses if each.version == 4), next(iter(self.addresses), None))

    @property
    def has_only_ipv6(self) -> bool:
        """Return whether no IPv4 address of the host is known."""
        return bool(self.addresses) and all(address.version == 6 for address in self.addresses)

    @property
    def is_public(self) -> bool:
        """Return whether every address may be shown in a report."""
        return all(is_public(address) for address in self.addresses)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Networks and ports that an operator, or the user of the command line, allows beyond the public web."""

    allowed_ports: frozenset[int] = DEFAULT_PORTS
    """Ports of public addresses."""
    allow_networks: tuple[Network, ...] = ()
    """The operator's own networks: reachable on any port, and with names of special-use domains, by what was asked for
    a host that lies there (``typed_host``). A public page never leads into them."""
    typed_host: str = ""
    """Canonical host that a person or an account asked for."""
    deny_networks: tuple[Network, ...] = ()
    """Never contacted, whatever else allows them: public-looking networks that are internal, a NAT64 prefix."""
    deny_hosts: tuple[str, ...] = ()
    """Canonical hosts that are never contacted, nor what lies below their names."""
    own_origins: frozenset[tuple[str, int]] = frozenset()
    """(canonical host, port) pairs of this installation: never contacted, nor what has the same address and port."""
    own_key: bytes = field(default=b"", repr=False)
    """Key by which the installation recognizes its own responses (``model.identity``); empty: it does not."""
    typed_private: frozenset[tuple[str, int]] = frozenset()
    """(canonical host, port) pairs typed at the terminal; only these may be private, nothing they lead to."""
    proxy: OutgoingProxy | None = None
    """The operator's proxy, which reaches what this policy permits; ``None``: everything is dialed directly."""
    authorities: str = field(default="", repr=False)
    """Certificates in PEM of authorities that are trusted besides those of everyone."""
    user_agent: str = USER_AGENT
    """Sent with each request, unless an access sends another."""

    def is_own(self, host: str, port: int) -> bool:
        """Return whether the pair is an origin of this installation, or the port beside it that leads there."""
        bare = host.removesuffix(".")
        return any(bare == own.removesuffix(".") and port in own_ports(number) for own, number in self.own_origins)

    def is_denied(self, host: str) -> bool:
        """Return whether the operator denies a canonical host."""
        name = f".{host.removesuffix('.')}"
        return any(name.endswith(f".{denied}") for denied in self.deny_hosts)

    def is_typed(self, host: str, port: int) -> bool:
        """Return whether the pair is exactly what the user typed in a command."""
        return (host, port) in self.typed_private

    def may_lie_inside(self, host: str) -> bool:
        """Return whether the host is the one that may open the operator's own networks, by the addresses it has."""
        return bool(self.allow_networks) and host == self.typed_host

    def looks_up_local_names(self, host: str) -> bool:
        """Return whether the machine's own name tables may be asked for the host that was typed."""
        return self.may_lie_inside(host) or any(host == typed for typed, _ in self.typed_private)


def own_ports(port: int) -> frozenset[int]:
    """The ports that lead to an origin on ``port``."""
    return _FRONT_DOORS if port in _FRONT_DOORS else frozenset({port})


def unwrap(address: Address) -> Address:
    """The IPv4 address inside an IPv4-mapped IPv6 one; any other address itself."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def is_public(address: Address) -> bool:
    """Return whether an address belongs to the public Internet by our tables, in whichever way it is written."""
    plain = unwrap(address)
    if isinstance(plain, IPv4Address):
        return not any(plain in network for network in REFUSED_IPV4)
    if plain.scope_id is not None or plain not in GLOBAL_IPV6:
        return False
    return not any(plain in network for network in REFUSED_IPV6)


def is_special_name(host: str) -> bool:
    """Return whether a canonical host can only name a host of a private network: one label, or a special suffix."""
    labels = host.removesuffix(".").split(".")
    return len(labels) == 1 or labels[-1] in SPECIAL_SUFFIXES


def local_addresses() -> frozenset[Address]:
    """The addresses of this machine's interfaces where the system lists them (Linux); empty elsewhere.

    A service must not be talked into asking itself over its own public address.
    """
    found: set[Address] = set()
    try:
        trie = Path("/proc/net/fib_trie").read_text(encoding="ascii")
        found.update(IPv4Address(match[1]) for match in re.finditer(r"\|-- ([0-9.]{7,15})\n +/32 host LOCAL\n", trie))
        for line in Path("/proc/net/if_inet6").read_text(encoding="ascii").splitlines():
            found.add(IPv6Address(int(line[:32], 16)))
    except (OSError, ValueError):
        return frozenset(found)
    return frozenset(found)


class Guard:
    """Checks URLs, resolved addresses and sockets by one policy; all clients of a run share one.

    The operator's own networks are closed until all addresses of the typed host, as they are first checked, lie in
    them; they are open from then on, until ``leave`` closes everything that is not public for good.

    Args:
        policy: What is permitted.
        own_addresses: Addresses of this machine; ``None`` reads them from the system at first use.
    """

    def __init__(self, policy: Policy, *, own_addresses: Iterable[Address] | None = None) -> None:
        self.policy = policy
        self._own_sockets: set[tuple[Address, int]] = set()
        self._own_places: set[tuple[str, int]] = set()
        """(host, port) pairs that have answered as this installation."""
        for host, port in policy.own_origins:
            literal = urls.host_address(host)
            self.note_own(port, () if literal is None else (literal,))
        self._given = None if own_addresses is None else frozenset(own_addresses)
        self._is_inside: bool | None = None
        """True while the operator's own networks are open; ``None`` until the typed host was checked."""
        self._has_left = False
        self._inside: set[tuple[str, int]] = set()
        """(host, port) pairs that were permitted as the operator's own, or as typed."""

    @cached_property
    def _own(self) -> frozenset[Address]:
        return local_addresses() if self._given is None else self._given

    def note_own(self, port: int, addresses: Iterable[Address | str]) -> None:
        """Refuse these addresses at ``port``, and at the port that leads there: the installation itself answers."""
        for given in addresses:
            with suppress(ValueError):
                address = unwrap(ip_address(given) if isinstance(given, str) else given)
                self._own_sockets.update((address, number) for number in own_ports(port))

    def note_answer(self, host: str, port: int, request_ids: Iterable[str]) -> Refusal | None:
        """Refuse a host from now on that answered as this installation, under a name or address that was not known.

        Args:
            request_ids: The X-Request-Id of its response; all of them, where there are several.
        """
        if not any(is_own_request_id(each, self.policy.own_key) for each in request_ids):
            return None
        self._own_places.add((host, port))
        return Refusal("host", _OWN)

    def leave(self) -> None:
        """Close what is not public: a public page answered, and nothing that it names may lead inside."""
        self._has_left = True

    def looks_up_local_names(self, host: str) -> bool:
        """Return whether the machine's own name tables may be asked for a host."""
        # The typed host is always looked up the same way, so that its addresses are asked for once.
        return self.policy.looks_up_local_names(host) or bool(self._is_inside and not self._has_left)

    def is_inside(self, url: str) -> bool:
        """Return whether the host of a URL was permitted as the operator's own, or as the typed private one."""
        return (urls.host(url), urls.port(url)) in self._inside

    def is_closed_to_public(self, permit: Permit) -> bool:
        """Return whether a permit is for a host that a public page must not lead to."""
        return any(
            self._check_address(permit.host, permit.port, address, from_public=True) is not None
            for address in permit.addresses
        )

    def check_url(self, url: str) -> Refusal | None:
        """Check what can be checked without DNS.

        Args:
            url: Canonical absolute URL.

        Returns:
            ``None`` when the host may be looked up (or, for a literal, contacted).
        """
        if not urls.is_http(url):
            return Refusal("scheme", "Only http and https are contacted.")
        host, port = urls.host(url), urls.port(url)
        problem = "it cannot be read" if port is None else urls.host_problem(host)
        if port is None or problem is not None:
            return Refusal("host", f"The host is not a name that can exist: {problem}.")
        if self.policy.is_own(host, port) or (host, port) in self._own_places:
            return Refusal("host", _OWN)
        if self.policy.is_denied(host):
            return Refusal("host", _DENIED)
        literal = urls.host_address(host)
        if literal is not None:
            checked = self.check_addresses(host, port, [literal])
            return checked if isinstance(checked, Refusal) else None
        may_be_typed = self.policy.is_typed(host, port) or self.policy.may_lie_inside(host)
        if not self._has_left and (self._is_inside or may_be_typed):
            return None
        if is_special_name(host):
            return Refusal("host", "The host is not a name of the public Internet, so it is not contacted.")
        return self._check_port(port)

    def _check_port(self, port: int) -> Refusal | None:
        if port in self.policy.allowed_ports:
            return None
        listed = ", ".join(str(each) for each in sorted(self.policy.allowed_ports))
        return Refusal("port", f"Port {port} is not contacted; the allowed ports are {listed}.")

    def check_unresolved(self, host: str, port: int) -> Permit | Refusal:
        """Check a host that a proxy resolves, by all that its name shows; ``check_url`` has permitted it."""
        if is_special_name(host):
            return Refusal("host", _NOT_FOR_PROXY)
        return self._check_port(port) or Permit(host, port, ())

    def check_addresses(self, host: str, port: int, addresses: Iterable[Address | str]) -> Permit | Refusal:
        """Check every address of a host.

        Args:
            host: Canonical host.
            port: Where it is to be dialed.
            addresses: All that the resolver gave, in order.

        Returns:
            The addresses that may be dialed, at most eight, or a refusal when any one is forbidden.
        """
        try:
            known = [ip_address(given) if isinstance(given, str) else given for given in addresses]
        except ValueError:
            return Refusal("address", _NOT_PUBLIC)
        if self._is_inside is None and self.policy.may_lie_inside(host):
            # Once: what a name server answers later, when the page is known, opens nothing.
            self._is_inside = bool(known) and all(
                _within(unwrap(address), self.policy.allow_networks) for address in known
            )
        permitted: dict[Address, None] = {}
        for address in known:
            refusal = self._check_address(host, port, address)
            if refusal is not None:
                return refusal
            permitted.setdefault(unwrap(address))
        if not permitted:
            return Refusal("address", _NOT_PUBLIC)
        permit = Permit(host, port, tuple(permitted)[:MAX_ADDRESSES])
        is_own = self._is_inside and all(_within(address, self.policy.allow_networks) for address in permitted)
        if is_own or self.is_closed_to_public(permit):
            self._inside.add((host, port))
        return permit

    def _check_address(self, host: str, port: int, address: Address, *, from_public: bool = False) -> Refusal | None:
        plain = unwrap(address)
        scoped = isinstance(address, IPv6Address) and address.scope_id is not None
        if scoped:
            return Refusal("address", _NOT_PUBLIC)
        if (plain, port) in self._own_sockets:
            return Refusal("address", _OWN)
        if _within(plain, self.policy.deny_networks):
            return Refusal("address", _NOT_PUBLIC)
        may_be_private = not (from_public or self._has_left)
        if may_be_private and self._is_inside and _within(plain, self.policy.allow_networks):
            return None
        typed = may_be_private and self.policy.is_typed(host, port)
        if typed and plain not in METADATA and (_within(plain, TYPED_NETWORKS) or plain in self._own):
            return None
        if not is_public(plain) or plain in self._own:
            return Refusal("address", _NOT_PUBLIC)
        return self._check_port(port)

    def check_socket(self, family: int, address: str, port: int, permit: Permit) -> bool:
        """Check the real address of a socket about to be opened: the last look before the kernel.

        Args:
            family: ``socket.AF_INET`` or ``socket.AF_INET6``; any other is refused.
            address: As the library would dial it.
            port: As the library would dial it.

        Returns:
            Whether it is what was checked, and would be checked so again.
        """
        if family not in (socket.AF_INET, socket.AF_INET6):
            return False
        try:
            plain = unwrap(ip_address(address))
        except ValueError:
            return False
        if permit.via is not None:
            # The proxy is the operator's choice; what it is asked for is checked like everything that is dialed.
            is_proxy = plain in permit.via.addresses and port == permit.via.proxy.port
            return is_proxy and all(
                self._check_address(permit.host, permit.port, each) is None for each in permit.addresses
            )
        if port != permit.port:
            return False
        return plain in permit.addresses and self._check_address(permit.host, permit.port, plain) is None


def _within(address: Address, networks: Iterable[Network]) -> bool:
    return any(network.version == address.version and address in network for network in networks)
