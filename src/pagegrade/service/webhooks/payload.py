"""Payloads of deliveries: thin JSON for programs with its signature, and the same as values for messages to people.

A secret is derived from the salt of its webhook with a key of the installation, so that the table of webhooks, a
backup of it or a page never holds one.

Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import Any, Final

import msgspec

from pagegrade.model.account import Account, Brand
from pagegrade.model.stored import Privacy, StoredReport
from pagegrade.model.webhooks import URGENCY, ClaimedWebhook, DueDelivery, StoredWebhook
from pagegrade.render.audit import withheld_object
from pagegrade.render.notifications import MAX_ITEMS
from pagegrade.report.compare import compare_reports, count_findings
from pagegrade.report.serialize import timestamp
from pagegrade.service.reports.history import report_of_run
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import load_account, load_brand
from pagegrade.store.repositories.audits import load_audit
from pagegrade.store.repositories.installation import load_or_make_secret
from pagegrade.store.repositories.reports import load_report
from pagegrade.store.repositories.run_history import latest_comparable, load_detail, load_run

KEY_NAME: Final = "webhooks"
"""Row of ``installation`` with the key."""
SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - no secret
_UNSUBSCRIBE: Final = b"unsubscribe "


def secret_of(key: bytes, salt: bytes) -> str:
    """The secret as its owner stores it: ``whsec_`` and base64 of 32 bytes."""
    return SECRET_PREFIX + base64.b64encode(_secret_bytes(key, salt)).decode("ascii")


def signed_headers(
    key: bytes, webhook: StoredWebhook, *, event_id: str, body: bytes, now_ms: int
) -> tuple[tuple[str, str], ...]:
    """The three headers of a delivery; until a day after a rotation there is a signature with either secret."""
    timestamp = str(now_ms // 1000)
    content = b".".join((event_id.encode(), timestamp.encode(), body))
    salts = [webhook.secret_salt]
    if webhook.previous_salt is not None and now_ms < (webhook.previous_until_ms or 0):
        salts.append(webhook.previous_salt)
    made = (hmac.digest(_secret_bytes(key, salt), content, hashlib.sha256) for salt in salts)
    signatures = " ".join(f"v1,{base64.b64encode(each).decode('ascii')}" for each in made)
    return (("webhook-id", event_id), ("webhook-timestamp", timestamp), ("webhook-signature", signatures))


def unsubscribe_token(key: bytes, webhook: StoredWebhook) -> str:
    """Text of a link that ends the messages of one target without signing in.

    No other link can be made from it, and it does nothing once the owner has changed the address.
    """
    target = b"%d " % webhook.id + webhook.secret_salt + webhook.url.encode("utf-8", "surrogatepass")
    proof = hmac.digest(key, _UNSUBSCRIBE + target, hashlib.sha256)
    return f"{webhook.id}-{base64.urlsafe_b64encode(proof[:24]).decode('ascii')}"


def webhook_of_token(token: str) -> int | None:
    """Number of the target that a token claims to be for; ``None``: it cannot be one."""
    number, dash, proof = token.partition("-")
    is_token = bool(dash) and number.isascii() and number.isdecimal() and len(number) <= 19 and len(proof) == 32  # noqa: PLR2004 - 24 bytes
    return int(number) if is_token else None


def is_token_of(token: str, key: bytes, webhook: StoredWebhook) -> bool:
    """Return whether a token was made for this target."""
    return hmac.compare_digest(token.encode("utf-8", "surrogatepass"), unsubscribe_token(key, webhook).encode())


def _secret_bytes(key: bytes, salt: bytes) -> bytes:
    return hmac.digest(key, salt, hashlib.sha256)


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
