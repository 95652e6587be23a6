"""Use cases: analyze a page, evaluate what was gathered."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from pagegrade.clock import utc_now
from pagegrade.gather.context import GatherOptions, OffloadFailed
from pagegrade.gather.guard import Guard
from pagegrade.gather.held_bytes import Place
from pagegrade.gather.outgoing_proxy import OutgoingProxy, read_direct_hosts
from pagegrade.gather.resolver import Resolver
from pagegrade.gather.run import Settled, gather, ignore_settled
from pagegrade.model.artifacts import GATHERED, Artifacts, Navigation, NotGathered, Response, WellKnown
from pagegrade.model.errors import FAILURE_CODES, InvalidInput, RunFailed, URLNotAllowed
from pagegrade.model.identity import VERSION
from pagegrade.model.outcome import IgnoreRule
from pagegrade.model.report import Failure, Report, Thresholds
from pagegrade.model.stored import PackedReport
from pagegrade.parse.http.access import secrets_of
from pagegrade.parse.url import Target, host, host_address, origin, parse_target_url
from pagegrade.report.codec import check_packed, pack_report
from pagegrade.report.masking import without_secrets
from pagegrade.sandbox.pool import NoChildFree, TaskFailed, TaskLost, TaskRunner
from pagegrade.service.runs.evaluation import evaluate_and_pack, evaluate_artifacts, failed_report
from pagegrade.service.runs.options import AnalyzeOptions, policy_of

logger = logging.getLogger(__name__)
# Who uses the package decides whether and where it logs; without this, Python would print to stderr.
logging.getLogger("pagegrade").addHandler(logging.NullHandler())

EVALUATION_SECONDS: Final = 20.0
"""Wall-clock time for parsing and evaluating one page; its CPU time is limited in the child."""


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """A report and what it was made from."""

    report: Report
    artifacts: Artifacts | None
    """``None`` when nothing could be gathered."""


async def analyze_target(
    target: Target, *, options: AnalyzeOptions, children: TaskRunner, resolver: Resolver | None = None
) -> Analysis:
    """Fetch one page with everything around it and evaluate it.

    A page that cannot be analyzed is a report with ``state="failed"`` and an error, not an exception.

    Args:
        target: What ``parse_target_url`` made of the address.
        children: Where hostile bytes are parsed; shared by many analyses.
        resolver: Another way to resolve names; the system's name servers by default.

    Raises:
        URLNotAllowed: The address is one that must not be contacted, which shows without asking the network.
    """
    gathered = await gather_target(target, options=options, children=children, resolver=resolver)
    if isinstance(gathered, Report):
        return Analysis(report=gathered, artifacts=None)
    unreadable = unreadable_page(gathered)
    if unreadable is not None:
        return Analysis(report=unreadable, artifacts=gathered)
    try:
        report = await evaluate_in_child(gathered, options.thresholds, options.ignores, children=children)
    except Exception as error:
        # Every run ends in a named state, and a mistake of ours with one page must not cost the others.
        logger.exception("analysis_failed")
        failure = mistake_of_ours(type(error).__name__)
        report = failed_report(target.url, failure, generated_at=gathered.gathered_at, artifacts=gathered)
    return Analysis(report=report, artifacts=gathered)


async def gather_target(
    target: Target,
    *,
    options: AnalyzeOptions,
    children: TaskRunner,
    resolver: Resolver | None = None,
    settled: Settled = ignore_settled,
    place: Place | None = None,
) -> Artifacts | Report:
    """Fetch one page with everything around it; a failed report where there is nothing to evaluate.

    Takes and raises what ``analyze_target`` does; ``settled`` is called for every gatherer, and ``place`` gives a place
    for holding much at once.
    """
    gathered = await _gather_target(
        target, options=options, children=children, resolver=resolver, settled=settled, place=place
    )
    access = options.access
    if access is None:
        return gathered
    # A page may repeat what it was sent, and nothing behind this point has any use for it.
    shown = without_secrets(gathered, secrets_of(access, target.url))
    if isinstance(shown, Report):
        return replace(shown, run=replace(shown.run, access=access.note))
    return replace(shown, access=access.note)


async def _gather_target(
    target: Target,
    *,
    options: AnalyzeOptions,
    children: TaskRunner,
    resolver: Resolver | None,
    settled: Settled,
    place: Place | None,
) -> Artifacts | Report:
    started_at = utc_now()
    policy = policy_of(target.url, options)
    refusal = Guard(policy).check_url(target.url)
    if refusal is not None:
        raise URLNotAllowed(refusal.detail)
    gather_options = GatherOptions(
        budget_s=options.budget_s,
        policy=policy,
        subresources=options.subresources,
        load_samples=options.load_samples,
        preview_images=options.preview_images,
        access=options.access,
        render=options.render,
    )
    try:
        return await gather(
            target,
            options=gather_options,
            offload=children.run,
            gathered_at=started_at,
            resolver=resolver,
            settled=settled,
            place=place,
        )
    except RunFailed as error:
        failure = Failure(
            code=error.failure,
            message=error.message,
            reason=error.reason,
            http_status=error.http_status,
            retryable=error.retryable,
        )
    except Exception as error:
        # As above.
        logger.exception("analysis_failed")
        failure = mistake_of_ours(type(error).__name__)
    duration_ms = (utc_now() - started_at).total_seconds() * 1000
    report = failed_report(target.url, failure, generated_at=started_at, duration_ms=duration_ms)
    if options.proxy is not None:
        return behind_proxy(report, options.proxy)
    return without_proxy(report, dict(options.proxies))


def behind_proxy(report: Report, proxy: OutgoingProxy) -> Report:
    """Return the report, with the name servers of this machine as the cause where the proxy might know the name."""
    error = report.error
    if error is None or error.code != "dns" or proxy.resolves or proxy.direct.has(host(report.url)):
        return report
    message = "The name servers of this machine gave no address of the host, and the proxy is not asked for names."
    return replace(report, error=replace(error, message=message, reason="proxy_not_resolving"))


def without_proxy(report: Report, proxies: Mapping[str, str]) -> Report:
    """Return the report, with a proxy as the cause where a site is reached through one only and was not reached.

    A host of the machine or its own network, and one that ``NO_PROXY`` names, is reached without one.
    """
    error = report.error
    if error is None or error.code not in {"dns", "connect", "timeout"} or error.http_status is not None:
        return report
    name = host(report.url)
    address = host_address(name)
    direct = read_direct_hosts(proxies.get("NO_PROXY") or proxies.get("no_proxy") or "")
    if direct.has(name) or (address is not None and not address.is_global):
        return report
    names = (f"{report.url.partition(':')[0]}_proxy", "all_proxy")
    setting = next((found for one in names for found in (one.upper(), one) if proxies.get(found)), None)
    if setting is None:
        return report
    message = f"The site was not reached directly. {setting} is set, but only the proxy of PAGEGRADE_PROXY is used."
    return replace(report, error=replace(error, message=message, reason="proxy_not_used"))


async def evaluate_in_child(
    artifacts: Artifacts, thresholds: Thresholds, ignores: Sequence[IgnoreRule] = (), *, children: TaskRunner
) -> Report:
    """Evaluate artifacts where a hostile page can do no harm; what kills the parser is a failed report."""
    try:
        return await children.run(evaluate_artifacts, artifacts, thresholds, ignores, timeout_s=EVALUATION_SECONDS)
    except OffloadFailed as error:
        failure = evaluation_failure(error, artifacts)
    url = artifacts.navigation.requested_url
    return failed_report(url, failure, generated_at=artifacts.gathered_at, artifacts=artifacts)


def unreadable_page(artifacts: Artifacts) -> Report | None:
    """The failed report of a page whose HTML has already run the parser into a limit; ``None``: evaluate it.

    Looking for the sub-resources parses the same bytes with the same limits, so a second attempt would only cost the
    same again. A parser that was merely out of time is no such case: evaluation has more of it.
    """
    missing = artifacts.resources
    if not isinstance(missing, NotGathered) or missing.code != OffloadFailed.code:
        return None
    if missing.reason in ("", "time_limit"):
        return None
    failure = _parser_limit(missing.detail, artifacts)
    url = artifacts.navigation.requested_url
    return failed_report(url, failure, generated_at=artifacts.gathered_at, artifacts=artifacts)


def evaluation_failure(error: OffloadFailed, artifacts: Artifacts) -> Failure:
    """The failure of a page whose evaluation ended with ``error`` in the child."""
    if isinstance(error, TaskFailed):
        return mistake_of_ours(error.exception)
    if isinstance(error, NoChildFree) or (isinstance(error, TaskLost) and error.cause == "time_limit"):
        # A child that used next to none of its time got no processor.
        return Failure(
            code="internal",
            message="The machine was too busy to evaluate the page. The page is not to blame.",
            reason="busy",
            retryable=True,
        )
    if isinstance(error, TaskLost):
        return Failure(
            code="internal",
            message="The process that evaluated the page was ended from outside, twice. The page is not to blame.",
            reason="process_lost",
            retryable=True,
        )
    return _parser_limit(str(error), artifacts)


def _parser_limit(detail: str, artifacts: Artifacts) -> Failure:
    return Failure(
        code="too_large",
        message=f"The page's HTML could not be read within the limits. {detail}",
        reason="parser_limit",
        http_status=artifacts.navigation.response.status,
        retryable=FAILURE_CODES["too_large"][0],
    )


def mistake_of_ours(exception: str) -> Failure:
    """Describe an unexpected exception without its text."""
    return Failure(
        code="internal",
        message=f"Pagegrade stopped with {exception}. This is a mistake in Pagegrade, not in the page.",
        retryable=FAILURE_CODES["internal"][0],
    )


def artifacts_of_document(
    body: bytes,
    *,
    url: str,
    status: int = 200,
    headers: Sequence[tuple[str, str]] | None = (),
    robots_txt: bytes | None = None,
) -> Artifacts:
    """Return the artifacts of a page that was fetched elsewhere; all others count as not gathered.

    ``headers`` are those of the response; ``None`` if they were not kept, which is not the same as none.

    Raises:
        InvalidURL: ``url`` cannot be read.
    """
    target = parse_target_url(url)
    offline = NotGathered(code="skipped", detail="Evaluated without network access.")
    response = Response(
        url=target.document_url,
        status=status,
        headers=tuple(headers or ()),
        headers_seen=headers is not None,
        body=body,
    )
    found: dict[str, Any] = dict.fromkeys(GATHERED, offline)
    if robots_txt is not None:
        address = f"{origin(target.url)}/robots.txt"
        found["robots_txt"] = WellKnown(
            requested_url=address,
            response=Response(url=address, status=200, headers=(("Content-Type", "text/plain"),), body=robots_txt),
        )
    return Artifacts(
        engine=VERSION,
        gathered_at=utc_now(),
        navigation=Navigation(requested_url=target.url, response=response),
        **found,
    )


async def evaluate_and_pack_in_child(
    artifacts: Artifacts, thresholds: Thresholds, ignores: Sequence[IgnoreRule] = (), *, children: TaskRunner
) -> PackedReport:
    """The same where a hostile page can do no harm; what kills the parser is a failed analysis.

    What the child answers is stored and handed out as it is, so it is read once here: a child that has been taken over
    can report wrong results about its own page, and nothing else.
    """
    try:
        return check_packed(
            await children.run(evaluate_and_pack, artifacts, thresholds, ignores, timeout_s=EVALUATION_SECONDS)
        )
    except OffloadFailed as error:
        failure = evaluation_failure(error, artifacts)
    except InvalidInput:
        logger.exception("packed_report_refused")
        failure = Failure(
            code="internal",
            message=FAILURE_CODES["internal"][1],
            reason="unreadable_answer",
            retryable=FAILURE_CODES["internal"][0],
        )
    url = artifacts.navigation.requested_url
    return pack_report(failed_report(url, failure, generated_at=artifacts.gathered_at, artifacts=artifacts))
