"""Names to addresses: absolute names, no search list, one look-up per name and report."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Final, Protocol

import msgspec
from dns.exception import DNSException, Timeout
from msgspec.structs import replace

if TYPE_CHECKING:
    import dns.asyncresolver
    import dns.name
    import dns.resolver

_LIBRARY: Final = "dns.asyncresolver"
"""Loaded with the first question to a name server: it takes a tenth of a second of a processor, or two where an HTTP
client is installed, and neither a command without a page nor a page with an IP address needs it."""

TIMEOUT_S: Final = 5.0
"""For all that a name costs, both families and all retries."""
ATTEMPT_S: Final = 2.0
"""For one question to one server."""
SECOND_FAMILY_S: Final = 2.0
"""Seconds that one address family is waited for once the other has returned addresses."""
AGAIN_S: Final = 0.5
"""Seconds after which name servers that failed are asked once more: an error that passes is none of the name's."""
MAX_TEXTS: Final = 20
_LOCALHOST: Final = ("127.0.0.1", "::1")
_ALL_ADDRESSES: Final = {"0.0.0.0": _LOCALHOST[:1], "::": _LOCALHOST, "[::]": _LOCALHOST}  # noqa: S104 - not bound
"""All addresses of a machine -> those of them under which it reaches itself."""
_BROKEN: Final = (DNSException, OSError, ValueError, EOFError)
"""Exceptions that a broken or hostile DNS response can raise in the DNS library."""
_FAILED: Final = "The DNS look-up of the host name failed."
_FAMILIES: Final = ("AAAA", "A")


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """All addresses of a name."""

    host: str
    addresses: tuple[str, ...]
    """At least one; in the order to be tried, IPv6 and IPv4 alternating."""
    canonical_name: str | None = None
    """Last name of a CNAME chain, without the final dot; ``None`` if there was no CNAME."""
    duration_ms: float = 0.0


class ResolveError(Exception):
    """A name has no address, or no name server responds in time."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        """``dns_nxdomain``, ``dns_timeout`` or ``dns_error``."""
        self.detail = detail


class Resolver(Protocol):
    """Anything that knows addresses."""

    async def resolve(self, host: str, *, local_names: bool = False) -> Answer:
        """Look a name up.

        Args:
            host: Canonical ASCII name, never an IP literal.
            local_names: The machine's own name tables may be asked as well.

        Raises:
            ResolveError: There is no usable answer.
        """
        ...

    async def texts(self, name: str) -> tuple[str, ...]:
        """The TXT records of a name, at most ``MAX_TEXTS``; none where there is no answer."""
        ...


def _interleave(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    pairs = chain.from_iterable(zip_longest(one, other))
    return tuple(address for address in pairs if address is not None)


def configured_servers() -> tuple[str, ...]:
    """The name servers this machine is set to; empty when there are none or the file cannot be read."""
    try:
        import dns.resolver

        return tuple(str(server) for server in dns.resolver.Resolver(configure=True).nameservers)
    except _BROKEN:
        return ()


class DNSResolver:
    """Asks the servers of ``/etc/resolv.conf`` itself, because the system's call cannot be given a deadline.

    Args:
        timeout_s: For one name.
        nameservers: (address, port) pairs to ask instead of the configured ones.
    """

    def __init__(self, *, timeout_s: float = TIMEOUT_S, nameservers: tuple[tuple[str, int], ...] = ()) -> None:
        self._timeout_s = timeout_s
        self._nameservers = nameservers
        self._stub: dns.asyncresolver.Resolver | None = None

    def _configured(self) -> dns.asyncresolver.Resolver:
        import dns.asyncresolver

        if self._stub is None:
            stub = dns.asyncresolver.Resolver(configure=not self._nameservers)
            if self._nameservers:
                stub.nameservers = [address for address, _ in self._nameservers]
                stub.nameserver_ports = dict(self._nameservers)
            stub.timeout = min(ATTEMPT_S, self._timeout_s)
            stub.lifetime = self._timeout_s
            stub.search = []
            stub.use_search_by_default = False
            self._stub = stub
        return self._stub

    async def resolve(self, host: str, *, local_names: bool = False) -> Answer:
        """Look a name up; ``localhost`` is known without asking, and only where local names may be used.

        Raises:
            ResolveError: There is no usable answer.

        Source: https://www.rfc-editor.org/rfc/rfc6761#section-6.3
        """
        bare = host.removesuffix(".")
        if local_names and (bare == "localhost" or bare.endswith(".localhost")):
            return Answer(host=host, addresses=_LOCALHOST)
        if self._stub is None and not local_names:
            await asyncio.to_thread(import_module, _LIBRARY)
        ask = self._ask_system if local_names else self._ask_servers
        started = asyncio.get_running_loop().time()
        try:
            answer = await ask(host)
        except ResolveError as error:
            if error.reason != "dns_error":
                raise
            await asyncio.sleep(AGAIN_S)
            answer = await ask(host)
        return replace(answer, duration_ms=(asyncio.get_running_loop().time() - started) * 1_000)

    async def texts(self, name: str) -> tuple[str, ...]:
        """As of ``Resolver``."""
        await asyncio.to_thread(import_module, _LIBRARY)
        import dns.name

        try:
            found = await _ask(self._configured(), dns.name.from_text(name.removesuffix(".") + "."), "TXT")
        except _BROKEN:
            return ()
        rows = tuple(found.rrset or ())[:MAX_TEXTS]
        return tuple(b"".join(getattr(row, "strings", ())).decode("utf-8", "replace") for row in rows)

    async def _ask_servers(self, host: str) -> Answer:
        import dns.name

        try:
            # The final dot makes the name absolute: search domains never apply.
            name = dns.name.from_text(host.removesuffix(".") + ".")
            stub = self._configured()
        except _BROKEN as error:
            raise ResolveError("dns_error", "The name could not be asked for.") from error
        loop = asyncio.get_running_loop()
        tasks = {family: loop.create_task(_ask(stub, name, family)) for family in _FAMILIES}
        try:
            await asyncio.wait(tasks.values(), timeout=self._timeout_s, return_when=asyncio.FIRST_COMPLETED)
            left = SECOND_FAMILY_S if any(_has_addresses(task) for task in tasks.values()) else self._timeout_s
            await asyncio.wait(tasks.values(), timeout=min(left, self._timeout_s))
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
        return _combine(host, [tasks[family] for family in _FAMILIES])

    async def _ask_system(self, host: str) -> Answer:
        """``getaddrinfo`` in a thread of its own: it cannot be stopped, so it must not occupy a shared pool."""
        loop = asyncio.get_running_loop()
        found: asyncio.Future[tuple[str, ...]] = loop.create_future()

        def settle(result: tuple[str, ...] | OSError) -> None:
            if found.done():
                return
            if isinstance(result, tuple):
                found.set_result(result)
            else:
                found.set_exception(result)

        def ask() -> None:
            result: tuple[str, ...] | OSError
            try:
                rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
                result = tuple(dict.fromkeys(str(row[4][0]) for row in rows))
            except (OSError, UnicodeError) as error:
                result = error if isinstance(error, OSError) else OSError("The name cannot be encoded.")
            # The loop may be gone when a stuck call returns at last.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(settle, result)

        threading.Thread(target=ask, name="pagegrade-getaddrinfo", daemon=True).start()
        try:
            async with asyncio.timeout(self._timeout_s):
                addresses = await found
        except TimeoutError as error:
            raise ResolveError("dns_timeout", "The host name was not resolved in time.") from error
        except socket.gaierror as error:
            unknown = error.errno == socket.EAI_NONAME
            reason = "dns_nxdomain" if unknown else "dns_error"
            detail = "The host name does not exist." if unknown else _FAILED
            raise ResolveError(reason, detail) from error
        except OSError as error:
            raise ResolveError("dns_error", _FAILED) from error
        return Answer(host=host, addresses=addresses)


async def _ask(stub: dns.asyncresolver.Resolver, name: dns.name.Name, family: str) -> dns.resolver.Answer:
    return await stub.resolve(name, family, search=False, raise_on_no_answer=False)


def _has_addresses(task: asyncio.Task[dns.resolver.Answer]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None and bool(_addresses(task.result()))


def _addresses(answer: dns.resolver.Answer) -> tuple[str, ...]:
    return tuple(record.to_text() for record in answer.rrset or ())


def _combine(host: str, tasks: list[asyncio.Task[dns.resolver.Answer]]) -> Answer:
    """The answer that two questions give together; one failed family does not matter when the other has addresses."""
    families: list[tuple[str, ...]] = []
    canonical: str | None = None
    failures: list[BaseException] = []
    for task in tasks:
        failure = asyncio.CancelledError() if task.cancelled() else task.exception()
        if failure is not None:
            failures.append(failure)
            families.append(())
            continue
        found = task.result()
        families.append(_addresses(found))
        end = found.canonical_name.to_text(omit_final_dot=True).lower()
        if families[-1] and end != host.removesuffix("."):
            canonical = end
    if any(families):
        return Answer(host=host, addresses=_interleave(*families), canonical_name=canonical)
    raise _explain(failures)


def _explain(failures: list[BaseException]) -> ResolveError:
    import dns.resolver

    if not failures or any(isinstance(each, dns.resolver.NXDOMAIN) for each in failures):
        return ResolveError("dns_nxdomain", "The host name does not exist or has no address.")
    for failure in failures:
        if not isinstance(failure, (*_BROKEN, asyncio.CancelledError)):
            raise failure
    if any(isinstance(each, (Timeout, asyncio.CancelledError)) for each in failures):
        return ResolveError("dns_timeout", "The name servers did not answer in time.")
    return ResolveError("dns_error", "The name servers answered with an error.")


class CachingResolver:
    """Asks another resolver at most once per name; failures are remembered too.

    Callers that ask while a look-up is under way share it, and one that is
    cancelled takes nothing away from the others.
    """

    def __init__(self, inner: Resolver) -> None:
        self._inner = inner
        self._known: dict[tuple[str, bool], asyncio.Task[Answer]] = {}

    async def resolve(self, host: str, *, local_names: bool = False) -> Answer:
        """Look a name up, or repeat what is known.

        Raises:
            ResolveError: There is no usable answer.
        """
        key = (host, local_names)
        task = self._known.get(key)
        if task is None:
            loop = asyncio.get_running_loop()
            task = loop.create_task(self._inner.resolve(host, local_names=local_names))
            task.add_done_callback(_retrieve)
            self._known[key] = task
        return await asyncio.shield(task)

    async def texts(self, name: str) -> tuple[str, ...]:
        """As of ``Resolver``; nothing is remembered."""
        return await self._inner.texts(name)

    def has_asked(self, host: str, *, local_names: bool = False) -> bool:
        """Return whether a look-up of the name was begun before."""
        return (host, local_names) in self._known

    async def aclose(self) -> None:
        """End the look-ups under way."""
        for task in self._known.values():
            task.cancel()
        await asyncio.gather(*self._known.values(), return_exceptions=True)
        self._known.clear()


def _retrieve(task: asyncio.Task[Answer]) -> None:
    """Retrieve the outcome, so that a failure without a waiter is not reported as never retrieved."""
    if not task.cancelled():
        task.exception()


def origin_of(hosts: Sequence[str], port: int) -> str:
    """Return the URL under which a browser on this machine reaches a server that listens there.

    Args:
        hosts: Names and addresses, at least one; the first that this machine has counts.
        port: 0 to 65535.
    """
    names = [name for given in hosts for name in _ALL_ADDRESSES.get(given, (given,))]
    name = next((each for each in names if each != _LOCALHOST[0] or _has_ipv4()), names[0])
    if ":" in name and not name.startswith("["):
        name = f"[{name}]"
    return f"http://{name}" if port == 80 else f"http://{name}:{port}"


def _has_ipv4() -> bool:
    """Return whether the loopback interface has an IPv4 address, which it lacks where there is IPv6 alone."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        try:
            trial.bind((_LOCALHOST[0], 0))
        except OSError:
            return False
    return True
