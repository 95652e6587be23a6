"""A raw loopback server that answers by script, and one-line ways to gather from it."""

from __future__ import annotations

import asyncio
import dataclasses
import ssl
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from ipaddress import ip_network
from types import TracebackType
from typing import Any, Self, TypeVar

from msgspec.structs import replace

from pagegrade.gather.context import Context, GatherOptions, OffloadFailed, Start
from pagegrade.gather.exchange import CookieJar, Limits
from pagegrade.gather.gatherers.document import gather_document
from pagegrade.gather.guard import Guard, Policy
from pagegrade.gather.held_bytes import HeldBytes
from pagegrade.gather.http import HTTPClient
from pagegrade.gather.resolver import Answer, CachingResolver, ResolveError
from pagegrade.gather.run import gather
from pagegrade.model.access import Access
from pagegrade.model.artifacts import Artifacts, Navigation
from pagegrade.parse.url import Target, host

T = TypeVar("T")

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
LOOPBACK = Policy(allow_networks=(ip_network("127.0.0.0/8"),), typed_host="127.0.0.1")
HTML = ("Content-Type", "text/html; charset=utf-8")
ACCEPTING_STEPS = 5
"""Steps of the event loop after which a connection that was accepted has its writer, and can be closed: browsers open
some in advance, also in the moment in which a test ends."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One answer; ``raw`` replaces it by bytes of any kind."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    raw: bytes | None = None
    hangs: bool = False
    """Never answers, until the client goes away."""


def html(text: str, **more: Any) -> Reply:
    """A page."""
    return Reply(body=text.encode(), headers=(HTML,), **more)


def typed(body: bytes | str, content_type: str, **more: Any) -> Reply:
    """Something else."""
    return Reply(
        body=body.encode() if isinstance(body, str) else body, headers=(("Content-Type", content_type),), **more
    )


def redirect(location: str, status: int = 302) -> Reply:
    """A step to another place."""
    return Reply(status=status, headers=(("Location", location),))


@dataclass
class Asked:
    """A request as it came."""

    target: str
    headers: dict[str, str]
    line: str


@dataclass
class Site:
    """A web site at one loopback address; what no route names is a 404 page."""

    routes: Mapping[str, Reply | Callable[[Asked], Reply]]
    address: str = "127.0.0.1"
    tls: ssl.SSLContext | None = None
    missing: Reply | Callable[[Asked], Reply] = field(
        default_factory=lambda: html("<title>Not found</title>", status=404)
    )
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0
    """Ever accepted (over TLS: that finished their handshake)."""
    open_connections: int = 0
    _server: asyncio.Server | None = None
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, self.address, 0, ssl=self.tls)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is None:
            return
        self._server.close()
        for _ in range(ACCEPTING_STEPS):
            await asyncio.sleep(0)
        for writer in list(self._writers):
            writer.transport.abort()
        await self._server.wait_closed()
        # Handlers notice the end of their connection in the next turns of the loop.
        for _ in range(20):
            await asyncio.sleep(0)

    @property
    def origin(self) -> str:
        """Scheme, address and port."""
        if self._server is None:
            raise AssertionError("the site is not open")
        return f"http{'s' if self.tls else ''}://{self.address}:{self._server.sockets[0].getsockname()[1]}"

    def paths(self) -> list[str]:
        """Paths asked for, in order."""
        return [asked.target for asked in self.asked]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        self.connections += 1
        self.open_connections += 1
        try:
            await self._answer(reader, writer)
        except (OSError, EOFError, asyncio.CancelledError):
            pass
        finally:
            self.open_connections -= 1
            self._writers.discard(writer)
            writer.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        _, target, _ = head[0].split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        asked = Asked(target=target, headers=headers, line=head[0])
        self.asked.append(asked)
        route = self.routes.get(target, self.missing)
        reply = route if isinstance(route, Reply) else route(asked)
        if reply.hangs:
            await reader.read()
            return
        if reply.raw is not None:
            writer.write(reply.raw)
        else:
            lines = [f"HTTP/1.1 {reply.status} X", "Connection: close", f"Content-Length: {len(reply.body)}"]
            lines += [f"{name}: {value}" for name, value in reply.headers]
            body = b"" if asked.line.startswith("HEAD") else reply.body
            writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
            await reader.read()
        else:
            writer.close()
            await writer.wait_closed()


class Names:
    """A resolver with given answers."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    async def texts(self, name: str) -> tuple[str, ...]:
        """It has no records."""
        return ()

    async def resolve(self, host: str, *, local_names: bool = False) -> Answer:
        """The address of a known name."""
        if host not in self._names:
            raise ResolveError("dns_nxdomain", "The name does not exist or has no address.")
        return Answer(host=host, addresses=(self._names[host],), canonical_name="edge.example.net", duration_ms=1.5)


async def direct(function: Callable[..., T], *args: object, timeout_s: float) -> T:
    """An offload without a child process."""
    if timeout_s <= 0:
        raise AssertionError("a time-out of nothing would mean for ever")
    return function(*args)


class Dying:
    """An offload whose child dies on the named functions."""

    def __init__(self, *names: str) -> None:
        self._names = names

    async def __call__(self, function: Callable[..., T], *args: object, timeout_s: float) -> T:
        """Fail or call."""
        inner = function.func if isinstance(function, partial) else function
        if inner.__name__ in self._names:
            raise OffloadFailed
        return function(*args)


def make_options(**more: Any) -> GatherOptions:
    """Options that may reach loopback, with short time-outs."""
    exchange_limits = Limits(connect_s=2.0, headers_s=2.0)
    return replace(GatherOptions(policy=LOOPBACK, budget_s=20.0, exchange_limits=exchange_limits), **more)


async def gather_page(
    site: Site, path: str = "/", *, options: GatherOptions | None = None, offload: Any = direct, **more: Any
) -> Artifacts:
    """All artifacts of a page of the site."""
    return await gather(
        Target(url=site.origin + path),
        options=options or make_options(),
        offload=offload,
        gathered_at=NOW,
        probe_token="c0ffee",
        **more,
    )


class Visit:
    """A context on a page of a site, for one gatherer: ``async with Visit(site) as context``."""

    def __init__(
        self,
        site: Site,
        path: str = "/",
        *,
        options: GatherOptions | None = None,
        offload: Any = direct,
        resolver: Any = None,
        url: str | None = None,
        artifacts: Mapping[str, object] | None = None,
    ) -> None:
        self._url = url or site.origin + path
        self._options = options or make_options()
        self._offload = offload
        self._resolver = CachingResolver(resolver or Names({}))
        self._artifacts = artifacts or {}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Context:
        try:
            return await self._begin()
        except BaseException:
            await self._stack.aclose()
            raise

    async def _begin(self) -> Context:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._options.budget_s
        held = HeldBytes(self._options.limits.held_bytes)

        guard = Guard(dataclasses.replace(self._options.policy, typed_host=host(self._url)))

        def make_client(access: Access | None = self._options.access) -> HTTPClient:
            return HTTPClient(
                guard=guard,
                resolver=self._resolver,
                deadline=deadline,
                limits=self._options.exchange_limits,
                held=held,
                access=access,
            )

        self._stack.push_async_callback(self._resolver.aclose)
        client = visitor = await self._stack.enter_async_context(make_client())
        if self._options.access is not None and self._options.access.note.lets_in:
            visitor = await self._stack.enter_async_context(make_client(None))
        known: dict[str, Any] = {
            "target": Target(url=self._url),
            "options": self._options,
            "client": client,
            "fresh_client": make_client,
            "visitor": visitor,
            "resolver": self._resolver,
            "offload": self._offload,
            "deadline": deadline,
            "render_deadline": deadline + 90,
            "gathered_at": NOW,
            "probe_token": "c0ffee",
            "cookies": CookieJar(),
        }
        promises: dict[str, asyncio.Future[object]] = {}
        for name, value in self._artifacts.items():
            promises[name] = loop.create_future()
            promises[name].set_result(value)
        document = await gather_document(Start(**known))
        navigation = Navigation(requested_url=self._url, hops=document.hops, response=document.response)
        return Context(**known, navigation=navigation, document=document, promises=promises)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()
