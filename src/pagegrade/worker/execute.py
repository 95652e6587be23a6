"""Execute one claimed run: wait for its target, gather, evaluate in a child process, store the outcome.

Its steps are stored, so that the page of its report can show them, where it takes longer than ``QUIET_S``: other runs
are over before a person reads the page.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from pagegrade.clock import now_ms, utc_now
from pagegrade.gather.browser.options import RenderOptions
from pagegrade.gather.guard import Guard
from pagegrade.gather.resolver import CachingResolver, DNSResolver, ResolveError, Resolver
from pagegrade.gather.run import Settled
from pagegrade.model.access import Access, StoredAccess
from pagegrade.model.artifacts import Artifacts, NotGathered, PreviewImage
from pagegrade.model.errors import FAILURE_CODES, InvalidInput, Unavailable
from pagegrade.model.rendering import Rendering
from pagegrade.model.report import Failure, Report
from pagegrade.model.stored import ClaimedRun, PackedPicture, PackedReport, Step
from pagegrade.observability.logs import about
from pagegrade.observability.run_spans import begin_run, end_run, gatherers_of, note_gathered
from pagegrade.observability.tracing import Span
from pagegrade.parse.url import Target, host, host_address, parse_target_url
from pagegrade.report.build import picture_names, stored_previews
from pagegrade.report.codec import pack_report
from pagegrade.sandbox.pool import TaskRunner
from pagegrade.service.access.operations import Locked, profile_for, unseal
from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.service.runs.analysis import (
    evaluate_and_pack_in_child,
    gather_target,
    mistake_of_ours,
    unreadable_page,
)
from pagegrade.service.runs.evaluation import failed_report
from pagegrade.service.runs.options import policy_of
from pagegrade.service.runs.politeness import address_targets, is_own_host, politeness_target
from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue.admission import move_lines_of
from pagegrade.store.queue.runs import finish_run, release_run, set_step
from pagegrade.store.repositories.access_profiles import access_of_report
from pagegrade.store.repositories.decisions import list_rules_of_report
from pagegrade.store.repositories.host_slots import admit_addresses, exempt_run, hasten_lines, hide_orphaned_visits

QUIET_S: Final = 1.0
"""Seconds of an analysis in which no step is stored."""
logger = logging.getLogger(__name__)


class Advance(Protocol):
    """Hears of the progress of one run."""

    def __call__(self, step: Step | None = None) -> None:
        """Note progress.

        Args:
            step: The step that the run has come to; ``None``: progress within the one before.
        """


def ignore_progress(step: Step | None = None) -> None:
    """Ignore that a run made progress."""


T = TypeVar("T")


class CountedTasks:
    """Children as one run uses them; says how many tasks they do for it, or have to do."""

    def __init__(self, children: TaskRunner, count: Callable[[int], None]) -> None:
        """Prepare them.

        Args:
            children: That do the tasks.
            count: Called with 1 when a task is given to them, and with -1 when it is over.
        """
        self._children = children
        self._count = count

    async def run(self, function: Callable[..., T], *arguments: object, timeout_s: float) -> T:
        """As ``Children.run``."""
        self._count(1)
        try:
            return await self._children.run(function, *arguments, timeout_s=timeout_s)
        finally:
            self._count(-1)


class StepNotes:
    """The steps of one run; at most one write each, the last one known."""

    def __init__(self, services: Services, run: ClaimedRun, advance: Advance = ignore_progress) -> None:
        """Prepare the notes.

        Args:
            services: Of this process.
            run: Whose steps are stored.
            advance: Called with every step and every gatherer that has settled.
        """
        self._advance = advance
        self._services = services
        self._run = run
        self._loop = asyncio.get_running_loop()
        self._from = self._loop.time() + QUIET_S
        self._step: Step = "page"
        self._writing: asyncio.Task[None] | None = None

    def reach(self, step: Step) -> None:
        """Take the step that the run has come to; it is stored in the background."""
        self._step = step
        self._advance(step)
        if self._writing is None or self._writing.done():
            self._writing = self._loop.create_task(self._write())

    def with_gatherers(self, settled: Settled) -> Settled:
        """Follow the gatherers of the run, and pass on what they settle."""

        def passed_on(name: str, seconds: float, code: str | None) -> None:
            if name == "document" and code is None:
                self.reach("files")
            elif name == "resources" and self._run.device is not None and self._step == "files":
                self.reach("browser")
            self._advance()
            settled(name, seconds, code)

        return passed_on

    async def end(self) -> None:
        """Store nothing more."""
        if self._writing is not None:
            self._writing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._writing

    async def _write(self) -> None:
        await asyncio.sleep(self._from - self._loop.time())
        stored: Step | None = None
        while stored != self._step:
            stored = self._step
            try:
                await self._services.database.write(partial(set_step, run=self._run, step=stored))
            except Unavailable:
                # No one waits for it, and the outcome is what counts.
                logger.info("step_not_stored", extra={"run": self._run.id})
        self._services.changes.notify(self._run.report_id)


STORE_PAUSE_S: Final = 1.0
"""Pause between two attempts to store an outcome while the database cannot be written, e.g. on a full disk."""
STORE_TRIES: Final = 600
MAX_PICTURES_BYTES: Final = 3_000_000
"""Maximum size of the pictures of a report; those of ordinary pages take 100 to 400 kB."""
_NO_BROWSER: Final = NotGathered(
    code="browser_missing",
    detail="There was no browser to draw the page. The administrator can install one or allow its use.",
)


class _Error(msgspec.Struct):
    """The members of ``PackedReport.error`` for metrics."""

    code: str
    reason: str | None = None


_read_error: Final = msgspec.json.Decoder(_Error).decode


async def perform_run(
    services: Services,
    run: ClaimedRun,
    *,
    children: TaskRunner,
    resolver: Resolver | None = None,
    advance: Advance = ignore_progress,
) -> None:
    """Execute a claimed run: store its outcome, or return it to the queue if its target has no free slot.

    Any error inside results in a failed run. If the caller is canceled, nothing is stored, and the run keeps its state.

    Args:
        services: Services of this process.
        run: The claimed run.
        children: Processes that parse untrusted bytes.
        resolver: Resolver of host names; ``None`` for DNS.
        advance: Called with every step that the run has done.

    Raises:
        Unavailable: The database could not be written for many minutes; the run is left to the reaper.
    """
    with begin_run(services.tracing, run) as span, about(**span.names):
        await _perform(services, run, span, children=children, resolver=resolver, advance=advance)


async def _perform(
    services: Services,
    run: ClaimedRun,
    span: Span,
    *,
    children: TaskRunner,
    resolver: Resolver | None,
    advance: Advance,
) -> None:
    started_s = time.monotonic()
    advance("page")
    known = CachingResolver(resolver or DNSResolver())
    try:
        target = parse_target_url(run.url)
        wait_ms = await _request_slot(services, run, target, known)
        if wait_ms is not None:
            await services.database.write(lambda tx: release_run(tx, run, now_ms(), wait_ms))
            services.changes.notify(run.report_id)
            end_run(span, state="put_off")
            return
        packed = await _analyze(services, run, target, span, children=children, resolver=known, advance=advance)
    except InvalidInput as error:
        packed = _failed(run, Failure(code="address_not_allowed", message=error.message, reason=error.reason))
    except Locked as error:
        packed = _failed(run, Failure(code="internal", message=error.message, reason="access_locked"))
    except Unavailable:
        # The database was away for longer than a run waits for it: the run is started again.
        raise
    except Exception as error:
        logger.exception("run_failed", extra={"run": run.id})
        packed = _failed(run, mistake_of_ours(type(error).__name__))
    finally:
        await known.aclose()
    advance("checks")
    with span.child("store"):
        changed = await _store(services, run, packed, advance)
    _note(services, run, span, packed, changed=changed, seconds=time.monotonic() - started_s)


async def _request_slot(services: Services, run: ClaimedRun, target: Target, resolver: Resolver) -> int | None:
    """Request a slot of the target; return the milliseconds to wait, or ``None`` if the run may start now."""
    options = services.options
    networks = options.analyze.allow_networks
    policy = policy_of(target.url, options.analyze)
    domain = politeness_target(target.url, networks)
    if not domain or Guard(policy).check_url(target.url) is not None:
        return None
    name = host(target.url)
    literal = host_address(name)
    proxy = policy.proxy
    if literal is not None:
        addresses: tuple[str, ...] = (str(literal),)
    elif proxy is not None and proxy.resolves and not proxy.direct.has(name):
        addresses = ()
    else:
        try:
            answer = await resolver.resolve(name, local_names=policy.looks_up_local_names(name))
        except ResolveError:
            # The resolver caches the error: the analysis will fail for this reason, without contacting the site.
            return None
        addresses = answer.addresses
    if is_own_host(addresses, networks):
        await services.database.write(lambda tx: exempt_run(tx, run))
        # Other runs may have been skipped because of it.
        services.wake()
        return None
    targets = (domain, *address_targets(addresses))
    return await services.database.write(
        lambda tx: admit_addresses(
            tx,
            run,
            targets,
            now_ms(),
            target_runs=options.target_runs,
            target_runs_per_minute=options.target_runs_per_minute,
        )
    )


async def _analyze(
    services: Services,
    run: ClaimedRun,
    target: Target,
    span: Span,
    *,
    children: TaskRunner,
    resolver: Resolver,
    advance: Advance,
) -> PackedReport:
    # A claimed run is not given up for a break of the connection that is shorter than its lease.
    profile = await _with_retries(lambda: services.database.read(lambda tx: _profile_of(tx, run)), advance)
    access = None if profile is None else unseal(profile, services.vault)
    steps = StepNotes(services, run, advance)
    try:
        return await _analyze_in_steps(
            services, run, target, span, steps, access=access, children=children, resolver=resolver, advance=advance
        )
    finally:
        await steps.end()


async def _analyze_in_steps(
    services: Services,
    run: ClaimedRun,
    target: Target,
    span: Span,
    steps: StepNotes,
    *,
    access: Access | None,
    children: TaskRunner,
    resolver: Resolver,
    advance: Advance,
) -> PackedReport:
    options = dataclasses.replace(
        services.options.analyze,
        render=_render_options(services.options, run),
        preview_images=True,
        access=access,
    )
    with span.child("gather") as part:
        gathered = await gather_target(
            target,
            options=options,
            children=children,
            resolver=resolver,
            settled=steps.with_gatherers(gatherers_of(part)),
            place=partial(services.large_pages.hold, run.account_id),
        )
        note_gathered(part, gathered)
    if isinstance(gathered, Report):
        return pack_report(gathered)
    unreadable = unreadable_page(gathered)
    if unreadable is not None:
        return pack_report(unreadable)
    if run.device is not None and options.render is None:
        gathered = replace(gathered, rendering=_NO_BROWSER)
    if run.device is not None:
        _note_rendering(services, gathered.rendering)
    steps.reach("checks")
    # The site was contacted: a run that began again because of this would ask it for everything once more.
    rules = await _with_retries(
        lambda: services.database.read(lambda tx: list_rules_of_report(tx, run.account_id, run.report_id)),
        advance,
    )
    with span.child("evaluate"):
        packed = await evaluate_and_pack_in_child(gathered, options.thresholds, rules, children=children)
    if packed.state != "completed":
        return packed
    # A page that was not graded may be another than the one that was asked for.
    previews = () if packed.rating is None else stored_previews(gathered)
    return replace(packed, pictures=_pictures(gathered, previews))


def _profile_of(tx: Transaction, run: ClaimedRun) -> StoredAccess | None:
    """Return the access profile that a run uses; ``None``: none."""
    return profile_for(tx, run.account_id, run.url, access_of_report(tx, run.report_id))


def _render_options(options: ServiceOptions, run: ClaimedRun) -> RenderOptions | None:
    """Return the options of the browser for a run; ``None`` without rendering or without a browser."""
    if run.device is None or options.browser is None:
        return None
    return RenderOptions(
        program=options.browser, device=run.device, network=run.device, loads=options.analyze.render_loads
    )


def _pictures(artifacts: Artifacts, previews: Sequence[PreviewImage]) -> tuple[PackedPicture, ...]:
    """Return the images for previews, and the pictures that a browser made, within ``MAX_PICTURES_BYTES``.

    The screen and the whole page come first of the latter.
    """
    found: list[tuple[str, bytes]] = [(image.kind, image.data) for image in previews if not image.problem]
    if not isinstance(artifacts.rendering, NotGathered):
        pictures = artifacts.rendering.pictures
        drawn = (picture.data for picture in pictures)
        found += zip(picture_names(pictures), drawn, strict=True)
    left = MAX_PICTURES_BYTES
    kept = []
    for name, data in found:
        if len(data) <= left:
            left -= len(data)
            kept.append(PackedPicture(name=name, body=data))
    return tuple(kept)


async def _store(services: Services, run: ClaimedRun, packed: PackedReport, advance: Advance) -> tuple[int, ...]:
    """Store the outcome, with retries, notify waiting clients, and return the ids of the reports that changed."""
    changed = await _with_retries(lambda: _write_outcome(services, run, packed), advance)
    for report_id in changed:
        services.changes.notify(report_id)
    return changed


async def _with_retries(step: Callable[[], Awaitable[T]], advance: Advance) -> T:
    """Do what needs the database, again and again while it is away: the lease is extended meanwhile."""
    for tries_left in reversed(range(STORE_TRIES)):
        advance()
        try:
            return await step()
        except Unavailable:
            # An outcome must not be lost because of a full disk.
            if not tries_left:
                raise
        await asyncio.sleep(STORE_PAUSE_S)
    raise AssertionError("the last try either returns or raises")


async def _write_outcome(services: Services, run: ClaimedRun, packed: PackedReport) -> tuple[int, ...]:
    try:
        return await services.database.write(lambda tx: _finish(tx, services, run, packed))
    except Unavailable:
        raise
    except Exception:
        # An outcome that the schema rejects is a bug, and would be rejected again and again.
        logger.exception("outcome_refused", extra={"run": run.id})
    refused = _failed(
        run,
        Failure(
            code="internal",
            message=FAILURE_CODES["internal"][1],
            reason="not_storable",
            retryable=FAILURE_CODES["internal"][0],
        ),
    )
    return await services.database.write(lambda tx: _finish(tx, services, run, refused))


def _finish(tx: Transaction, services: Services, run: ClaimedRun, packed: PackedReport) -> tuple[int, ...]:
    options = services.options
    changed = finish_run(tx, run, packed, now_ms())
    if not changed:
        # Its report may have been deleted after the run had named its targets.
        hide_orphaned_visits(tx)
        hasten_lines(tx, (run.target,))
    move_lines_of(
        tx,
        run.id,
        now_ms(),
        target_runs=options.target_runs,
        target_runs_per_minute=options.target_runs_per_minute,
    )
    return changed


def _note(
    services: Services, run: ClaimedRun, span: Span, packed: PackedReport, *, changed: tuple[int, ...], seconds: float
) -> None:
    """Count the run in metrics, log it, and end its span."""
    error = None if packed.error is None else _read_error(packed.error)
    state = packed.state if changed else "discarded"
    code, reason = (None, None) if error is None else (error.code, error.reason)
    services.observation.run_finished(
        run=run.id,
        report=run.report_id,
        host=host(run.url),
        state=state,
        code=code,
        reason=reason,
        attempt=run.attempt,
        seconds=seconds,
    )
    end_run(span, state=state, code=code, reason=reason)


def _note_rendering(services: Services, rendering: Rendering | NotGathered) -> None:
    """Count a rendered page in metrics."""
    if isinstance(rendering, NotGathered):
        services.observation.page_rendered(failure=rendering.code, reason=rendering.reason)
        return
    services.observation.page_rendered(
        failure=None,
        seconds=rendering.elapsed_s or 0,
        cpu_s=rendering.cpu_s or 0,
        memory_bytes=rendering.peak_memory_bytes,
    )


def _failed(run: ClaimedRun, failure: Failure) -> PackedReport:
    return pack_report(failed_report(run.url, failure, generated_at=utc_now()))
