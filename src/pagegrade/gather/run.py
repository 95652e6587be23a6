"""A target -> artifacts: the document first, then everything else at once, under one clock."""

from __future__ import annotations

import asyncio
import importlib
import logging
import pkgutil
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from datetime import datetime
from functools import cache
from operator import itemgetter
from typing import Any, Final

import msgspec

from pagegrade.gather import gatherers
from pagegrade.gather.context import Context, GatherOptions, Offload, OffloadFailed, Start
from pagegrade.gather.exchange import FetchError, Followed, Request
from pagegrade.gather.guard import Guard
from pagegrade.gather.held_bytes import HeldBytes, Place
from pagegrade.gather.http import HTTPClient, request_headers
from pagegrade.gather.resolver import CachingResolver, DNSResolver, Resolver
from pagegrade.model.access import Access
from pagegrade.model.artifacts import Artifacts, Navigation, NotGathered, Response
from pagegrade.model.errors import RunFailed
from pagegrade.model.identity import VERSION
from pagegrade.parse.http.access import Sent
from pagegrade.parse.url import Target

logger = logging.getLogger(__name__)

_PREFIX: Final = "gather_"
_DOCUMENT: Final = "document"
_SAMPLES: Final = "load_samples"
_RENDERING: Final = "rendering"
_PROBE_BYTES: Final = 8
"""Chance in the address that should not exist: 16 hexadecimal digits."""
_EXPIRED: Final = NotGathered(code="budget", detail="The time for the whole analysis was over before it was done.")
_SKIPPED: Final = NotGathered(
    code="skipped", detail="The page itself could not be checked, so nothing else was asked for."
)

Gatherer = Callable[[Context], Awaitable[object]]
Settled = Callable[[str, float, str | None], None]
"""Callback for a finished gatherer: its name, the seconds it took, and the error code (``None`` for success)."""


def ignore_settled(_name: str, _seconds: float, _code: str | None) -> None:
    """Ignore finished gatherers."""


async def gather(
    target: Target,
    *,
    options: GatherOptions,
    offload: Offload,
    gathered_at: datetime,
    resolver: Resolver | None = None,
    probe_token: str | None = None,
    settled: Settled = ignore_settled,
    place: Place | None = None,
) -> Artifacts:
    """Gather all that is needed to check one page.

    Args:
        target: What was asked for, read once by ``parse_target_url``.
        gathered_at: Aware UTC; the report's time.
        resolver: Where addresses come from; ``None`` for DNS.
        probe_token: The random part of the address that should not exist; ``None`` for chance.
        settled: Called for every finished gatherer, the document's first.
        place: Where to get a place for holding much at once; ``None``: none is needed.

    Returns:
        The artifacts; each but the navigation may be ``NotGathered``. An answer with an error status, or a challenge,
        is returned with everything else skipped: whether it is a report is not decided here.

    Raises:
        RunFailed: There is no HTML document to check.
    """
    loop = asyncio.get_running_loop()
    started = loop.time()
    deadline = started + options.budget_s
    caching = CachingResolver(resolver if resolver is not None else DNSResolver())

    held = HeldBytes(options.limits.held_bytes, place=place)

    guard = Guard(options.policy)

    def make_client(access: Access | None = options.access) -> HTTPClient:
        return HTTPClient(
            guard=guard,
            resolver=caching,
            deadline=deadline,
            limits=options.exchange_limits,
            held=held,
            access=access,
        )

    try:
        async with AsyncExitStack() as stack:
            client = visitor = await stack.enter_async_context(make_client())
            if options.access is not None and options.access.note.lets_in:
                visitor = await stack.enter_async_context(make_client(None))
            start = Start(
                target=target,
                options=options,
                client=client,
                fresh_client=make_client,
                visitor=visitor,
                resolver=caching,
                offload=offload,
                deadline=deadline,
                render_deadline=deadline + (options.render.time_s if options.render is not None else 0.0),
                gathered_at=gathered_at,
                probe_token=probe_token or secrets.token_hex(_PROBE_BYTES),
            )
            document = await _gather_document(start, settled)
            navigation = Navigation(
                requested_url=target.url,
                typed_without_scheme=target.typed_without_scheme,
                hops=document.hops,
                response=document.response,
            )
            if is_evaluable(document.response):
                values = await _gather_rest(start, navigation, document, settled)
            else:
                values = dict.fromkeys(all_gatherers(), _SKIPPED)
    finally:
        held.close()
        await caching.aclose()
    samples = values.pop(_SAMPLES)
    known: dict[str, Any] = {name: value for name, value in values.items() if name in _ARTIFACT_FIELDS}
    return Artifacts(
        engine=VERSION,
        gathered_at=gathered_at,
        duration_ms=round((loop.time() - started) * 1_000, 3),
        vantage=_vantage(target.url, options),
        navigation=navigation,
        load_samples_ms=samples if isinstance(samples, tuple) else (document.response.timings.total_ms,),
        **known,
    )


def _vantage(url: str, options: GatherOptions) -> str:
    """The headers of the request for the page; of an access only the user agent, which sites decide by."""
    access = options.access
    named = access is not None and access.user_agent
    sent = Sent(url=url, headers=(("User-Agent", named),)) if named else None
    return "; ".join(request_headers(Request(url=url), sent, user_agent=options.policy.user_agent))


_ARTIFACT_FIELDS: Final = frozenset(Artifacts.__struct_fields__)


def is_evaluable(response: Response) -> bool:
    """Return whether the answer may be the page: a success, and no challenge that says of itself that it is one."""
    return 200 <= response.status < 300 and response.header("cf-mitigated") is None


def all_gatherers() -> Mapping[str, Gatherer]:
    """Artifact -> its gatherer, without the document's, by name."""
    return {name: gatherer for name, gatherer in _gatherers().items() if name != _DOCUMENT}


@cache
def _gatherers() -> Mapping[str, Any]:
    """Artifact -> its gatherer: the function ``gather_x`` of a module of the package gathers the artifact ``x``."""
    names = [f"{gatherers.__name__}.{module.name}" for module in pkgutil.iter_modules(gatherers.__path__)]
    values = [item for name in names for item in vars(importlib.import_module(name)).items()]
    return {
        name[len(_PREFIX) :]: value for name, value in sorted(values, key=itemgetter(0)) if name.startswith(_PREFIX)
    }


async def _gather_document(start: Start, settled: Settled) -> Followed:
    """The document within the deadline, which holds outside the client as well."""
    loop = asyncio.get_running_loop()
    started = loop.time()
    code: str | None = "internal"
    try:
        async with asyncio.timeout_at(start.deadline):
            found: Followed = await _gatherers()[_DOCUMENT](start)
            code = None
            return found
    except TimeoutError as error:
        code = "timeout"
        raise RunFailed(code, reason="timeout_total") from error
    except RunFailed as error:
        code = error.failure
        raise
    finally:
        settled(_DOCUMENT, loop.time() - started, code)


async def _gather_rest(start: Start, navigation: Navigation, document: Followed, settled: Settled) -> dict[str, object]:
    """Everything but the document, concurrently; a failure is a value."""
    loop = asyncio.get_running_loop()
    promises: dict[str, asyncio.Future[object]] = {name: loop.create_future() for name in all_gatherers()}
    context = Context(
        **msgspec.structs.asdict(start),
        navigation=navigation,
        document=document,
        promises=promises,
    )
    async with asyncio.TaskGroup() as group:
        for name, function in all_gatherers().items():
            group.create_task(_settle(name, function, context, promises[name], settled), name=f"gather_{name}")
    return {name: promise.result() for name, promise in promises.items()}


async def _settle(
    name: str, function: Gatherer, context: Context, promise: asyncio.Future[object], settled: Settled
) -> None:
    """Keep a gatherer's promise: with its artifact, or with why there is none."""
    value: object
    loop = asyncio.get_running_loop()
    started = loop.time()
    scope = asyncio.timeout_at(context.render_deadline if name == _RENDERING else context.deadline)
    try:
        async with scope:
            value = await function(context)
    except (FetchError, OffloadFailed) as error:
        value = error.not_gathered()
    except TimeoutError:
        value = _EXPIRED if scope.expired() else NotGathered(code="timeout", detail="It did not answer in time.")
    except Exception:
        logger.exception("gatherer_failed", extra={"gatherer": name})
        value = NotGathered(code="internal", detail="Something went wrong inside Pagegrade.")
    promise.set_result(value)
    settled(name, loop.time() - started, value.code if isinstance(value, NotGathered) else None)
