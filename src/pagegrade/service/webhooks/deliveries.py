"""Deliveries of webhooks: their payloads, one attempt at a time, and when to try again (retries with backoff).

Programs get thin JSON with its signature, people get the same as a message, or an e-mail. A secret is derived from the
salt of its webhook with a key of the installation, so that the table of webhooks, a backup of it or a page never holds
one. Every attempt resolves the host anew, and the addresses pass the guard of all connections; nothing is remembered of
the attempt before.

Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import random
import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, Final, Literal

import msgspec

from pagegrade.gather.exchange import FetchError, Limits, Post, Request
from pagegrade.gather.guard import Guard
from pagegrade.gather.http import HTTPClient
from pagegrade.gather.mail import send_mail_aside
from pagegrade.gather.resolver import Resolver
from pagegrade.model.account import Account, Brand
from pagegrade.model.errors import InvalidURL
from pagegrade.model.stored import Privacy, StoredReport
from pagegrade.model.webhooks import URGENCY, ClaimedWebhook, DueDelivery, Kind, StoredWebhook
from pagegrade.render.audit import withheld_object
from pagegrade.render.i18n import LOCALES, Texts
from pagegrade.render.notifications import (
    MAX_BYTES,
    MAX_ITEMS,
    SMALL_BYTES,
    Message,
    discord_body,
    email_message,
    gotify_body,
    make_message,
    matrix_body,
    ntfy_body,
    slack_body,
    teams_body,
    telegram_body,
)
from pagegrade.report.compare import compare_reports, count_findings
from pagegrade.report.serialize import timestamp
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.views import report_of_run
from pagegrade.service.runs.options import policy_of
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import load_account, load_brand
from pagegrade.store.repositories.audits import load_audit
from pagegrade.store.repositories.installation import load_or_make_secret
from pagegrade.store.repositories.reports import load_report
from pagegrade.store.repositories.run_history import latest_comparable, load_detail, load_run
from pagegrade.store.repositories.webhooks import MAX_PAUSE_MS, AttemptOutcome

_SECRET_START: Final = 8
"""Characters of a secret that tell that an answer repeats it: its end may be beyond what is read."""
_TOKEN: Final = r"(?P<token>[A-Za-z0-9._~+/=:-]{1,512})"  # noqa: S105 - a pattern
_NTFY: Final = re.compile(rf"(?P<url>https?://[^/?]+/)(?P<topic>[A-Za-z0-9_-]{{1,64}})(?:\?token={_TOKEN})?")
_GOTIFY: Final = re.compile(rf"(?P<url>https?://[^?]+/message)\?token={_TOKEN}")
_TELEGRAM: Final = re.compile(
    r"(?P<url>https?://[^/?]+/bot(?P<token>[0-9]{1,20}:[A-Za-z0-9_-]{1,100})/sendMessage)"
    r"\?chat_id=(?P<chat>-?[0-9]{1,20}|@[A-Za-z0-9_]{1,64})"
)
_MATRIX: Final = re.compile(
    rf"(?P<url>https?://[^?]+/_matrix/client/v3/rooms/[^/?]+/send/m\.room\.message)\?access_token={_TOKEN}"
)


class Destination(msgspec.Struct, frozen=True, kw_only=True):
    """The request for one message."""

    url: str
    method: Literal["POST", "PUT"] = "POST"
    headers: tuple[tuple[str, str], ...] = ()
    members: dict[str, str] = {}
    """More members of the JSON body."""
    secrets: tuple[str, ...] = ()
    """Parts of the address with which others could send or read."""

    def without_secrets(self, answer: bytes) -> bytes:
        """Return an answer that may be kept: empty where it repeats a secret."""
        return b"" if any(each[:_SECRET_START].encode() in answer for each in self.secrets) else answer


def _any(url: str, _transaction: str) -> Destination:
    return Destination(url=url)


def _ntfy(url: str, _transaction: str) -> Destination:
    found = _match(_NTFY, url, "https://ntfy.sh/TOPIC or https://ntfy.sh/TOPIC?token=TOKEN")
    token = found["token"]
    return Destination(
        url=found["url"],
        headers=(("Authorization", f"Bearer {token}"),) if token else (),
        members={"topic": found["topic"]},
        secrets=(found["topic"], token) if token else (found["topic"],),
    )


def _gotify(url: str, _transaction: str) -> Destination:
    found = _match(_GOTIFY, url, "https://gotify.example.com/message?token=TOKEN")
    return Destination(url=found["url"], headers=(("X-Gotify-Key", found["token"]),), secrets=(found["token"],))


def _telegram(url: str, _transaction: str) -> Destination:
    found = _match(_TELEGRAM, url, "https://api.telegram.org/botTOKEN/sendMessage?chat_id=ID")
    return Destination(url=found["url"], members={"chat_id": found["chat"]}, secrets=(found["token"],))


def _matrix(url: str, transaction: str) -> Destination:
    example = "https://HOMESERVER/_matrix/client/v3/rooms/ROOM/send/m.room.message?access_token=TOKEN"
    found = _match(_MATRIX, url, example)
    return Destination(
        url=f"{found['url']}/{transaction}",
        method="PUT",
        headers=(("Authorization", f"Bearer {found['token']}"),),
        secrets=(found["token"],),
    )


def _match(pattern: re.Pattern[str], url: str, example: str) -> re.Match[str]:
    found = pattern.fullmatch(url)
    if found is None:
        raise InvalidURL(f"Must be like {example}.", reason="not_a_receiver")
    return found


class Receiver(msgspec.Struct, frozen=True):
    """A chat or a push service."""

    body: Callable[[Message], dict[str, Any]]
    destination: Callable[[str, str], Destination] = _any
    """By (canonical URL that was entered, text that is the same in every repetition of a message); raises InvalidURL
    where it is not an address of this receiver."""
    room: int = MAX_BYTES
    """Bytes for the items of a message."""


RECEIVERS: Final[Mapping[Kind, Receiver]] = {
    "slack": Receiver(slack_body),
    "discord": Receiver(discord_body),
    "teams": Receiver(teams_body),
    "ntfy": Receiver(ntfy_body, _ntfy, SMALL_BYTES),
    "gotify": Receiver(gotify_body, _gotify),
    "telegram": Receiver(telegram_body, _telegram, SMALL_BYTES),
    "matrix": Receiver(matrix_body, _matrix),
}


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


DEADLINE_S: Final = 20.0
"""From the look-up of the host to the last byte."""
MAX_ANSWER_BYTES: Final = 4_096
"""Read of an answer, and kept in the log."""
RETRY_S: Final = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""Seconds after each failed attempt; after the last of them the delivery has failed."""
JITTER: Final = 0.2
"""Greatest part of a pause that is added to it, so that not all deliveries come back at the same moment."""
MAIL_DEADLINE_S: Final = 90.0
_OK: Final = range(200, 300)
_REDIRECT: Final = range(300, 400)
_GONE: Final = 410
_SLOW_DOWN: Final = frozenset({429, 502, 503, 504})
_SLOW_DOWN_S: Final = 60.0
"""Least pause of a webhook that says that it has too much to do."""
_PAUSE_S: Final = 5.0
_MAX_PAUSE_S: Final = 600.0
_LIMITS: Final = Limits(headers_s=DEADLINE_S)


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The receiver's reaction to one attempt."""

    http_status: int | None = None
    error: str | None = None
    """Code; ``None``: it was accepted."""
    answer: bytes = b""
    retry_after_s: float | None = None
    duration_ms: int = 0
    permanent: bool = False
    """Trying again would not help."""


async def attempt(
    claimed: ClaimedWebhook,
    prepared: Prepared,
    options: ServiceOptions,
    *,
    now_ms: int,
    resolver: Resolver | None = None,
) -> tuple[AttemptOutcome, ...]:
    """Send what was claimed, once; one outcome for each of its deliveries.

    Args:
        claimed: The webhook and its deliveries.
        prepared: Their payloads.
        resolver: Where addresses come from; ``None`` for DNS.
    """
    started_s = time.monotonic()
    if claimed.webhook.kind == "email":
        reply = await _mail(claimed, prepared, options, now_ms)
    else:
        reply = await _post(claimed, prepared, options, now_ms, resolver)
    duration_ms = round((time.monotonic() - started_s) * 1000)
    failures = claimed.webhook.failures
    return tuple(
        outcome_of(
            reply, attempts=due.attempts, failures=failures, now_ms=now_ms + duration_ms, duration_ms=duration_ms
        )
        for due in claimed.deliveries
    )


def outcome_of(
    reply: Reply, *, attempts: int, failures: int, now_ms: int, duration_ms: int, chance: float | None = None
) -> AttemptOutcome:
    """Decide what follows from a reply.

    Args:
        reply: Of the receiver.
        attempts: Made before this one.
        failures: Of the webhook in a row, before this attempt.
        chance: 0 to 1, for the jitter; ``None``: drawn.
    """
    seen: dict[str, Any] = {
        "http_status": reply.http_status,
        "error": reply.error,
        "answer": reply.answer,
        "duration_ms": duration_ms,
    }
    if reply.error is None:
        return AttemptOutcome(state="delivered", **seen)
    drawn = random.random() if chance is None else chance  # noqa: S311 - no secret
    pause_s = min(_PAUSE_S * 2.0 ** min(failures, 20), _MAX_PAUSE_S)
    if reply.http_status in _SLOW_DOWN:
        pause_s = max(pause_s, _SLOW_DOWN_S, reply.retry_after_s or 0.0)
    pause_s = min(pause_s, MAX_PAUSE_MS / 1000)
    pause_until_ms = now_ms + round(pause_s * 1000)
    gone = reply.http_status == _GONE
    if gone or reply.permanent or attempts >= len(RETRY_S):
        return AttemptOutcome(state="failed", pause_until_ms=pause_until_ms, gone=gone, **seen)
    wait_s = RETRY_S[attempts] * (1 + JITTER * drawn)
    retry_at_ms = now_ms + round(wait_s * 1000)
    if reply.http_status in _SLOW_DOWN:
        retry_at_ms = max(retry_at_ms, pause_until_ms)
    return AttemptOutcome(state="retry", retry_at_ms=retry_at_ms, pause_until_ms=pause_until_ms, **seen)


def broken_attempt(claimed: ClaimedWebhook, *, now_ms: int) -> tuple[AttemptOutcome, ...]:
    """Outcomes of an attempt that ended in an error of our own: tried again as often as any other."""
    failures = claimed.webhook.failures
    return tuple(
        outcome_of(Reply(error="internal"), attempts=due.attempts, failures=failures, now_ms=now_ms, duration_ms=0)
        for due in claimed.deliveries
    )


async def _post(
    claimed: ClaimedWebhook, prepared: Prepared, options: ServiceOptions, now_ms: int, resolver: Resolver | None
) -> Reply:
    webhook = claimed.webhook
    destination = Destination(url=webhook.url)
    if webhook.kind == "webhook":
        body = msgspec.json.encode(prepared.payloads[0])
        event_id = claimed.deliveries[0].event_id
        headers = signed_headers(prepared.key, webhook, event_id=event_id, body=body, now_ms=now_ms)
    else:
        receiver = RECEIVERS[webhook.kind]
        # A repetition has the same events unless others joined them, and then it is another message.
        events = " ".join(due.event_id for due in claimed.events)
        destination = receiver.destination(webhook.url, hashlib.sha256(events.encode()).hexdigest())
        texts = texts_of(prepared.account.locale)
        message = make_message(texts, prepared.payloads, len(claimed.events), room=receiver.room)
        body = msgspec.json.encode({**receiver.body(message), **destination.members})
        headers = destination.headers
    request = Request(
        url=destination.url,
        post=Post(body=body, content_type="application/json", headers=headers, method=destination.method),
        max_wire_bytes=MAX_ANSWER_BYTES,
        max_decoded_bytes=MAX_ANSWER_BYTES,
        timeout_s=DEADLINE_S,
    )
    guard = Guard(policy_of(destination.url, options.analyze))
    async with HTTPClient(guard=guard, resolver=resolver, limits=_LIMITS) as client:
        try:
            response = (await client.fetch(request)).response
        except FetchError as error:
            return Reply(error=error.code)
    return Reply(
        http_status=response.status,
        error=_error_of(response.status),
        answer=destination.without_secrets(response.body[:MAX_ANSWER_BYTES]),
        retry_after_s=read_retry_after(response.header("Retry-After"), now_ms),
    )


def _error_of(status: int) -> str | None:
    if status in _OK:
        return None
    return "redirect" if status in _REDIRECT else "gone" if status == _GONE else "http_status"


def read_retry_after(value: str | None, now_ms: int) -> float | None:
    """Seconds that a Retry-After asks for, at most those of the longest pause; ``None``: none that can be read."""
    text = (value or "").strip()[:100]
    if text.isascii() and text.isdecimal():
        return min(float(text), MAX_PAUSE_MS / 1000)
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    seconds = at.replace(tzinfo=at.tzinfo or UTC).timestamp() - now_ms / 1000
    return min(max(seconds, 0.0), MAX_PAUSE_MS / 1000)


async def _mail(claimed: ClaimedWebhook, prepared: Prepared, options: ServiceOptions, now_ms: int) -> Reply:
    recipient = claimed.webhook.url.removeprefix("mailto:")
    if options.mail is None or not options.mail.allows(recipient):
        return Reply(error="mail_not_configured")
    texts = texts_of(prepared.account.locale)
    sender = options.mail.sender
    mail = email_message(
        texts,
        make_message(texts, prepared.payloads, len(claimed.events)),
        sender=sender,
        recipient=recipient,
        message_id=claimed.deliveries[0].event_id,
        unsubscribe_url=f"{options.base_url}/unsubscribe/{unsubscribe_token(prepared.key, claimed.webhook)}",
        at_ms=now_ms,
        brand=prepared.brand.over(options.brand),
    )
    try:
        async with asyncio.timeout(MAIL_DEADLINE_S):
            result, code = await send_mail_aside(options.mail.server, mail, sender=sender, recipient=recipient)
    except TimeoutError:
        return Reply(error="timeout")
    return Reply(http_status=code, error=None if result == "sent" else result, permanent=result == "smtp_refused")


def texts_of(locale: str) -> Texts:
    """The texts in the language of an account, or in English."""
    tag = locale.partition("-")[0].lower()
    return Texts(tag if tag in LOCALES else LOCALES[0])
