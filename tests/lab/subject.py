"""The process under test: analyses what its standard input names, and says on standard output what came of it.

``product`` is the shipped use case with its default options, nothing replaced and nothing relaxed; ``naive`` is the
fetcher that proves the lab can see.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import hashlib
import os
import sys
import time
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from pagegrade.model.artifacts import Artifacts, NotGathered
from pagegrade.model.errors import InvalidInput
from pagegrade.model.report import Report
from pagegrade.parse.url import parse_target_url
from pagegrade.service.analysis import AnalyzeOptions, analyze_target
from pagegrade.service.children import Children
from tests.lab import naive
from tests.lab.case import Job, Outcome

PR_SET_CHILD_SUBREAPER: Final = 36
ARTIFACTS: Final = (
    "robots_txt",
    "sitemaps",
    "not_found_probe",
    "insecure_probe",
    "sibling_probe",
    "favicon",
    "tls",
    "dns",
    "resources",
)
Analyse = Callable[[Job], Awaitable[Outcome]]


async def analyse_with_product(job: Job, children: Children) -> Outcome:
    """Run the shipped use case; whatever it raises that it does not document is a crash."""
    started = time.monotonic()
    try:
        target = parse_target_url(job.url)
        analysis = await analyze_target(target, options=AnalyzeOptions(budget_s=job.budget_s), children=children)
        outcome = _outcome(job.id, analysis.report, analysis.artifacts)
    except InvalidInput as error:
        outcome = Outcome(id=job.id, state="refused", code=type(error).__name__, message=error.message)
    except Exception as error:  # noqa: BLE001 -- anything else is what the lab looks for
        outcome = Outcome(id=job.id, state="crashed", code=type(error).__name__, message=str(error)[:500])
    outcome.duration_s = time.monotonic() - started
    return outcome


async def analyse_naively(job: Job) -> Outcome:
    """Run the naive fetcher in a thread."""
    return await asyncio.to_thread(naive.analyse, job)


def _outcome(job_id: str, report: Report, artifacts: Artifacts | None) -> Outcome:
    outcome = Outcome(id=job_id, state="done" if report.state == "completed" else "failed", score=report.score)
    if report.error is not None:
        outcome.code, outcome.message = report.error.code, report.error.message
        outcome.reason = report.error.reason or ""
        outcome.status = report.error.http_status or 0
    outcome.checks = {each.check: each.state or f"{each.outcome}:{each.reason[:100]}" for each in report.results}
    outcome.title = report.page.title if report.page is not None else ""
    outcome.notes = list(report.run.notes)
    outcome.report_bytes = len(msgspec.json.encode(report))
    if artifacts is not None:
        _describe(outcome, artifacts)
    return outcome


def _describe(outcome: Outcome, artifacts: Artifacts) -> None:
    navigation = artifacts.navigation
    response = navigation.response
    outcome.final_url, outcome.status = response.url, response.status
    outcome.body_bytes, outcome.body_head = len(response.body), response.body[:200].decode("latin-1")
    outcome.body_sha256 = hashlib.sha256(response.body).hexdigest()
    outcome.headers = list(response.headers)[:300]
    outcome.truncated = response.truncated or ""
    outcome.notes += list(response.notes)
    outcome.hops = [(hop.url, hop.status) for hop in navigation.hops]
    outcome.certificate_error = response.certificate_error or ""
    for name in ARTIFACTS:
        value = getattr(artifacts, name)
        outcome.artifacts[name] = f"{value.code}: {value.detail}" if isinstance(value, NotGathered) else "ok"
    if not isinstance(artifacts.tls, NotGathered):
        outcome.tls_verified, outcome.tls_verify_error = artifacts.tls.verified, artifacts.tls.verify_error or ""
    if not isinstance(artifacts.dns, NotGathered):
        outcome.addresses = list(artifacts.dns.addresses)
    if not isinstance(artifacts.resources, NotGathered):
        outcome.resources = dict(artifacts.resources.not_fetched)
        for item in artifacts.resources.items:
            got = item.response
            outcome.resources[item.url] = str(got.status) if got else item.failure.code if item.failure else ""


def _peak_kb() -> int:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


def _resident_kb() -> int:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


async def _measured(job: Job, analyse: Analyse) -> Outcome:
    """Peak resident memory of the case alone: the high-water mark is reset first."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before = _resident_kb()
    outcome = await analyse(job)
    outcome.memory_growth_mb = max(0, _peak_kb() - before) / 1024
    return outcome


async def serve(kind: str, requests: BinaryIO, answers: BinaryIO) -> None:
    """Work until the keeper closes the pipe; each job is a task of its own."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=8 << 20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), requests)
    async with Children() as children, asyncio.TaskGroup() as tasks:

        async def with_product(job: Job) -> Outcome:
            return await analyse_with_product(job, children)

        analyse: Analyse = with_product if kind == "product" else analyse_naively

        async def work(job: Job) -> None:
            outcome = await (_measured(job, analyse) if job.measure_memory else analyse(job))
            answers.write(msgspec.json.encode(outcome) + b"\n")
            answers.flush()

        while line := await reader.readline():
            tasks.create_task(work(msgspec.json.decode(line, type=Job)))


def main() -> None:
    """Adopt orphans, keep standard output for answers only, and serve."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    warnings.simplefilter("always", ResourceWarning)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    asyncio.run(serve(sys.argv[1], sys.stdin.buffer, answers))


if __name__ == "__main__":
    main()
