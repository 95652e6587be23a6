"""Delivers events from the outbox: a few webhooks at a time, each at most once at a time, accounts in turn.

Nothing is held in memory that a kill could lose: what was claimed and not recorded is sent again, with the same id,
when its lease has ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from typing import Final

from pagegrade.clock import now_ms
from pagegrade.gather.resolver import Resolver
from pagegrade.model.errors import Unavailable
from pagegrade.model.webhooks import ClaimedWebhook, Event
from pagegrade.service.container import Services
from pagegrade.service.rate_limit import HOUR_S, Bucket
from pagegrade.service.webhooks.deliveries import KEY_NAME, attempt, broken_attempt, make_key, prepare
from pagegrade.service.webhooks.operations import shown_url
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.installation import load_secret
from pagegrade.store.repositories.outbox import add_notice
from pagegrade.store.repositories.webhooks import (
    AttemptOutcome,
    claim_webhooks,
    has_due,
    record_attempt,
    release_webhook,
)

logger = logging.getLogger(__name__)

AT_ONCE: Final = 16
"""Webhooks that one process sends to at the same time."""
POLL_S: Final = 1.0
LEASE_MS: Final = 150_000
"""Longer than an attempt and the writes around it."""
MAILS_PER_HOUR: Final = 30
"""To one address, of all accounts: anyone may have typed it."""
RECORD_TRIES: Final = 30
RECORD_PAUSE_S: Final = 1.0
"""Between two tries to record an attempt while the database cannot be written."""


async def deliver_events(
    services: Services, *, resolver: Resolver | None = None, stop: asyncio.Event | None = None
) -> None:
    """Deliver whatever becomes due, until stopped or cancelled.

    Args:
        services: Of this process.
        resolver: Where addresses come from; ``None`` for DNS.
        stop: Once it is set, nothing more is claimed, and this ends when the attempts under way have: what was
            received and not recorded would be sent again. Cancelled, it ends at once and gives them back.
    """
    ended = asyncio.Event()
    stopped = asyncio.Event() if stop is None else stop
    sending: set[asyncio.Task[None]] = set()

    def note_end(task: asyncio.Task[None]) -> None:
        sending.discard(task)
        ended.set()

    async def note_stop() -> None:
        await stopped.wait()
        ended.set()

    async with asyncio.TaskGroup() as group:
        group.create_task(note_stop(), name="stop-delivering")
        while not stopped.is_set():
            ended.clear()
            claimed = await _claim(services, AT_ONCE - len(sending))
            if stopped.is_set():
                # Claimed in the moment of the stop.
                for each in claimed:
                    await _release(services, each)
                break
            for each in claimed:
                task = group.create_task(_deliver(services, each, resolver), name=f"webhook-{each.webhook.id}")
                sending.add(task)
                task.add_done_callback(note_end)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await ended.wait()


async def _claim(services: Services, count: int) -> tuple[ClaimedWebhook, ...]:
    if count < 1:
        return ()
    database = services.database
    try:
        if not await database.read(lambda tx: has_due(tx, now_ms())):
            return ()
        return await database.write(
            lambda tx: claim_webhooks(tx, worker=services.process, count=count, now_ms=now_ms(), lease_ms=LEASE_MS)
        )
    except Unavailable:
        return ()
    except Exception:
        # The queue must not stand still because of one strange row.
        logger.exception("deliveries_not_claimed")
        return ()


async def _deliver(services: Services, claimed: ClaimedWebhook, resolver: Resolver | None) -> None:
    database = services.database
    try:
        kept = await database.read(lambda tx: load_secret(tx, KEY_NAME))
        key: bytes = await database.write(make_key) if kept is None else kept
        base_url = services.options.base_url
        try:
            prepared = await database.read(lambda tx: prepare(tx, claimed, key=key, base_url=base_url))
            if prepared is None:
                return
            until_ms = await _put_off_until_ms(services, claimed)
            if until_ms is not None:
                await _release(services, claimed, until_ms)
                return
            outcomes = await attempt(claimed, prepared, services.options, now_ms=now_ms(), resolver=resolver)
        except Unavailable:
            raise
        except Exception:
            # Counted as an attempt, so that a delivery that always breaks does not hold up the others for ever.
            logger.exception("delivery_broken", extra={"webhook": claimed.webhook.id})
            outcomes = broken_attempt(claimed, now_ms=now_ms())
        await _record(services, claimed, outcomes)
    except asyncio.CancelledError:
        await _release(services, claimed)
        raise
    except Exception:
        # Tried again when the lease has ended.
        logger.exception("delivery_failed", extra={"webhook": claimed.webhook.id})


async def _put_off_until_ms(services: Services, claimed: ClaimedWebhook) -> int | None:
    """Return when a message may be sent to an address that has had as many as it may get; ``None``: now.

    What happens until then is part of that message.
    """
    webhook = claimed.webhook
    if webhook.kind != "email":
        return None
    standing = await services.limits.take_now(Bucket(("mails", webhook.url.lower()), MAILS_PER_HOUR, HOUR_S))
    if standing.allowed:
        return None
    logger.info("mail_put_off", extra={"webhook": webhook.id})
    return now_ms() + standing.reset_s * 1000


async def _release(services: Services, claimed: ClaimedWebhook, until_ms: int | None = None) -> None:
    with contextlib.suppress(Unavailable):
        await services.database.write(
            lambda tx: release_webhook(tx, claimed, worker=services.process, until_ms=until_ms)
        )


async def _record(services: Services, claimed: ClaimedWebhook, outcomes: tuple[AttemptOutcome, ...]) -> None:
    for tries_left in reversed(range(RECORD_TRIES)):
        try:
            await services.database.write(lambda tx: _write_outcome(tx, services, claimed, outcomes))
        except Unavailable:
            if not tries_left:
                raise
            await asyncio.sleep(RECORD_PAUSE_S)
        else:
            break
    for state, number in Counter(outcome.state for outcome in outcomes).items():
        last = next(outcome for outcome in reversed(outcomes) if outcome.state == state)
        services.observation.deliveries_attempted(
            webhook=claimed.webhook.id,
            kind=claimed.webhook.kind,
            outcome=state,
            error=last.error,
            count=number,
            seconds=last.duration_ms / 1000,
        )


def _write_outcome(
    tx: Transaction, services: Services, claimed: ClaimedWebhook, outcomes: tuple[AttemptOutcome, ...]
) -> None:
    if record_attempt(tx, claimed, outcomes, worker=services.process, now_ms=now_ms()):
        webhook = claimed.webhook
        links = {"webhooks": f"{services.options.base_url}/webhooks/{webhook.id}"}
        data = {"webhook_id": webhook.id, "url": shown_url(webhook), "links": links}
        add_notice(tx, Event("webhook.disabled", webhook.account_id, "", None, None, now_ms(), data))
