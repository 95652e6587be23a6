"""Sites that are reached through the operator's proxy: by real proxies that note what they were asked for."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path

import pytest
import trustme

from pagegrade.gather.exchange import FetchError, Followed, Request
from pagegrade.gather.guard import Guard, Permit, Policy
from pagegrade.gather.handshake import Handshaker
from pagegrade.gather.http import HTTPClient
from pagegrade.gather.outgoing_proxy import (
    DirectHosts,
    OutgoingProxy,
    ProxyHop,
    open_through,
    read_direct_hosts,
    read_proxy,
)
from pagegrade.parse.http.access import read_access
from tests.gather.forward_proxies import (
    ADDRESS,
    PASSWORD,
    USER,
    Proxy,
    microsocks,
    needs_microsocks,
    needs_tinyproxy,
    policy_through,
    tinyproxy,
)
from tests.gather.scripted import Names
from tests.gather.sites import Asked, Site, html
from tests.gather.sites import redirect as to_site

NAMES = {"site.com": (ADDRESS,), "inside.com": ("10.0.0.1",), "mixed.com": (ADDRESS, "10.0.0.1")}
PAGE = html("<title>Found</title>")


def site_at(port: int) -> str:
    """The URL of the site on a port."""
    return f"http://site.com:{port}/"


async def ask(url: str, policy: Policy, names: Names | None = None) -> Followed | FetchError:
    """Answer to a client that follows redirects."""
    async with HTTPClient(guard=Guard(policy), resolver=names or Names(NAMES)) as client:
        try:
            return await client.follow(Request(url=url, timeout_s=20))
        except FetchError as error:
            return error


def port_of(site: Site) -> int:
    """The port of a site."""
    return int(site.origin.rpartition(":")[2])


@pytest.mark.parametrize(
    ("url", "read"),
    [
        ("http://proxy.example:3128", ("http", "proxy.example", 3128, "", "")),
        ("http://Proxy.example/", ("http", "proxy.example", 80, "", "")),
        ("https://alice:s%40cret%3A@proxy.example", ("https", "proxy.example", 443, "alice", "s@cret:")),
        ("socks5h://[2001:db8::1]:1081", ("socks5h", "[2001:db8::1]", 1081, "", "")),
        ("socks5h://10.0.0.5", ("socks5h", "10.0.0.5", 1080, "", "")),
    ],
)
def test_the_url_of_a_proxy_is_read(url: str, read: tuple[object, ...]) -> None:
    """Percent-encoded parts are decoded, and nobody sees user and password again."""
    found = read_proxy(url)

    assert (found.scheme, found.host, found.port, found.user, found.password) == read
    assert "cret" not in repr(found) + found.url


@pytest.mark.parametrize(
    "url",
    ["", "proxy.example:3128", "socks4://proxy.example", "socks5://secret@proxy.example", "http://secret:secret@", "ftp://x",
     "http://proxy.example:0", "http://proxy.example:65536", "http://proxy.example/secret", "http://a:secret%0d%0a@b",
     f"http://{'secret' * 50}@proxy.example"],
)  # fmt: skip
def test_what_is_no_url_of_a_proxy_is_not_repeated(url: str) -> None:
    """The password might stand in it."""
    with pytest.raises(ValueError, match="give http://USER:PASSWORD@HOST:PORT") as error:
        read_proxy(url)

    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "host", "addresses", "is_direct"),
    [
        ("", "example.com", ("11.0.0.1",), False),
        ("", "localhost", (), True),
        ("", "app.localhost", (), True),
        ("", "127.0.0.1", (), True),
        ("", "[::1]", (), True),
        ("", "app.example", ("127.0.0.1", "::1"), True),
        ("", "app.example", ("127.0.0.1", "11.0.0.1"), False),
        ("*", "example.com", (), True),
        ("example.com", "example.com", (), True),
        ("example.com", "www.example.com.", (), True),
        (" .Example.com, other", "www.example.com", (), True),
        ("*.example.com", "www.example.com", (), True),
        ("example.com", "badexample.com", (), False),
        ("10.0.0.0/8", "10.1.2.3", (), True),
        ("10.0.0.0/8,fd00::/8", "intranet.example", ("10.1.2.3", "fd00::1"), True),
        ("10.0.0.0/8", "intranet.example", ("10.1.2.3", "11.0.0.1"), False),
        ("10.0.0.0/8", "intranet.example", (), False),
        ("[2a00::1]", "[2a00::1]", (), True),
        (",,.,", "example.com", (), False),
    ],
)
def test_some_hosts_are_reached_directly(text: str, host: str, addresses: tuple[str, ...], *, is_direct: bool) -> None:
    """By domain, by address and by network, as other programs read ``NO_PROXY``; this machine always."""
    assert read_direct_hosts(text).has(host, tuple(ip_address(each) for each in addresses)) is is_direct


@needs_tinyproxy
@pytest.mark.parametrize("password", [False, True], ids=["open", "password"])
def test_a_proxy_is_asked_for_the_address_that_was_checked(tmp_path: Path, *, password: bool) -> None:
    """Never for the name, which might lead elsewhere when the proxy looks it up; the site sees what it always sees."""

    async def scenario(proxy: Proxy) -> tuple[Followed | FetchError, list[str], int]:
        async with Site({"/": PAGE}, address=ADDRESS) as site:
            found = await ask(site_at(port_of(site)), policy_through(proxy))
            assert [asked.headers["host"] for asked in site.asked] == [f"site.com:{port_of(site)}"]
            assert not any("proxy" in name for name in site.asked[0].headers)
            return found, proxy.asked(), port_of(site)

    with tinyproxy(tmp_path, password=password) as proxy:
        found, asked, port = asyncio.run(scenario(proxy))

    assert isinstance(found, Followed), found
    assert b"Found" in found.response.body
    assert found.exchange.dialed_address == ADDRESS
    assert asked == [f"{ADDRESS}:{port}"]


@needs_tinyproxy
def test_an_access_goes_through_a_proxy_to_its_origin_alone(tmp_path: Path) -> None:
    """The password of the proxy is no part of it, and a redirect to another port gets neither."""

    async def scenario(proxy: Proxy) -> tuple[list[Asked], list[Asked], list[str]]:
        async with Site({"/": PAGE}, address=ADDRESS) as other:
            led = to_site(site_at(port_of(other)))
            async with Site({"/": led}, address=ADDRESS) as own:
                access = read_access(origins=[f"http://site.com:{port_of(own)}"], user="reader", password="n0t-Shown-1")
                policy = policy_through(proxy)
                async with HTTPClient(guard=Guard(policy), resolver=Names(NAMES), access=access) as client:
                    await client.follow(Request(url=site_at(port_of(own)), timeout_s=20))
                return own.asked, other.asked, [f"{ADDRESS}:{port_of(each)}" for each in (own, other)]

    with tinyproxy(tmp_path, password=True) as proxy:
        (own,), (other,), places = asyncio.run(scenario(proxy))
        asked, log = proxy.asked(), proxy.log.read_text(encoding="utf-8")

    assert own.headers["authorization"] == "Basic cmVhZGVyOm4wdC1TaG93bi0x"
    assert "authorization" not in other.headers
    assert not any("proxy" in name for each in (own, other) for name in each.headers)
    assert asked == places
    assert "n0t-Shown" not in log


@needs_microsocks
@pytest.mark.parametrize("password", [False, True], ids=["open", "password"])
def test_a_socks_proxy_is_asked_for_the_address_that_was_checked(tmp_path: Path, *, password: bool) -> None:
    """The same by another protocol."""

    async def scenario(proxy: Proxy) -> tuple[Followed | FetchError, int]:
        async with Site({"/": PAGE}, address=ADDRESS) as site:
            return await ask(site_at(port_of(site)), policy_through(proxy)), port_of(site)

    with microsocks(tmp_path, password=password) as proxy:
        found, port = asyncio.run(scenario(proxy))
        asked = proxy.asked()

    assert isinstance(found, Followed), found
    assert asked == [f"{ADDRESS}:{port}"]


@needs_microsocks
def test_a_socks_proxy_that_wants_another_user_is_told_from_one_that_refuses(tmp_path: Path) -> None:
    """A wrong password and none at all are a matter of the setting, a site that is not there is not."""

    async def scenario(proxy: Proxy) -> list[Followed | FetchError]:
        right = read_proxy(proxy.url)
        through = (replace(right, password="wrong-secret"), replace(right, user="", password=""), right)
        return [await ask(site_at(1), policy_through(each)) for each in through]

    with microsocks(tmp_path, password=True) as proxy:
        found = asyncio.run(scenario(proxy))

    reasons = [each.reason for each in found if isinstance(each, FetchError)]

    assert reasons == ["proxy_sign_in", "proxy_sign_in", "proxy_refused"]


@needs_tinyproxy
@pytest.mark.parametrize(
    "target", ["http://10.0.0.1/", "http://inside.com/", "http://mixed.com/", "http://127.0.0.1:{port}/"]
)
def test_a_proxy_is_never_asked_for_an_address_inside(tmp_path: Path, target: str) -> None:
    """Not by a redirect, not by a name that resolves inward, not for itself."""

    async def scenario(proxy: Proxy) -> tuple[Followed | FetchError, int]:
        async with Site({"/": to_site(target.replace("{port}", str(proxy.port)))}, address=ADDRESS) as site:
            return await ask(site_at(port_of(site)), policy_through(proxy)), port_of(site)

    with tinyproxy(tmp_path) as proxy:
        found, port = asyncio.run(scenario(proxy))
        asked = proxy.asked()

    assert isinstance(found, FetchError)
    assert (found.code, found.reason) == ("address_not_allowed", "redirect_refused")
    assert asked == [f"{ADDRESS}:{port}"]


@needs_tinyproxy
def test_a_proxy_that_resolves_is_asked_for_names(tmp_path: Path) -> None:
    """No name server is asked here; names of private networks and addresses are refused as ever."""
    names = Names(NAMES)

    async def scenario(proxy: Proxy) -> list[Followed | FetchError]:
        policy = policy_through(replace(read_proxy(proxy.url), resolves=True), host="intranet")
        first, *inside = "nowhere.example:8080", "intranet", "db.internal", "10.0.0.1", "site.com:22"
        return [await ask(f"http://{each}/", policy, names) for each in (first, *inside)]

    with tinyproxy(tmp_path) as proxy:
        found = asyncio.run(scenario(proxy))
        asked = proxy.asked()

    reasons = [each.reason for each in found if isinstance(each, FetchError)]

    assert reasons == ["proxy_refused", *["target_refused"] * 4]
    assert asked == ["nowhere.example:8080"]
    assert names.asked == []


@needs_tinyproxy
def test_hosts_that_need_no_proxy_are_dialed(tmp_path: Path) -> None:
    """By the operator's rules, for a name as for the network of its addresses."""

    async def scenario(proxy: Proxy) -> int:
        async with Site({"/": PAGE}, address=ADDRESS) as site:
            for rules in ("site.com", f"{ADDRESS}/32"):
                used = replace(read_proxy(proxy.url), direct=read_direct_hosts(rules))
                assert isinstance(await ask(site_at(port_of(site)), policy_through(used)), Followed)
            return len(site.asked)

    with tinyproxy(tmp_path) as proxy:
        assert asyncio.run(scenario(proxy)) == 2
        assert proxy.asked() == []


@needs_tinyproxy
def test_a_proxy_that_fails_is_not_a_site_that_fails(tmp_path: Path) -> None:
    """Wrong password, a port that it does not connect to, no proxy at all: each in its own words, without secrets."""

    async def scenario(proxy: Proxy, closed: Proxy) -> list[Followed | FetchError]:
        async with Site({"/": PAGE}, address=ADDRESS) as site:
            wrong = replace(read_proxy(proxy.url), password="wrong-secret")
            none = replace(read_proxy(proxy.url), user="", password="")
            gone = replace(read_proxy(proxy.url), port=1)
            unknown = replace(read_proxy(proxy.url), host="unknown.example")
            through = (wrong, none, read_proxy(closed.url), gone, unknown)
            return [await ask(site_at(port_of(site)), policy_through(each)) for each in through]

    with tinyproxy(tmp_path / "a", password=True) as proxy, tinyproxy(tmp_path / "b", connect_ports=(443,)) as closed:
        found = asyncio.run(scenario(proxy, closed))

    errors = [each for each in found if isinstance(each, FetchError)]

    assert [(each.code, each.reason) for each in errors] == [
        ("connect", "proxy_sign_in"),
        ("connect", "proxy_sign_in"),
        ("connect", "proxy_refused"),
        ("connect", "proxy_unreachable"),
        ("connect", "proxy_unreachable"),
    ]
    assert not any(secret in str(each) for each in errors for secret in ("wrong-secret", PASSWORD, USER))


@needs_tinyproxy
def test_certificates_and_protocol_versions_are_those_of_the_site(tmp_path: Path) -> None:
    """TLS goes through the proxy to its end: what is seen of it is the site's."""
    authority = trustme.CA()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.minimum_version = ssl.TLSVersion.TLSv1_3
    authority.issue_cert("site.com").configure_cert(tls)

    async def scenario(proxy: Proxy) -> tuple[Followed | FetchError, tuple[tuple[str, bool | None], ...]]:
        policy = replace(policy_through(proxy), authorities=authority.cert_pem.bytes().decode())
        async with Site({"/": PAGE}, address=ADDRESS, tls=tls) as site:
            url = f"https://site.com:{port_of(site)}/"
            async with HTTPClient(guard=Guard(policy), resolver=Names(NAMES)) as client:
                permit = await client.permit(url)
                versions = await Handshaker(client.guard).versions(
                    permit, timeout_s=20, versions=("TLSv1.2", "TLSv1.3")
                )
            return await ask(url, policy), versions

    with tinyproxy(tmp_path) as proxy:
        found, versions = asyncio.run(scenario(proxy))
        asked = proxy.asked()

    assert isinstance(found, Followed), found
    assert found.response.certificate_error is None
    assert len(found.exchange.certificates_pem) == 1
    assert versions == (("TLSv1.2", False), ("TLSv1.3", True))
    assert {each.partition(":")[0] for each in asked} == {ADDRESS}
    assert len(asked) == 3


@contextlib.asynccontextmanager
async def over_tls(port: int, tls: ssl.SSLContext) -> AsyncIterator[int]:
    """A port that is spoken to over TLS and leads to another one."""

    async def move(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(move(reader, inner_writer), move(inner_reader, writer))

    async with await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls) as server:
        yield server.sockets[0].getsockname()[1]


@needs_tinyproxy
def test_a_proxy_may_be_spoken_to_over_tls(tmp_path: Path) -> None:
    """Its certificate is verified, by everyone's authorities and the operator's own."""
    authority = trustme.CA()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    own = authority.cert_pem.bytes().decode()

    async def scenario(proxy: Proxy) -> list[Followed | FetchError]:
        async with Site({"/": PAGE}, address=ADDRESS) as site, over_tls(proxy.port, tls) as port:
            used = replace(read_proxy(proxy.url), scheme="https", port=port)
            policies = (replace(policy_through(used), authorities=own), policy_through(used))
            return [await ask(site_at(port_of(site)), each) for each in policies]

    with tinyproxy(tmp_path, password=True) as proxy:
        trusted, untrusted = asyncio.run(scenario(proxy))

    assert isinstance(trusted, Followed), trusted
    assert isinstance(untrusted, FetchError)
    assert untrusted.reason == "proxy_unreachable"


def test_the_last_look_sees_the_proxy_and_what_it_is_asked_for() -> None:
    """A socket to anything but the proxy is refused, and one to the proxy when the site must not be reached now."""
    proxy = read_proxy("http://proxy.example:3128")
    hop = ProxyHop(proxy, (ip_address("10.9.9.9"),))
    guard = Guard(Policy(proxy=proxy), own_addresses=())
    public = Permit("site.com", 443, (ip_address("11.0.0.1"),), via=hop)
    private = Permit("site.com", 443, (ip_address("10.0.0.1"),), via=hop)

    def opens(address: str, port: int, permit: Permit) -> bool:
        return guard.check_socket(socket.AF_INET, address, port, permit)

    assert opens("10.9.9.9", 3128, public)
    assert not opens("10.9.9.9", 3128, private)
    assert not opens("10.9.9.9", 443, public)
    assert not opens("11.0.0.1", 443, public)
    assert public.pinned == ["proxy.example:3128:10.9.9.9"]


@needs_microsocks
def test_a_connection_by_socks_carries_names_and_addresses(tmp_path: Path) -> None:
    """As the browser's connections use it, with a user, and with a wrong one."""

    async def scenario(proxy: Proxy) -> tuple[bytes, str]:
        async with Site({"/": PAGE}, address=ADDRESS) as site:
            hop = ProxyHop(read_proxy(proxy.url), (ip_address("127.0.0.1"),))
            reader, writer = await open_through(hop, ip_address(ADDRESS), port_of(site), roots=None, limit=65536)
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = await reader.readline()
            writer.close()
            wrong = ProxyHop(replace(hop.proxy, password="no"), hop.addresses)
            with pytest.raises(FetchError) as refused:
                await open_through(wrong, "localhost", port_of(site), roots=None, limit=65536)
            return answer, refused.value.reason

    with microsocks(tmp_path, password=True) as proxy:
        assert asyncio.run(scenario(proxy)) == (b"HTTP/1.1 200 X\r\n", "proxy_sign_in")


def test_rules_without_text_are_none() -> None:
    """The default: only this machine is reached directly."""
    assert read_direct_hosts("") == DirectHosts()
    assert OutgoingProxy(scheme="http", host="p", port=1).direct == DirectHosts()
