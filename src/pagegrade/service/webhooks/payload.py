"""Payloads of deliveries: thin JSON for programs, and the same as values for messages to people."""

from __future__ import annotations

from typing import Any

import msgspec

from pagegrade.model.account import Account, Brand
from pagegrade.model.stored import Privacy, StoredReport
from pagegrade.model.webhooks import URGENCY, ClaimedWebhook, DueDelivery
from pagegrade.render.audit import withheld_object
from pagegrade.render.notifications import MAX_ITEMS
from pagegrade.report.compare import compare_reports, count_findings
from pagegrade.report.serialize import timestamp
from pagegrade.service.reports.history import report_of_run
from pagegrade.service.webhooks.signatures import KEY_NAME
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import load_account, load_brand
from pagegrade.store.repositories.audits import load_audit
from pagegrade.store.repositories.installation import load_or_make_secret
from pagegrade.store.repositories.reports import load_report
from pagegrade.store.repositories.run_history import latest_comparable, load_detail, load_run


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the attempt at a claim needs of the database."""

    key: bytes
    """Of the installation; secrets are derived from it."""
    account: Account
    brand: Brand = Brand()
    """Look of the account in messages by e-mail."""
    payloads: tuple[dict[str, Any], ...]
    """``{type, timestamp, data}`` of the delivery, or of those that a message names."""


def make_key(tx: Transaction) -> bytes:
    """The key of the installation for webhooks, made at its first use."""
    return load_or_make_secret(tx, KEY_NAME)


def prepare(tx: Transaction, claimed: ClaimedWebhook, *, key: bytes, base_url: str) -> Prepared | None:
    """Make the payloads of a claim; ``None``: its account is gone.

    A message names ``MAX_ITEMS`` of its events, the most urgent types first, and counts the others.
    """
    account = load_account(tx, claimed.webhook.account_id)
    if account is None:
        return None
    urgent = sorted(claimed.events, key=lambda due: URGENCY.index(due.type))[:MAX_ITEMS]
    payloads = tuple(_payload(tx, account.id, due, base_url) for due in urgent)
    return Prepared(key=key, account=account, brand=load_brand(tx, account.id), payloads=payloads)


def _payload(tx: Transaction, account_id: int, due: DueDelivery, base_url: str) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.json.decode(due.data)
    report = None if due.report_id is None else load_report(tx, account_id, due.report_id)
    if report is not None and "report" in data:
        if report.privacy != Privacy.PRIVATE:
            data["report"]["share_url"] = f"{base_url}/r/{report.slug}"
        data["links"] = {"report": f"{base_url}/reports/{report.id}"}
        if "change" in data:
            data["change"] |= _changed_findings(tx, report, due.run_number)
    if due.audit_id is not None:
        audit = load_audit(tx, account_id, due.audit_id)
        if audit is not None and audit.privacy != Privacy.PRIVATE:
            data["audit"]["share_url"] = f"{base_url}/a/{audit.slug}"
        data["audit"]["withheld"] = withheld_object(data["audit"]["withheld"])
        data["links"] = {"audit": f"{base_url}/audits/{due.audit_id}"}
    if "quota" in data:
        data["links"] = {"team": f"{base_url}/team"}
    return {"type": due.type, "timestamp": timestamp(due.at_ms), "data": data}


def _changed_findings(tx: Transaction, report: StoredReport, number: int | None) -> dict[str, int | None]:
    """Numbers of new and fixed findings since the last run that compares; ``None``: there is none."""
    unknown: dict[str, int | None] = {"new": None, "fixed": None}
    newer = None if number is None else load_run(tx, report.id, number)
    older = None if newer is None or newer.basis is None else latest_comparable(tx, newer)
    if newer is None or older is None:
        return unknown
    runs = (older, newer)
    details = [load_detail(tx, report.id, run.number) for run in runs]
    if None in details:
        return unknown
    before, after = (report_of_run(report, run, detail) for run, detail in zip(runs, details, strict=True))
    made = compare_reports(before, after)
    return {"new": count_findings(made.new), "fixed": count_findings(made.fixed)}
