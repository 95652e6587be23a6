"""The product as the lab calls it: the shipped use case with its default options."""

from __future__ import annotations

import hashlib
import time
import traceback
from dataclasses import replace

import msgspec

from pagegrade.clock import now_ms
from pagegrade.model.account import Account
from pagegrade.model.artifacts import GATHERED, Artifacts, NotGathered
from pagegrade.model.errors import InvalidInput
from pagegrade.model.report import Report
from pagegrade.model.webhooks import ClaimedWebhook, DueDelivery
from pagegrade.parse.url import parse_target_url
from pagegrade.sandbox.pool import Children
from pagegrade.service.options import ServiceOptions
from pagegrade.service.runs.analysis import analyze_target
from pagegrade.service.runs.options import AnalyzeOptions, parse_networks
from pagegrade.service.webhooks.deliveries import Prepared, attempt
from tests.lab.case import Job, Outcome
from tests.store_builders import stored_webhook


async def analyse_with_product(job: Job, children: Children) -> Outcome:
    """Run the shipped use case; whatever it raises that it does not document is a crash."""
    if job.deliveries:
        return await deliver_with_product(job)
    started = time.monotonic()
    try:
        target = parse_target_url(job.url)
        options = replace(_options(job), budget_s=job.budget_s, allow_typed_private=job.typed_private)
        analysis = await analyze_target(target, options=options, children=children)
        outcome = _outcome(job.id, analysis.report, analysis.artifacts)
    except InvalidInput as error:
        outcome = Outcome(id=job.id, state="refused", code=type(error).__name__, message=error.message)
    except Exception as error:  # noqa: BLE001 -- anything else is what the lab looks for
        shown = "".join(traceback.format_exception(error))[-4000:]
        outcome = Outcome(id=job.id, state="crashed", code=type(error).__name__, message=shown)
    outcome.duration_s = time.monotonic() - started
    return outcome


def _options(job: Job) -> AnalyzeOptions:
    return AnalyzeOptions(allow_networks=parse_networks(job.networks))


async def deliver_with_product(job: Job) -> Outcome:
    """Make the shipped attempts at a delivery with default options; what the last one came to."""
    started = time.monotonic()
    webhook = stored_webhook(url=job.url)
    due = DueDelivery(
        id=1,
        attempts=0,
        event_id="msg_1",
        type="report.completed",
        report_id=None,
        audit_id=None,
        run_number=None,
        data=b"{}",
        at_ms=0,
    )
    account = Account(id=1, name="Lab", email="lab@example.org", created_at_ms=0)
    payload = {"type": "report.completed", "timestamp": "1970-01-01T00:00:00.000Z", "data": {}}
    prepared = Prepared(key=b"k" * 32, account=account, payloads=(payload,))
    claimed = ClaimedWebhook(webhook=webhook, deliveries=(due,))
    outcome = Outcome(id=job.id, state="done")
    options = ServiceOptions(analyze=_options(job))
    try:
        for _ in range(job.deliveries):
            (last,) = await attempt(claimed, prepared, options, now_ms=now_ms())
            outcome.state = "done" if last.state == "delivered" else "failed"
            outcome.code, outcome.status = last.error or "", last.http_status or 0
            outcome.body_bytes = len(last.answer)
    except Exception as error:  # noqa: BLE001 -- as above
        shown = "".join(traceback.format_exception(error))[-4000:]
        outcome = Outcome(id=job.id, state="crashed", code=type(error).__name__, message=shown)
    outcome.duration_s = time.monotonic() - started
    return outcome


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
    for name in GATHERED:
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
