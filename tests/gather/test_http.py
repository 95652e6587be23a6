"""The HTTP client: redirects, refusals, connections, clocks and certificates."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import gzip
import random
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
import trustme
import uvloop
from hypercorn.asyncio import serve
from hypercorn.config import Config
from msgspec.structs import replace

from pagegrade.gather.exchange import Exchange, FetchError, Followed, Post, Request
from pagegrade.gather.guard import Guard, Policy
from pagegrade.gather.held_bytes import HeldBytes
from pagegrade.gather.http import HTTPClient
from pagegrade.model.access import Access
from pagegrade.model.identity import mark_request_id
from pagegrade.parse.http.access import read_access
from tests.gather.scripted import (
    FAST,
    OK,
    OWN,
    PATIENT,
    Names,
    failure,
    fetch,
    redirect,
    serving,
    silent,
)
from tests.gather.sites import LOOPBACK, Asked, Reply, Site, html, typed
from tests.gather.sites import redirect as to_site
from tests.waiting import turns, wait_for
from tests.webhook_receiver import answer, receiving


def test_redirects_are_followed_and_kept() -> None:
    """Row D07: relative targets are joined against the URL they came from."""
    result, server = fetch(redirect(b"/a/b/c"), redirect(b"../d?x#frag"), redirect(b"?y", b"308"), OK, follow=True)

    assert isinstance(result, Followed)
    paths = [request.split(b" ")[1] for request in server.requests]

    assert paths == [b"/", b"/a/b/c", b"/a/d?x", b"/a/d?y"]
    assert [hop.status for hop in result.hops] == [302, 302, 308]
    assert result.response.url == f"http://site.com:{server.port}/a/d?y"


@pytest.mark.parametrize(
    "location",
    [
        b"http://127.0.0.2.:81/x",
        b"http://10.0.0.1/",
        b"http://169.254.169.254/latest/meta-data/",
        b"http://[::ffff:169.254.169.254]/",
        b"http://2852039166/",
        b"file:///etc/passwd",
        b"gopher://site.com/",
        b"javascript:alert(1)",
        b"data:text/html,x",
        b"https://a:b@site.com/",
        b"http://site.com/\x01",
        b"http://exa mple.com/",
        b"http://[/",
        b"/" + b"x" * 9_000,
    ],
)
def test_a_redirect_to_what_may_not_be_contacted_is_refused(location: bytes) -> None:
    """Rows D01 to D03, D08, D09; the chain up to the refusal is kept and no address is shown."""
    policy = Policy(allow_networks=(ip_network("127.0.0.1/32"),), typed_host="site.com")
    error = failure(redirect(location), follow=True, policy=policy)

    assert (error.code, error.reason) == ("address_not_allowed", "redirect_refused")
    assert [hop.status for hop in error.hops] == [302]
    assert "169.254" not in error.detail
    assert "10.0.0.1" not in error.detail


def test_a_redirect_to_a_name_with_a_forbidden_address_is_refused() -> None:
    """Every hop is checked anew, with all addresses of its name."""

    async def main() -> FetchError:
        names = Names({"inside.com": ("127.0.0.1", "10.0.0.1")})
        async with (
            serving(redirect(b"http://inside.com:{port}/")) as server,
            HTTPClient(guard=Guard(OWN), resolver=names) as client,
        ):
            with pytest.raises(FetchError) as caught:
                await client.follow(Request(url=f"http://site.com:{server.port}/"))
            return caught.value

    error = asyncio.run(main())

    assert error.reason == "redirect_refused"
    assert len(error.hops) == 1


@pytest.mark.parametrize("location", [b"/", b"#here", b""])
def test_a_loop_ends_at_its_first_repeat(location: bytes) -> None:
    """Row D04; an empty Location leads nowhere instead (D06)."""
    result, server = fetch(redirect(location), follow=True)

    if location:
        assert isinstance(result, FetchError)
        assert result.reason == "redirect_loop"
    else:
        assert isinstance(result, Followed)
        assert result.response.notes == ("redirect_without_location",)

    assert len(server.requests) == 1


def test_the_eleventh_redirect_is_too_many() -> None:
    """Row D05."""
    error = failure(*(redirect(b"/" + str(number).encode()) for number in range(12)), follow=True)

    assert error.reason == "too_many_redirects"
    assert len(error.hops) == 11


def test_two_locations_that_differ_are_refused() -> None:
    """Row D06: readers would follow different ones."""
    script = b"HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"

    assert failure(script, follow=True).reason == "http_protocol"


@pytest.mark.parametrize("status", [b"300", b"304", b"305"])
def test_other_statuses_of_the_300s_are_answers(status: bytes) -> None:
    """Row D14: they are not followed, whatever Location they carry."""
    result, server = fetch(redirect(b"/x", status), follow=True)

    assert isinstance(result, Followed)
    assert result.response.status == int(status)
    assert len(server.requests) == 1


def ask(policy: Policy, url: str, addresses: tuple[str, ...]) -> tuple[str, list[str]]:
    """Reason of the failure, and the names asked for."""

    async def main() -> tuple[str, list[str]]:
        names = Names({"site.com": addresses})
        async with HTTPClient(guard=Guard(policy), resolver=names, limits=PATIENT) as client:
            with pytest.raises(FetchError) as caught:
                await client.fetch(Request(url=url))
            return caught.value.reason, names.asked

    return asyncio.run(main())


@pytest.mark.parametrize("addresses", [("127.0.0.1",), ("11.0.0.1", "10.0.0.1"), ("2a00::1", "::1"), ("fe80::1%lo",)])
def test_a_name_with_any_forbidden_address_is_not_dialled(addresses: tuple[str, ...]) -> None:
    """Rows C01, C02, C04."""
    assert ask(Policy(), "http://site.com/", addresses) == ("target_refused", ["site.com"])


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://localhost/", "http://site.com:22/", "http://printer/"])
def test_what_is_forbidden_by_its_url_is_not_looked_up(url: str) -> None:
    """The name servers learn nothing of it."""
    assert ask(Policy(), url, ()) == ("target_refused", [])


def test_an_unknown_name_says_so() -> None:
    """Row C08."""
    assert ask(Policy(), "http://unknown.com/", ())[0] == "dns_nxdomain"


def test_a_typed_private_server_is_reached_but_leads_nowhere_private() -> None:
    """A typed address is allowed; a redirect to a private one is not."""

    async def main() -> tuple[int, str]:
        async with serving(redirect(b"http://127.0.0.1:{port}/other"), OK) as server:
            policy = Policy(typed_private=frozenset({("site.com", server.port)}))
            async with HTTPClient(guard=Guard(policy), resolver=Names()) as client:
                first = await client.fetch(Request(url=f"http://site.com:{server.port}/"))
                server.scripts.insert(0, redirect(b"http://127.0.0.1:{port}/other"))
                with pytest.raises(FetchError) as caught:
                    await client.follow(Request(url=f"http://site.com:{server.port}/"))
                return first.response.status, caught.value.reason

    assert asyncio.run(main()) == (302, "redirect_refused")


def test_a_name_is_looked_up_once_per_client() -> None:
    """Row C15, also when many ask at once."""

    async def main() -> tuple[list[str], int]:
        names = Names()
        async with serving(OK) as server, HTTPClient(guard=Guard(OWN), resolver=names) as client:
            wanted = [Request(url=f"http://site.com:{server.port}/{number}") for number in range(12)]
            done = await asyncio.gather(*(client.fetch(request) for request in wanted))
            return names.asked, sum(exchange.response.status == 200 for exchange in done)

    assert asyncio.run(main()) == (["site.com"], 12)


def test_connections_are_kept_and_limited() -> None:
    """At most six at a time to one host, and a kept one is used again."""

    async def main() -> tuple[int, int, float | None]:
        async with serving(OK, per_connection=50) as server, HTTPClient(guard=Guard(OWN), resolver=Names()) as client:
            url = f"http://site.com:{server.port}/"
            await asyncio.gather(*(client.fetch(Request(url=f"{url}{number}")) for number in range(20)))
            busy = server.connections
            again = await client.fetch(Request(url=url))
            return busy, server.connections, again.response.timings.connect_ms

    busy, total, connect_ms = asyncio.run(main())

    assert 1 <= busy <= 6
    assert total == busy
    assert connect_ms is None


def test_an_answer_that_was_not_asked_for_is_not_used() -> None:
    """Row E30: what a server pushes after its answer is never the answer to the next request."""

    async def main() -> list[bytes]:
        pushed = OK + b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        async with (
            serving(pushed, OK, per_connection=2) as server,
            HTTPClient(guard=Guard(OWN), resolver=Names()) as client,
        ):
            url = f"http://site.com:{server.port}/"
            first = await client.fetch(Request(url=url))
            await turns()
            second = await client.fetch(Request(url=url))
            return [first.response.body, second.response.body]

    assert asyncio.run(main()) == [b"hi", b"hi"]


def test_cookies_are_kept_along_a_chain_and_forgotten_at_its_end() -> None:
    """Row D11: as browsers do, so that a page behind a cookie is reached; the next chain begins without any."""
    bounce = b"HTTP/1.1 302 Found\r\nLocation: /\r\nSet-Cookie: a=b; Path=/; HttpOnly\r\nContent-Length: 0\r\n\r\n"

    async def main() -> list[bytes]:
        async with (
            serving(bounce, OK, OK) as server,
            HTTPClient(guard=Guard(OWN), resolver=Names({"site.com": ("127.0.0.1",)})) as client,
        ):
            request = Request(url=f"http://site.com:{server.port}/")
            assert len((await client.follow(request)).hops) == 1
            await client.follow(request)
            return server.requests

    sent = [b"Cookie: a=b" in request for request in asyncio.run(main())]

    assert sent == [False, True, False]


def test_cookies_are_not_sent_to_another_host() -> None:
    """Row D11: a cookie is for the host that set it."""
    away = b"HTTP/1.1 302 Found\r\nLocation: http://other.com:{port}/\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"

    async def main() -> list[bytes]:
        names = Names({"site.com": ("127.0.0.1",), "other.com": ("127.0.0.1",)})
        async with serving(away, OK) as server, HTTPClient(guard=Guard(OWN), resolver=names) as client:
            await client.follow(Request(url=f"http://site.com:{server.port}/"))
            return server.requests

    assert not any(b"ookie" in request for request in asyncio.run(main()))


def test_a_server_that_sets_new_cookies_for_ever_ends() -> None:
    """A chain that never repeats itself has too many redirects."""
    bounces = [
        b"HTTP/1.1 302 Found\r\nLocation: /\r\nSet-Cookie: a=%d\r\nContent-Length: 0\r\n\r\n" % number
        for number in range(12)
    ]

    assert failure(*bounces, follow=True).reason == "too_many_redirects"


def test_the_deadline_of_the_client_ends_an_exchange() -> None:
    """A report's own clock is above every time-out of an exchange."""

    async def main() -> FetchError:
        deadline = asyncio.get_running_loop().time() + 0.2
        async with (
            serving(silent) as server,
            HTTPClient(guard=Guard(OWN), resolver=Names(), deadline=deadline) as client,
        ):
            with pytest.raises(FetchError) as caught:
                await client.fetch(Request(url=f"http://site.com:{server.port}/"))
            with pytest.raises(FetchError) as later:
                await client.fetch(Request(url=f"http://site.com:{server.port}/"))
            assert later.value.code == "budget"
            return caught.value

    assert asyncio.run(main()).code == "budget"


def test_a_cancelled_exchange_leaves_the_client_usable() -> None:
    """Its handle is thrown away, so that it cannot disturb the next exchange."""

    async def main() -> int:
        async with serving(silent, OK) as server, HTTPClient(guard=Guard(OWN), resolver=Names()) as client:
            request = Request(url=f"http://site.com:{server.port}/")
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await client.fetch(request)
            return (await client.fetch(request)).response.status

    assert asyncio.run(main()) == 200


@pytest.fixture(name="authority")
def make_authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> trustme.CA:
    """An intranet's own authority, trusted through SSL_CERT_FILE."""
    authority = trustme.CA()
    path = tmp_path / "roots.pem"
    authority.cert_pem.write_to_path(str(path))
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    return authority


def context(authority: trustme.CA, *names: str, expired: bool = False) -> ssl.SSLContext:
    """The context of a server with a certificate for ``names``."""
    when = datetime(2020, 1, 1, tzinfo=UTC) if expired else None
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names, not_after=when).configure_cert(made)
    return made


def secure(tls: ssl.SSLContext, **more: object) -> list[Exchange | FetchError]:
    """Two exchanges over TLS, one after the other."""

    async def main() -> list[Exchange | FetchError]:
        found: list[Exchange | FetchError] = []
        async with (
            serving(OK, tls=tls) as server,
            HTTPClient(guard=Guard(OWN), resolver=Names(), limits=PATIENT) as client,
        ):
            for _ in range(2):
                try:
                    found.append(
                        await client.fetch(Request(url=f"https://site.com:{server.port}/", **more))  # type: ignore[arg-type]
                    )
                except FetchError as error:
                    found.append(error)
        return found

    return asyncio.run(main())


def test_a_valid_certificate_verifies(authority: trustme.CA) -> None:
    """The chain is handed on in PEM, leaf first, and the handshake is timed."""
    exchange = secure(context(authority, "site.com"))[0]

    assert isinstance(exchange, Exchange)
    assert exchange.response.certificate_error is None
    assert exchange.response.timings.tls_ms is not None
    assert exchange.certificates_pem[0].startswith("-----BEGIN CERTIFICATE-----")
    assert exchange.verify_result == 0


@pytest.mark.parametrize(
    ("name", "word"), [("site.com", "expired"), ("other.com", "wrong_host"), ("site.com", "untrusted")]
)
def test_a_certificate_that_does_not_verify_is_a_fact(authority: trustme.CA, name: str, word: str) -> None:
    """Row E24: the answer is had without verification, and says so on every exchange."""
    issuer = trustme.CA() if word == "untrusted" else authority
    found = secure(context(issuer, name, expired=word == "expired"))

    for exchange in found:
        assert isinstance(exchange, Exchange)
        assert exchange.response.certificate_error == word
        assert exchange.response.body == b"hi"
        assert exchange.verify_result > 1

    assert isinstance(found[0], Exchange)
    assert found[0].certificates_pem


def test_a_required_certificate_that_does_not_verify_is_a_failure(authority: trustme.CA) -> None:
    """Nothing is read over the connection."""
    error = secure(context(authority, "other.com"), verify_tls="require")[0]

    assert isinstance(error, FetchError)
    assert (error.code, error.reason) == ("tls", "tls_error")


def greet(words: bytes) -> FetchError:
    """Ask for https where the server says ``words`` and then nothing."""

    async def main() -> FetchError:
        async with (
            serving(OK, greeting=words) as server,
            # Time enough for headers, so that it is the handshake that runs out of its own, also on a busy machine.
            HTTPClient(guard=Guard(OWN), resolver=Names(), limits=replace(FAST, headers_s=10.0)) as client,
        ):
            with pytest.raises(FetchError) as caught:
                await client.fetch(Request(url=f"https://site.com:{server.port}/"))
            return caught.value

    return asyncio.run(main())


def test_plain_http_on_a_tls_port_is_a_tls_error(authority: trustme.CA) -> None:
    """Row E23."""
    error = greet(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    assert error.code == "tls"
    assert error.detail == "The server does not speak TLS on this port."


def test_a_stalled_handshake_ends_in_time(authority: trustme.CA) -> None:
    """Row E26."""
    assert greet(b"").reason == "tls_error"


def test_http_2_carries_many_exchanges_over_one_connection(authority: trustme.CA, tmp_path: Path) -> None:
    """PIPEWAIT and multiplexing: what a browser does with thirty sub-resources."""
    certificate, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    issued = authority.issue_cert("site.com")
    issued.private_key_pem.write_to_path(str(key))
    certificate.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
    config = Config()
    config.certfile, config.keyfile = str(certificate), str(key)
    config.accesslog = config.errorlog = None
    clients: set[object] = set()

    async def app(scope: Any, _receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            clients.add(tuple(scope["client"]))
            await send({"type": "http.response.start", "status": 200, "headers": [(b"x-kind", b"test")]})
            await send({"type": "http.response.body", "body": b"hi"})

    async def main() -> list[Exchange]:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            port = listener.getsockname()[1]
            config.bind = [f"fd://{listener.fileno()}"]
            stop = asyncio.Event()
            async with asyncio.TaskGroup() as group:
                group.create_task(serve(app, config, shutdown_trigger=stop.wait))
                async with HTTPClient(guard=Guard(OWN), resolver=Names()) as client:
                    wanted = [Request(url=f"https://site.com:{port}/{number}") for number in range(30)]
                    found = await asyncio.gather(*(client.fetch(request) for request in wanted))
                stop.set()
            listener.detach()
            return list(found)

    found = asyncio.run(main())

    seen = {(each.response.http_version, each.response.body, each.response.truncated) for each in found}

    assert seen == {("HTTP/2", b"hi", None)}
    assert len(clients) == 1


class OnePlace:
    """A place that another run has until the test says that it is free."""

    def __init__(self) -> None:
        self.free = asyncio.Event()
        self.asked = 0

    @contextlib.asynccontextmanager
    async def __call__(self) -> AsyncIterator[None]:
        self.asked += 1
        await self.free.wait()
        yield


BODY = bytes(range(256)) * 8_000


@pytest.mark.parametrize("loop_factory", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_answers_wait_for_memory_of_other_runs_and_arrive_whole(
    loop_factory: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    """Above its share a run pauses its transfers, which go on where they stopped once it has a place."""

    async def main() -> tuple[list[bytes], int, int]:
        place = OnePlace()
        held = HeldBytes(place=place, share_bytes=1_000_000)
        routes = {f"/{number}": typed(BODY, "text/plain") for number in range(4)}
        async with Site(routes) as site, HTTPClient(guard=Guard(LOOPBACK), held=held) as client:
            loop = asyncio.get_running_loop()
            wanted = [loop.create_task(client.fetch(Request(url=f"{site.origin}{path}"))) for path in routes]
            await wait_for(lambda: place.asked > 0 and len(site.asked) == 4)
            begins = loop.create_task(client.fetch(Request(url=f"{site.origin}/0")))
            # Everything that would arrive without a pause has time to.
            assert (await asyncio.wait(wanted, timeout=0.2))[0] == set()
            while_waiting, asked = held.held_bytes, len(site.asked)
            place.free.set()
            found = [exchange.response.body for exchange in await asyncio.gather(*wanted, begins)]
            held.close()
            return found, while_waiting, asked

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        bodies, while_waiting, asked = runner.run(main())

    assert bodies == [BODY] * 5
    assert asked == 4
    assert 1_000_000 < while_waiting < 1_100_000


def test_a_pause_that_lasts_is_no_slowness_of_the_server() -> None:
    """Bytes that were read before it belong to an answer that was cut off by a limit of ours."""

    async def main() -> Exchange:
        held = HeldBytes(place=OnePlace(), share_bytes=1_000_000)
        async with (
            Site({"/": typed(BODY, "text/plain")}) as site,
            HTTPClient(guard=Guard(LOOPBACK), held=held) as client,
        ):
            exchange = await client.fetch(Request(url=f"{site.origin}/", timeout_s=0.5))
            held.close()
            return exchange

    response = asyncio.run(main()).response

    assert response.truncated == "limit"
    assert response.body == BODY[: len(response.body)]
    assert len(response.body) > 1_000_000


def test_a_bomb_that_goes_off_after_a_pause_is_an_answer_that_was_cut(caplog: pytest.LogCaptureFixture) -> None:
    """Libcurl hands out what had arrived as soon as the transfer goes on, outside of its own loop."""
    # Enough that cannot be compressed to pause the transfer; what follows arrives meanwhile.
    bomb = gzip.compress(random.Random(1).randbytes(20_000) + bytes(40_000_000))  # noqa: S311 - no secret

    async def main() -> Exchange:
        place = OnePlace()
        held = HeldBytes(place=place, share_bytes=10_000)
        coded = Reply(body=bomb, headers=(("Content-Type", "text/plain"), ("Content-Encoding", "gzip")))
        async with Site({"/": coded}) as site, HTTPClient(guard=Guard(LOOPBACK), held=held) as client:
            request = Request(url=f"{site.origin}/", max_decoded_bytes=2_000_000)
            wanted = asyncio.get_running_loop().create_task(client.fetch(request))
            await wait_for(lambda: place.asked > 0)
            place.free.set()
            exchange = await wanted
            held.close()
            return exchange

    response = asyncio.run(main()).response

    assert response.truncated is not None
    assert caplog.records == []


def test_a_body_that_is_not_stored_needs_no_place() -> None:
    """Load times are measured while other answers wait."""

    async def main() -> int:
        held = HeldBytes(place=OnePlace(), share_bytes=0)
        async with (
            Site({"/": typed(BODY, "text/plain")}) as site,
            HTTPClient(guard=Guard(LOOPBACK), held=held) as client,
        ):
            exchange = await client.fetch(Request(url=f"{site.origin}/", keep_bytes=0))
            held.close()
            return exchange.response.wire_bytes or 0

    assert asyncio.run(main()) > 0


@pytest.mark.parametrize("path", ["/", "/redirect"])
def test_an_answer_of_the_installation_itself_is_refused(path: str) -> None:
    """Under a name and address that were not known to be its own; afterwards its host is not asked again."""
    key = b"k" * 32

    def own(_: Asked) -> Reply:
        marked = (("X-Request-Id", "of-a-proxy"), ("X-Request-Id", mark_request_id("1a2b3c4d", key)))
        return Reply(headers=marked, body=b"<title>Reports</title>", status=401)

    async def main() -> tuple[list[tuple[str, str]], list[str]]:
        refused = []
        routes: dict[str, Reply | Callable[[Asked], Reply]] = {
            "/": own,
            "/redirect": to_site("/"),
            "/other": html("other"),
        }
        async with Site(routes) as site, HTTPClient(guard=Guard(dataclasses.replace(LOOPBACK, own_key=key))) as client:
            for asked in (path, "/other"):
                with pytest.raises(FetchError) as caught:
                    await client.follow(Request(url=site.origin + asked))
                refused.append((caught.value.code, caught.value.detail))
            return refused, site.paths()

    refused, paths = asyncio.run(main())

    assert {code for code, _ in refused} == {"address_not_allowed"}
    assert all("this installation's own" in detail for _, detail in refused)
    assert paths == list(dict.fromkeys([path, "/"]))


@pytest.mark.parametrize(
    "request_id", ["1a2b3c4d", "1a2b3c4d.", ".", "1a2b3c4d.0011223344556677", mark_request_id("1a2b3c4d", b"other")]
)
def test_an_answer_of_another_installation_is_one_like_any_other(request_id: str) -> None:
    """Also where this one has no key yet."""

    async def main(key: bytes) -> int:
        routes = {"/": Reply(body=b"other", headers=(("X-Request-Id", request_id),))}
        async with Site(routes) as site, HTTPClient(guard=Guard(dataclasses.replace(LOOPBACK, own_key=key))) as client:
            return (await client.fetch(Request(url=f"{site.origin}/"))).response.status

    assert [asyncio.run(main(key)) for key in (b"k" * 32, b"")] == [200, 200]


def access_to(origin: str, **more: Any) -> Access:
    """A user with a password, and a header."""
    headers = [("X-Door", "n0t-Shown-2")]
    return read_access(origins=[origin], user="reader", password="n0t-Shown-1", headers=headers, **more)


def test_an_access_goes_to_its_origin_and_to_no_other() -> None:
    """Dropped at the redirect to another host and to another port, and sent again where one leads back."""

    async def main() -> tuple[Site, Site, Site]:
        async with Site({}) as own, Site({}, address="127.0.0.2") as host, Site({}) as port:
            own.routes = {"/?key=n0t-Shown-3": to_site(f"{host.origin}/a"), "/end?key=n0t-Shown-3": html("x")}
            host.routes = {"/a": to_site(f"{port.origin}/b")}
            port.routes = {"/b": to_site(f"{own.origin}/end")}
            access = access_to(own.origin, cookies=[("session", "n0t-Shown-4")], query=[("key", "n0t-Shown-3")])
            async with HTTPClient(guard=Guard(LOOPBACK), access=access) as client:
                followed = await client.follow(Request(url=f"{own.origin}/"))
            assert [hop.url for hop in followed.hops] == [f"{own.origin}/", f"{host.origin}/a", f"{port.origin}/b"]
            assert followed.response.url == f"{own.origin}/end"
            return own, host, port

    own, *others = asyncio.run(main())

    for asked in own.asked:
        assert asked.headers["authorization"] == "Basic cmVhZGVyOm4wdC1TaG93bi0x"
        assert asked.headers["x-door"] == "n0t-Shown-2"
        assert asked.headers["cookie"] == "session=n0t-Shown-4"
    for site in others:
        assert len(site.asked) == 1
        assert "n0t-Shown" not in str(site.asked)
        assert "authorization" not in site.asked[0].headers


def test_an_access_changes_nothing_of_other_requests() -> None:
    """The same lines in the same order, so that who uses none is asked as before."""

    async def ask(site: Site, access: Access | None) -> dict[str, str]:
        async with HTTPClient(guard=Guard(LOOPBACK), access=access) as client:
            await client.fetch(Request(url=f"{site.origin}/", referer="https://a.example/", cookie="a=b"))
        return site.asked[-1].headers

    async def main() -> None:
        async with Site({"/": html("x")}) as site:
            before = await ask(site, None)
            elsewhere = await ask(site, access_to("https://staging.example"))
            assert list(elsewhere.items()) == list(before.items())

    asyncio.run(main())


def test_nothing_of_an_access_goes_over_a_connection_that_is_not_verified() -> None:
    """Anyone could be at its end: the page is read without it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)

    async def main() -> Site:
        async with Site({"/": html("x")}, tls=context) as site:
            access = access_to(site.origin)
            async with HTTPClient(guard=Guard(LOOPBACK), access=access) as client:
                exchange = await client.fetch(Request(url=f"{site.origin}/"))
            assert exchange.response.certificate_error is not None
            return site

    site = asyncio.run(main())

    assert len(site.asked) == 1
    assert "n0t-Shown" not in str(site.asked)
    assert "authorization" not in site.asked[0].headers


def test_an_access_for_https_never_goes_over_http(authority: trustme.CA) -> None:
    """Not to the same host and port either, when a page of the origin leads there."""

    async def main() -> tuple[Site, Site]:
        async with Site({}, tls=context(authority, "127.0.0.1")) as own, Site({"/": html("x")}) as plain:
            own.routes = {"/": to_site(f"{plain.origin}/")}
            secured = plain.origin.replace("http:", "https:")
            access = dataclasses.replace(access_to(own.origin), origins=(own.origin, secured))
            async with HTTPClient(guard=Guard(LOOPBACK), access=access) as client:
                await client.follow(Request(url=f"{own.origin}/"))
            return own, plain

    own, plain = asyncio.run(main())

    assert [asked.headers.get("x-door") for asked in own.asked] == ["n0t-Shown-2"]
    assert len(plain.asked) == 1
    assert "n0t-Shown" not in str(plain.asked)
    assert "authorization" not in plain.asked[0].headers


def test_an_access_follows_no_name_to_an_address_inside() -> None:
    """DNS rebinding: within a run the address stays, and the next run does not dial what the name means now."""
    names = Names({"site.com": ("127.0.0.1",)})
    policy = Policy(allow_networks=(ip_network("127.0.0.1/32"),), typed_host="site.com")

    async def main() -> tuple[Site, str]:
        async with Site({"/": html("x")}) as own:
            url = own.origin.replace("127.0.0.1", "site.com")
            async with HTTPClient(guard=Guard(policy), resolver=names, access=access_to(url)) as client:
                await client.fetch(Request(url=f"{url}/"))
                names.addresses = {"site.com": ("127.0.0.2",)}
                await client.fetch(Request(url=f"{url}/"))
            async with HTTPClient(guard=Guard(policy), resolver=names, access=access_to(url)) as client:
                with pytest.raises(FetchError) as caught:
                    await client.fetch(Request(url=f"{url}/"))
            return own, caught.value.reason

    own, reason = asyncio.run(main())

    assert reason == "target_refused"
    assert [asked.headers["x-door"] for asked in own.asked] == ["n0t-Shown-2"] * 2


def test_a_body_is_sent_with_its_own_method() -> None:
    """PUT, and what follows over the same handle is none."""

    async def script() -> list[str]:
        async with receiving(answer(200)) as receiver:
            async with HTTPClient(guard=Guard(LOOPBACK)) as client:
                for method in ("PUT", "POST", "GET", "PUT"):
                    post = Post(body=b"x", content_type="text/plain", method=method)  # type: ignore[arg-type]
                    await client.fetch(Request(url=receiver.url, post=None if method == "GET" else post))
            return [f"{each.line} {each.body.decode()}" for each in receiver.received]

    line = "/hook HTTP/1.1"

    assert asyncio.run(script()) == [f"PUT {line} x", f"POST {line} x", f"GET {line} ", f"PUT {line} x"]
