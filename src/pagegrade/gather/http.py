"""The HTTP client: one per report, nothing shared between reports, every limit hard."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from ipaddress import ip_address
from types import TracebackType
from typing import Final, Self

import msgspec
import pycurl
from msgspec import structs

from pagegrade.gather.answer import (
    HOST_MISMATCH,
    build_exchange,
    explain_curl,
    explain_timeout,
    protocol_error,
    refused,
    verify_word,
)
from pagegrade.gather.decode import KnownLines
from pagegrade.gather.exchange import DEFAULT_LIMITS, CookieJar, Exchange, FetchError, Followed, Limits, Request
from pagegrade.gather.guard import Address, Guard, Permit, Refusal
from pagegrade.gather.held_bytes import HeldBytes, Hold
from pagegrade.gather.outgoing_proxy import NO_PROXY_USER, OutgoingProxy, ProxyHop, refused_by_proxy, unreachable_proxy
from pagegrade.gather.resolver import Answer, CachingResolver, DNSResolver, ResolveError, Resolver
from pagegrade.gather.transfer import Expired, Handle, Transfer, Watch, request_headers
from pagegrade.model.access import Access
from pagegrade.model.artifacts import Response
from pagegrade.parse import url as urls
from pagegrade.parse.http.access import Sent, sent_with

__all__ = [
    "DEFAULT_LIMITS",
    "Exchange",
    "FetchError",
    "Followed",
    "HTTPClient",
    "Limits",
    "Request",
    "request_headers",
]

MAX_LOCATION_CHARACTERS: Final = 8_192
"""Of the URL that a redirect leads to; browsers follow longer ones, no site needs them."""
_FIRST_ANSWER_S: Final = 1.0
"""Seconds that other requests wait for a server's first response to learn whether they can share its connection."""
_MAX_PERMITS: Final = 1_000
"""Origins of which a client remembers how they were checked."""
_BACKSTOP_S: Final = 0.25
"""Seconds after libcurl's own timeout at which our clock ends an exchange."""
_CLOCK_SLACK_S: Final = 0.05
"""libcurl counts whole milliseconds from a clock that it reads once a round: its timeout may come before ours."""


class _Outcome(msgspec.Struct, frozen=True):
    """Result of an exchange as libcurl reports it."""

    code: int = 0
    """``pycurl.E_*``; 0 for success."""
    text: str = ""
    timed_out: bool = False


_DONE: Final = _Outcome()
_PROXY_FAILED: Final = 97
"""``CURLE_PROXY``: a SOCKS proxy did not do what it was asked for."""
_SOCKS_WANTS_USER: Final = frozenset({12, 33})
"""``CURLPX_NO_AUTH`` and ``CURLPX_USER_REJECTED``."""
_NOT_CONNECTED: Final = frozenset({pycurl.E_COULDNT_CONNECT, pycurl.E_COULDNT_RESOLVE_PROXY})


class _Uncertified(Exception):
    """The certificate did not verify."""

    def __init__(self, result: int) -> None:
        super().__init__(result)
        self.result = result


class HTTPClient:
    """Sends GET and HEAD requests to addresses that the guard has checked; keeps no cookies, follows nothing by itself.

    Use as ``async with HTTPClient(guard=Guard(Policy())) as client:``. Connections and look-ups live as long as the
    client.

    Trusted roots are Mozilla's, or those of the file that the environment variable ``SSL_CERT_FILE`` names (an
    intranet's own authority). No other variable has influence: the only proxy that is used is that of the policy.

    Args:
        guard: Decides what may be contacted; shared by the clients of one run.
        resolver: Where addresses come from; ``None`` for DNS. Its answers are cached for the client's life; a
            ``CachingResolver`` is shared with its other users and left open.
        deadline: ``asyncio`` loop time at which every exchange ends with code ``budget``; ``None`` for none.
        limits: Of each exchange.
        held: Memory that the answers may hold; shared by the clients of one run, ``None`` for a budget of its own.
        access: What goes with requests to its origins, decided for each of them anew; ``None`` for nothing.
    """

    def __init__(
        self,
        *,
        guard: Guard,
        resolver: Resolver | None = None,
        deadline: float | None = None,
        limits: Limits = DEFAULT_LIMITS,
        held: HeldBytes | None = None,
        access: Access | None = None,
    ) -> None:
        self.held = held or HeldBytes()
        self.guard = guard
        self.access = access
        self._owns_resolver = not isinstance(resolver, CachingResolver)
        self._resolver = (
            resolver if isinstance(resolver, CachingResolver) else CachingResolver(resolver or DNSResolver())
        )
        self._deadline = deadline
        self._limits = limits
        self._multi = pycurl.AsyncCurlMulti()
        self._multi.setopt(pycurl.M_MAX_HOST_CONNECTIONS, limits.connections_per_host)
        self._multi.setopt(pycurl.M_PIPELINING, pycurl.PIPE_MULTIPLEX)
        self._idle: list[Handle] = []
        self._uncertified: dict[tuple[str, int], int] = {}
        self._answered: dict[tuple[str, int], asyncio.Event] = {}
        self._multiplexed: set[tuple[str, int]] = set()
        self._known: KnownLines = {}
        self._permits: dict[str, Permit] = {}
        self._own: asyncio.Task[None] | None = None
        self._watch: Watch | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End what is under way and close every connection."""
        if self._own is not None:
            self._own.cancel()
        if self._owns_resolver:
            await self._resolver.aclose()
        await self._multi.aclose()
        if self._watch is not None:
            self._watch.close()
        for handle in self._idle:
            handle.close()
        self._idle.clear()

    async def resolve(self, host: str) -> Answer:
        """Resolve a host, at most once per client.

        Raises:
            ResolveError: There is no usable answer.
        """
        return await self._resolver.resolve(host, local_names=self.guard.looks_up_local_names(host))

    async def _know_own_addresses(self, end: float) -> None:
        """Look up the names of this installation, once; a name without an answer in time is still refused as a name.

        Asked of the name servers and of the machine's own tables: the second may know an address of the inside only.
        """
        if not self.guard.policy.own_origins:
            return
        if self._own is None:
            self._own = asyncio.get_running_loop().create_task(self._look_up_own())
        with suppress(TimeoutError):
            async with asyncio.timeout_at(end):
                await asyncio.shield(self._own)

    async def _look_up_own(self) -> None:
        named = [(host, port) for host, port in self.guard.policy.own_origins if urls.host_address(host) is None]
        asked = [(host, port, local) for host, port in named for local in (False, True)]
        answers = await asyncio.gather(
            *(self._resolver.resolve(host, local_names=local) for host, _, local in asked), return_exceptions=True
        )
        for (_, port, _), answer in zip(asked, answers, strict=True):
            if isinstance(answer, Answer):
                self.guard.note_own(port, answer.addresses)

    async def permit(self, url: str) -> Permit:
        """The addresses that may be dialed for a URL; for gatherers that open a connection of another kind.

        Raises:
            FetchError: ``address_not_allowed``, ``dns`` or ``budget``.
        """
        return (await self._permit(url, self._end(asyncio.get_running_loop().time() + self._limits.headers_s)))[0]

    async def fetch(self, request: Request) -> Exchange:
        """Make one exchange; a redirect is an answer like any other.

        A body that is cut off by a limit, by the server or by the clock is an
        answer too: ``Response.truncated`` says why.

        Raises:
            FetchError: There was no answer; its codes are in its docstring.
        """
        await self.held.wait()
        loop = asyncio.get_running_loop()
        started = loop.time()
        end = self._end(started + request.timeout_s)
        permit, dns_ms = await self._permit(request.url, end)
        if request.from_public and self.guard.is_closed_to_public(permit):
            raise refused("A public page leads to an address that is not public, so it is not contacted.")
        place = (permit.host, permit.port)
        if request.url.startswith("https:"):
            await self._wait_for_first(place, end)
        if place not in self._uncertified:
            # Never over a connection that is not known to be that of the origin.
            sent = sent_with(self.access, request.url)
            try:
                return await self._attempt(request, permit, started=started, end=end, dns_ms=dns_ms, sent=sent)
            except _Uncertified as error:
                self._uncertified[place] = error.result
        result = self._uncertified[place]
        if request.verify_tls == "require" or request.post is not None:
            word = verify_word(result).replace("_", " ")
            raise FetchError("tls", f"The certificate does not verify: {word}.", reason="tls_error")
        return await self._attempt(request, permit, started=started, end=end, dns_ms=dns_ms, uncertified=result)

    async def _wait_for_first(self, place: tuple[str, int], end: float) -> None:
        """Let one exchange learn whether a server speaks HTTP/2 before others open connections they may not need.

        libcurl's PIPEWAIT does not hold them back while the first handshake is under way (measured: 30 exchanges
        begun together opened 30 connections).
        """
        answered = self._answered.get(place)
        if answered is None:
            self._answered[place] = asyncio.Event()
            return
        with suppress(TimeoutError):
            # Not longer: a first answer that hangs must not hold up everything else from its server.
            async with asyncio.timeout_at(min(end, asyncio.get_running_loop().time() + _FIRST_ANSWER_S)):
                await answered.wait()

    async def follow(self, request: Request, cookies: CookieJar | None = None) -> Followed:
        """Make an exchange and follow its redirects, each checked anew, at most ten.

        Cookies that an answer sets are sent with the later requests of the chain, as browsers do.

        Args:
            cookies: Those of a page and its files, to send from and to keep in; ``None`` for one chain's own.

        Raises:
            FetchError: ``hops`` holds the redirect answers up to the failure.
            ValueError: The request has a body.
        """
        if request.post is not None:
            raise ValueError("redirects of a POST are not followed")
        hops: list[Response] = []
        holds: list[Hold] = []
        seen: set[tuple[str, str]] = set()
        cookies = CookieJar() if cookies is None else cookies
        cookie = cookies.header_for(request.url)
        current = structs.replace(request, cookie=cookie) if cookie else request
        most = self._limits.redirects
        if request.max_redirects is not None:
            most = min(most, request.max_redirects)
        while True:
            seen.add((current.url, current.cookie))
            try:
                exchange = await self.fetch(current)
            except FetchError as error:
                error.hops = tuple(hops)
                if hops and error.reason == "target_refused":
                    error.reason = "redirect_refused"
                raise
            cookies.take(current.url, exchange.response.header_values("set-cookie"))
            if exchange.location is None:
                return Followed(hops=tuple(hops), exchange=exchange, holds=tuple(holds))
            hops.append(exchange.response)
            holds.append(exchange.hold)
            if len(hops) > most:
                raise FetchError(
                    "protocol",
                    f"There are more than {most} redirects.",
                    reason="too_many_redirects",
                    hops=tuple(hops),
                )
            target = self._redirect_target(current.url, exchange.location, tuple(hops))
            cookie = cookies.header_for(target)
            from_public = current.from_public or not self.guard.is_inside(current.url)
            if (target, cookie) in seen:
                raise FetchError(
                    "protocol",
                    "The redirects lead back to where they have been.",
                    reason="redirect_loop",
                    hops=tuple(hops),
                )
            current = structs.replace(current, url=target, cookie=cookie, validator="", from_public=from_public)

    def note_page(self, url: str) -> None:
        """Contact only what is public from now on if the page that was asked for turned out to be a public one."""
        if not self.guard.is_inside(url):
            self.guard.leave()
            self._permits.clear()

    def _redirect_target(self, base: str, location: bytes, hops: tuple[Response, ...]) -> str:
        def refuse(detail: str) -> FetchError:
            return FetchError("address_not_allowed", detail, reason="redirect_refused", hops=hops)

        if any(byte < 0x20 or byte == 0x7F for byte in location):
            raise refuse("A redirect's Location holds control characters.")
        try:
            text = location.decode("utf-8")
        except UnicodeDecodeError:
            text = location.decode("latin-1")
        joined = urls.join_url(base, text)
        if joined is None:
            raise refuse("A redirect's Location cannot be read as a URL.")
        target = urls.strip_fragment(joined)
        if not urls.is_http(target):
            raise refuse("A redirect leads to something that is neither http nor https.")
        if len(target) > MAX_LOCATION_CHARACTERS:
            raise refuse(f"A redirect leads to a URL of more than {MAX_LOCATION_CHARACTERS} characters.")
        if urls.has_userinfo(target):
            raise refuse("A redirect leads to a URL with a user name or password.")
        refusal = self.guard.check_url(target)
        if refusal is not None:
            raise refuse(refusal.detail)
        return target

    def _end(self, wanted: float) -> float:
        return wanted if self._deadline is None else min(wanted, self._deadline)

    def _is_over(self, slack_s: float = 0.0) -> bool:
        return self._deadline is not None and asyncio.get_running_loop().time() + slack_s >= self._deadline

    async def _permit(self, url: str, end: float) -> tuple[Permit, float | None]:
        """The permit for a URL, and what its look-up took when it was made for this exchange."""
        place = urls.origin(url)
        known = self._permits.get(place)
        if known is not None:
            # It would be checked the same: by no more than its origin, and by look-ups that the client remembers.
            if self._is_over():
                raise _budget()
            return known, None
        refusal = self.guard.check_url(url)
        if refusal is not None:
            raise refused(refusal.detail)
        if self._is_over():
            raise _budget()
        host, port = urls.host(url), urls.port(url)
        if port is None:
            raise refused("The URL has no port.")
        dns_ms: float | None = None
        proxy = self.guard.policy.proxy
        if proxy is not None and proxy.resolves and urls.host_address(host) is None and not proxy.direct.has(host):
            checked = self.guard.check_unresolved(host, port)
        else:
            await self._know_own_addresses(end)
            addresses, dns_ms = await self._find_addresses(host, end)
            checked = self.guard.check_addresses(host, port, addresses)
        if isinstance(checked, Refusal):
            raise refused(checked.detail)
        if proxy is not None and not proxy.direct.has(host, checked.addresses):
            checked = replace(checked, via=await self._find_proxy(proxy, end))
        if len(self._permits) < _MAX_PERMITS:
            self._permits[place] = checked
        return checked, dns_ms

    async def _find_addresses(self, host: str, end: float) -> tuple[Sequence[Address | str], float | None]:
        """The addresses of a host, and what their look-up took when it was made for this exchange."""
        literal = urls.host_address(host)
        if literal is not None:
            return [literal], None
        is_first = not self._resolver.has_asked(host, local_names=self.guard.looks_up_local_names(host))
        try:
            async with asyncio.timeout_at(end):
                answer = await self.resolve(host)
        except TimeoutError as error:
            if self._is_over():
                raise _budget() from error
            raise FetchError("dns", "The host name was not resolved in time.", reason="dns_timeout") from error
        except ResolveError as error:
            raise FetchError("dns", error.detail, reason=error.reason) from error
        return answer.addresses, answer.duration_ms if is_first else None

    async def _find_proxy(self, proxy: OutgoingProxy, end: float) -> ProxyHop:
        """Look the proxy up, which this machine may know by a name of its own."""
        literal = urls.host_address(proxy.host)
        if literal is not None:
            found: tuple[str, ...] = (str(literal),)
        else:
            try:
                async with asyncio.timeout_at(end):
                    found = (await self._resolver.resolve(proxy.host, local_names=True)).addresses
            except (TimeoutError, ResolveError) as error:
                if self._is_over():
                    raise _budget() from error
                raise unreachable_proxy() from error
        # A page must not speak to the proxy as if it were a site.
        self.guard.note_own(proxy.port, found)
        return ProxyHop(proxy, tuple(ip_address(each) for each in found))

    async def _attempt(
        self,
        request: Request,
        permit: Permit,
        *,
        started: float,
        end: float,
        dns_ms: float | None,
        uncertified: int = 0,
        sent: Sent | None = None,
    ) -> Exchange:
        transfer = Transfer(
            request, permit, self.guard, self._limits, hold=Hold(self.held), known=self._known, sent=sent
        )
        transfer.answered = self._answered.get((permit.host, permit.port))
        handle = self._idle.pop() if self._idle else Handle(self._limits, self.guard.policy.authorities)
        reusable = answered = False
        try:
            outcome = await self._run(handle, transfer, started, end, verify=not uncertified)
            if transfer.was_paused and (outcome.timed_out or outcome.code == pycurl.E_OPERATION_TIMEDOUT):
                # It was not the server that took so long.
                transfer.stopped = "limit"
            reusable = not outcome.timed_out
            if transfer.reader.version in ("HTTP/2", "HTTP/3"):
                self._multiplexed.add((permit.host, permit.port))
            self._raise_failure(handle, transfer, outcome, started)
            exchange = build_exchange(
                handle.curl,
                transfer,
                timed_out=outcome.timed_out or outcome.code == pycurl.E_OPERATION_TIMEDOUT,
                broken=outcome.code != 0,
                dns_ms=dns_ms,
                uncertified=uncertified,
            )
            answered = True
            return exchange
        finally:
            if not answered:
                transfer.hold.release()
            if transfer.answered is not None:
                transfer.answered.set()
            if reusable:
                handle.release()
                self._idle.append(handle)
            else:
                # A handle that was taken from the loop must not be given back to it: the bookkeeping of the
                # cancelled future runs a moment later and would take the handle's next exchange away.
                with suppress(RuntimeError, pycurl.error):
                    self._multi.remove_handle(handle.curl)
                handle.close()

    async def _run(self, handle: Handle, transfer: Transfer, started: float, end: float, *, verify: bool) -> _Outcome:
        loop = asyncio.get_running_loop()
        headers_end = min(end, started + self._limits.headers_s)
        left = end - loop.time()
        if left <= 0:
            return _Outcome(timed_out=True)
        multiplexed = (transfer.permit.host, transfer.permit.port) in self._multiplexed
        handle.prepare(transfer, verify=verify, timeout_s=left, multiplexed=multiplexed)
        if self._watch is None:
            self._watch = Watch(loop)
        promise: asyncio.Future[pycurl.Curl] | None = None
        try:
            promise = self._multi.add_handle(handle.curl)
            transfer.begin(self._watch, promise, head_end=headers_end, end=end + _BACKSTOP_S)
            await promise
        except Expired:
            return _Outcome(timed_out=True)
        except pycurl.error as error:
            return _Outcome(code=int(error.args[0]), text=str(error.args[1]))  # lint: allow exception-text - sorted
        finally:
            promise = None  # Its error knows this frame, and the frame the body: a circle would keep all of them.
        return _DONE

    def _raise_failure(self, handle: Handle, transfer: Transfer, outcome: _Outcome, started: float) -> None:
        """Raise when the exchange brought nothing that can be called an answer."""
        reader, curl = transfer.reader, handle.curl
        if transfer.crash is not None:
            raise FetchError("internal", "Reading the answer failed.", reason="internal") from transfer.crash
        if transfer.refusal is not None:
            self._permits.clear()
            raise refused(transfer.refusal.detail)
        if transfer.refused:
            raise refused("The address is not the one that was checked, so it is not contacted.")
        if transfer.failure is not None:
            raise protocol_error(transfer.failure)
        _raise_proxy_failure(curl, transfer.permit, outcome.code)
        if outcome.code == pycurl.E_PEER_FAILED_VERIFICATION:
            # libcurl compares the name first, and OpenSSL's result then stays at its first value: 0 or 1, by version.
            result = int(curl.getinfo(pycurl.SSL_VERIFYRESULT))
            raise _Uncertified(result if result > 1 else HOST_MISMATCH)
        if transfer.stopped is not None:
            return
        has_answer = reader.complete and (transfer.wire_bytes > 0 or transfer.is_redirect)
        if (outcome.timed_out or outcome.code == pycurl.E_OPERATION_TIMEDOUT) and not has_answer:
            if self._is_over(_CLOCK_SLACK_S):
                raise _budget()
            secure = transfer.request.url.startswith("https:")
            raise explain_timeout(
                connected=curl.getinfo(pycurl.CONNECT_TIME) > 0,
                handshaken=not secure or curl.getinfo(pycurl.APPCONNECT_TIME) > 0,
                in_headers=not reader.complete
                and asyncio.get_running_loop().time() >= started + self._limits.headers_s,
            )
        if outcome.code and not has_answer:
            raise explain_curl(
                outcome.code,
                outcome.text,
                int(curl.getinfo(pycurl.OS_ERRNO)),
                only_ipv6=transfer.permit.has_only_ipv6,
                has_head=reader.complete,
            )
        if not reader.complete:
            raise protocol_error("The server closed the connection before its headers were complete.")
        if reader.version == "HTTP/2" and transfer.request.url.startswith("http:"):
            raise protocol_error("The server claims HTTP/2 on a connection that speaks HTTP/1.")
        if len(set(reader.locations)) > 1 and transfer.is_redirect:
            raise protocol_error("The redirect has two Location headers that differ.")


def _raise_proxy_failure(curl: pycurl.Curl, permit: Permit, code: int) -> None:
    """Raise when it was the proxy that failed, before the site was spoken to."""
    if not code or permit.via is None:
        return
    status = int(curl.getinfo(pycurl.HTTP_CONNECTCODE))
    if status and status // 100 != 2:
        raise refused_by_proxy(status, permit.port)
    if code == _PROXY_FAILED:
        wants_user = curl.getinfo(pycurl.PROXY_ERROR) in _SOCKS_WANTS_USER
        raise refused_by_proxy(NO_PROXY_USER if wants_user else 0, permit.port)
    is_secure = permit.via.proxy.scheme == "https"
    if code in _NOT_CONNECTED or (is_secure and not status and code == pycurl.E_PEER_FAILED_VERIFICATION):
        raise unreachable_proxy()


def _budget() -> FetchError:
    return FetchError("budget", "The time for the whole analysis was used up.", reason="deadline")
