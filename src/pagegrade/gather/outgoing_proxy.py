"""The operator's forward proxy: what its URL says, which hosts are reached without it, and a connection through it.

The guard decides first. A proxy is asked for an address that was resolved and checked here, unless the operator lets it
resolve names; then names and literal addresses are checked, and where a name leads is the proxy's knowledge alone.

Source: RFC 9110 9.3.6 (CONNECT), RFC 1928 and 1929 (SOCKS5)
"""

from __future__ import annotations

import asyncio
import base64
import re
import socket
import ssl
import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Final, Literal
from urllib.parse import unquote

import msgspec

from pagegrade.gather.exchange import FetchError
from pagegrade.parse import url as urls

Address = IPv4Address | IPv6Address
DEFAULT_PORTS: Final = {"http": 80, "https": 443, "socks5h": 1080}
MAX_RULES: Final = 200
_MAX_PORT: Final = 65_535
_URL: Final = re.compile(
    r"(?P<scheme>https?|socks5h)://(?:(?P<user>[^:@/\s]*)(?::(?P<password>[^@/\s]*))?@)?"
    r"(?P<host>\[[0-9A-Fa-f:]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::(?P<port>[0-9]{1,5}))?/?"
)
_MAX_CREDENTIAL: Final = 255
"""Bytes of a user or a password (RFC 1929 2)."""
NO_PROXY_USER: Final = 407
"""Of HTTP; stands for the same refusal of SOCKS."""
_STATUS: Final = re.compile(rb"HTTP/1\.[01] ([0-9]{3})\b")
_NEEDS_USER: Final = frozenset({401, 407})
"""Statuses that ask for a user; tinyproxy answers wrong ones with the first."""
_SOCKS, _NO_USER, _USER, _CONNECT = 5, 0, 2, 1
_IPV4, _NAME, _IPV6 = 1, 3, 4
_BY_RULES: Final = 2
"""Reply of SOCKS5: the rules of the proxy do not allow the connection."""


class DirectHosts(msgspec.Struct, frozen=True, kw_only=True):
    """Hosts that are reached without a proxy, as ``NO_PROXY`` names them."""

    everything: bool = False
    names: tuple[str, ...] = ()
    """Domains, with the hosts below them."""
    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    @property
    def shown(self) -> tuple[str, ...]:
        """The rules, for people."""
        return (*(("*",) if self.everything else ()), *self.names, *map(str, self.networks))

    def has(self, host: str, addresses: Sequence[Address] = ()) -> bool:
        """Return whether a host is one of them; this machine always is.

        Args:
            host: Canonical host.
        """
        name = host.removesuffix(".")
        literal = urls.host_address(host)
        known = (literal,) if literal is not None else addresses
        if name == "localhost" or name.endswith(".localhost") or (known and all(each.is_loopback for each in known)):
            return True
        if self.everything or any(name == each or name.endswith(f".{each}") for each in self.names):
            return True
        return bool(known) and all(
            any(address.version == network.version and address in network for network in self.networks)
            for address in known
        )


NO_DIRECT_HOSTS: Final = DirectHosts()


def read_direct_hosts(text: str) -> DirectHosts:
    """Read a list such as ``NO_PROXY``: domains, addresses and networks, separated by commas; ``*`` is every host."""
    names: list[str] = []
    networks: list[IPv4Network | IPv6Network] = []
    entries = [entry for entry in re.split(r"[,\s]+", text) if entry][:MAX_RULES]
    for entry in entries:
        bare = entry.removeprefix("*").lstrip(".").lower().removesuffix(".")
        try:
            networks.append(ip_network(bare.strip("[]"), strict=False))
        except ValueError:
            names += [bare] if bare else []
    return DirectHosts(everything="*" in entries, names=tuple(names), networks=tuple(networks))


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingProxy:
    """The operator's proxy."""

    scheme: Literal["http", "https", "socks5h"]
    """Protocol of the proxy itself."""
    host: str
    """Canonical name or address."""
    port: int
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    direct: DirectHosts = NO_DIRECT_HOSTS
    resolves: bool = False
    """It is asked for names, and resolves them itself."""

    @property
    def url(self) -> str:
        """Its URL without user and password, for people."""
        return f"{self.scheme}://{self.host}:{self.port}"


def read_proxy(url: str, *, direct: DirectHosts = NO_DIRECT_HOSTS, resolves: bool = False) -> OutgoingProxy:
    """Read ``http://USER:PASSWORD@HOST:PORT``, ``https://…`` or ``socks5h://…``; special characters are encoded.

    Raises:
        ValueError: It is no such URL; the message does not repeat it.
    """
    found = _URL.fullmatch(url)
    number = int(found["port"] or DEFAULT_PORTS[found["scheme"]]) if found else 0
    user, password = (unquote((found and found[name]) or "") for name in ("user", "password"))
    too_long = max(len(user.encode()), len(password.encode())) > _MAX_CREDENTIAL
    if found is None or not 0 < number <= _MAX_PORT or too_long or not (user + password).isprintable():
        raise ValueError("give http://USER:PASSWORD@HOST:PORT, or the same with https:// or socks5h://")
    scheme: Literal["http", "https", "socks5h"] = (
        "socks5h" if found["scheme"] == "socks5h" else "https" if found["scheme"] == "https" else "http"
    )
    return OutgoingProxy(
        scheme=scheme,
        host=found["host"].lower(),
        port=number,
        user=user,
        password=password,
        direct=direct,
        resolves=resolves,
    )


class ProxyHop(msgspec.Struct, frozen=True):
    """The proxy that one exchange goes through, with its addresses."""

    proxy: OutgoingProxy
    addresses: tuple[Address, ...]
    """At least one."""


def refused_by_proxy(status: int, port: int) -> FetchError:
    """The proxy does not open a connection.

    Args:
        status: HTTP status of its answer to CONNECT; 0: it said so in another way.
    """
    if status in _NEEDS_USER:
        detail = "The proxy wants a user and a password, or other ones than those of PAGEGRADE_PROXY."
        return FetchError("connect", detail, reason="proxy_sign_in")
    detail = f"The proxy does not connect to the site on port {port}."
    if status:
        detail = f"The proxy does not connect to the site on port {port} (status {status})."
    return FetchError("connect", detail, reason="proxy_refused")


def unreachable_proxy() -> FetchError:
    """The proxy itself is not there, or is no proxy."""
    return FetchError("connect", "The proxy of PAGEGRADE_PROXY cannot be reached.", reason="proxy_unreachable")


async def open_through(
    hop: ProxyHop, target: Address | str, port: int, *, roots: ssl.SSLContext | None, limit: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a connection to a site through the proxy.

    Args:
        hop: The proxy.
        target: Address that was checked, or the name for a proxy that resolves.
        roots: Verifies the certificate of a proxy that is spoken to over TLS.
        limit: Bytes that the reader buffers.

    Raises:
        FetchError: The proxy cannot be reached or does not connect.
    """
    reader, writer = await _connect(hop, roots, limit)
    try:
        if hop.proxy.scheme == "socks5h":
            await _ask_socks(reader, writer, hop.proxy, target, port)
        else:
            await _ask_http(reader, writer, hop.proxy, target, port)
    except BaseException as error:
        writer.transport.abort()
        if isinstance(error, (OSError, EOFError, asyncio.LimitOverrunError)):
            raise unreachable_proxy() from error
        raise
    return reader, writer


async def _connect(
    hop: ProxyHop, roots: ssl.SSLContext | None, limit: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    is_tls = hop.proxy.scheme == "https"
    for address in hop.addresses:
        with suppress(OSError):
            return await asyncio.open_connection(
                str(address),
                hop.proxy.port,
                limit=limit,
                ssl=roots if is_tls else None,
                server_hostname=hop.proxy.host.strip("[]") if is_tls else None,
                flags=socket.AI_NUMERICHOST,
            )
    raise unreachable_proxy()


async def _ask_http(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, proxy: OutgoingProxy, target: Address | str, port: int
) -> None:
    name = f"[{target}]" if isinstance(target, IPv6Address) else str(target)
    lines = [f"CONNECT {name}:{port} HTTP/1.1", f"Host: {name}:{port}"]
    if proxy.user or proxy.password:
        pair = base64.b64encode(f"{proxy.user}:{proxy.password}".encode()).decode("ascii")
        lines.append(f"Proxy-Authorization: Basic {pair}")
    writer.write("\r\n".join([*lines, "", ""]).encode("ascii"))
    head = await reader.readuntil(b"\r\n\r\n")
    found = _STATUS.match(head)
    if found is None:
        raise unreachable_proxy()
    if not found[1].startswith(b"2"):
        raise refused_by_proxy(int(found[1]), port)


async def _ask_socks(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, proxy: OutgoingProxy, target: Address | str, port: int
) -> None:
    has_user = bool(proxy.user or proxy.password)
    methods = bytes((_NO_USER, _USER) if has_user else (_NO_USER,))
    writer.write(bytes((_SOCKS, len(methods))) + methods)
    version, method = await reader.readexactly(2)
    if version != _SOCKS:
        raise unreachable_proxy()
    if method == _USER and has_user:
        user, password = proxy.user.encode(), proxy.password.encode()
        writer.write(bytes((1, len(user))) + user + bytes((len(password),)) + password)
        if (await reader.readexactly(2))[1] != 0:
            raise refused_by_proxy(NO_PROXY_USER, port)
    elif method != _NO_USER:
        raise refused_by_proxy(NO_PROXY_USER, port)
    if isinstance(target, str):
        name = target.encode("ascii")
        asked = bytes((_NAME, len(name))) + name
    else:
        asked = bytes((_IPV4 if target.version == 4 else _IPV6,)) + target.packed
    writer.write(bytes((_SOCKS, _CONNECT, 0)) + asked + struct.pack("!H", port))
    version, reply, _, kind = await reader.readexactly(4)
    if version != _SOCKS:
        raise unreachable_proxy()
    length = (await reader.readexactly(1))[0] if kind == _NAME else 4 if kind == _IPV4 else 16
    await reader.readexactly(length + 2)
    if reply == _BY_RULES:
        raise refused_by_proxy(0, port)
    if reply:
        raise FetchError("connect", "The proxy cannot reach the site.", reason="proxy_refused")
