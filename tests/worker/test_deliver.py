from __future__ import annotations

import asyncio
import contextlib
import copy
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from pagegrade.model.stored import ListPart
from pagegrade.model.webhooks import StoredWebhook
from pagegrade.parse.mail import MailServer
from pagegrade.service.container import Services
from pagegrade.service.options import MailOptions, ServiceOptions
from pagegrade.service.rate_limit import MemoryBuckets
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.service.webhooks.deliveries import make_key, secret_of
from pagegrade.store.repositories.webhooks import add_webhook, find_webhook, list_deliveries, rotate_secret, send_again
from pagegrade.worker import deliver
from pagegrade.worker.deliver import deliver_events
from tests.database_clock import move
from tests.gather.scripted import Names
from tests.gather.test_mail import Mailbox
from tests.ports import free_port
from tests.queue_builders import Queue, completed
from tests.store_builders import BACKENDS, add_owner, make_database
from tests.waiting import wait_for
from tests.webhook_receiver import OK, Receiver, answer, receiving

NOW = 1_900_000_000_000
LOOPBACK = AnalyzeOptions(allow_networks=(ip_network("127.0.0.0/8"),))
pytestmark = pytest.mark.parametrize("backend", BACKENDS, indirect=True)


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """Of a process that may reach loopback."""
    monkeypatch.setattr(deliver, "POLL_S", 0.02)
    options = ServiceOptions(analyze=LOOPBACK, base_url="https://reports.example.org")
    made = Services(database=make_database(tmp_path), options=options)
    yield made
    made.database.close()


@pytest.fixture
def queue(services: Services) -> Queue:
    """Alice's queue."""
    return Queue(services.database, add_owner(services.database, "Alice")[0].id)


def hook(queue: Queue, url: str, *events: Any, **more: Any) -> StoredWebhook:
    """A webhook of Alice."""
    values: dict[str, Any] = {"kind": "webhook", "project": "", **more}
    return queue.database.write_here(
        lambda tx: add_webhook(
            tx, queue.account_id, url=url, events=events or ("report.completed",), now_ms=NOW, **values
        )
    )


def finish(queue: Queue, **outcome: Any) -> int:
    """End the run of a new report; its id.

    That was long ago, so that what it reports is due: deliveries go by the clock of the day, in a shared database too.
    """
    made = queue.add()
    (run,) = queue.claim()
    queue.finish(run, **outcome)
    move(queue.database, 0)
    return made.report_id


def verify(services: Services, webhook: StoredWebhook, receiver: Receiver, salt: bytes | None = None) -> None:
    """Verify the last request as a receiver does."""
    secret = secret_of(services.database.write_here(make_key), salt or webhook.secret_salt)
    last = receiver.received[-1]
    Webhook(secret).verify(last.body, last.headers)


@contextlib.asynccontextmanager
async def delivering(services: Services, resolver: Names | None = None) -> AsyncIterator[None]:
    """Deliver for the length of a block."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(deliver_events(services, resolver=resolver))
        yield
        task.cancel()


async def delivered(services: Services, receiver: Receiver, count: int = 1, resolver: Names | None = None) -> None:
    """Deliver until the receiver has so many requests, and everything that was sent is recorded."""
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(deliver_events(services, resolver=resolver, stop=stop))
        await wait_for(lambda: len(receiver.received) >= count and not is_sending(services))
        # Not cancelled: a claim that is under way in a thread would take what the test makes due next.
        stop.set()


def is_sending(services: Services) -> bool:
    """Return whether a process holds a webhook."""
    held = "SELECT 1 FROM webhooks WHERE worker IS NOT NULL"
    return bool(services.database.read_here(lambda tx: tx.exec_driver_sql(held).all()))


def counted(services: Services, kind: str, outcome: str) -> float | None:
    """The metric of such attempts."""
    labels = {"kind": kind, "outcome": outcome}
    return services.observation.registry.get_sample_value("pagegrade_deliveries_total", labels)


def log(queue: Queue, webhook: StoredWebhook) -> list[tuple[Any, ...]]:
    """State, attempts, status and error of the deliveries."""
    found = queue.database.read_here(lambda tx: list_deliveries(tx, webhook.id, ListPart(per_page=100)))
    return [(each.state, each.attempts, each.http_status, each.error) for each in found]


def test_an_event_arrives_signed(services: Services, queue: Queue) -> None:
    """With type, time, report, run, change and links; receivers verify it, and only with the right secret."""

    async def script() -> None:
        async with receiving() as receiver:
            webhook = hook(queue, receiver.url)
            report_id = finish(queue)
            await delivered(services, receiver)
            verify(services, webhook, receiver)
            (request,) = receiver.received
            payload = request.json

            assert request.line == "POST /hook HTTP/1.1"
            assert request.headers["content-type"] == "application/json"
            assert len(request.body) < 20_000
            assert (payload["type"], payload["data"]["report"]["id"]) == ("report.completed", report_id)
            assert payload["data"]["report"]["share_url"].startswith("https://reports.example.org/r/")
            assert payload["data"]["links"] == {"report": f"https://reports.example.org/reports/{report_id}"}
            assert payload["data"]["change"] == {"score": None, "new": None, "fixed": None}
            assert log(queue, webhook) == [("delivered", 1, 204, None)]
            assert counted(services, "webhook", "delivered") == 1
            with pytest.raises(WebhookVerificationError):
                verify(services, webhook, receiver, b"x" * 32)

    asyncio.run(script())


def test_after_a_rotation_either_secret_verifies(services: Services, queue: Queue) -> None:
    """So that receivers can change over."""

    async def script() -> None:
        async with receiving() as receiver:
            webhook = hook(queue, receiver.url)
            rotated = queue.database.write_here(lambda tx: rotate_secret(tx, webhook, 4_000_000_000_000))
            finish(queue)
            await delivered(services, receiver)
            verify(services, rotated, receiver)
            verify(services, rotated, receiver, webhook.secret_salt)

            assert rotated.secret_salt != webhook.secret_salt

    asyncio.run(script())


@pytest.mark.parametrize(
    ("reply", "state", "error"),
    [
        (answer(500, b"<script>boom</script>"), "waiting", "http_status"),
        (answer(302, b"", "Location: http://169.254.169.254/"), "waiting", "redirect"),
        (answer(410), "failed", "gone"),
        (b"nonsense\r\n\r\n", "waiting", "protocol"),
    ],
)
def test_a_failed_attempt_is_recorded(services: Services, queue: Queue, reply: bytes, state: str, error: str) -> None:
    """With its answer; redirects are not followed, and 410 disables the webhook."""

    async def script() -> None:
        async with receiving(reply) as receiver:
            webhook = hook(queue, receiver.url)
            finish(queue)
            await delivered(services, receiver)
            found = queue.database.read_here(lambda tx: find_webhook(tx, webhook.id))
            assert found is not None

            assert [(each[0], each[3]) for each in log(queue, webhook)] == [(state, error)]
            assert counted(services, "webhook", "failed" if state == "failed" else "retry") == 1
            assert len(receiver.received) == 1
            assert found.disabled_reason == ("gone" if error == "gone" else None)
            assert (found.failures, found.failing_since_ms is not None) == (1, True)

    asyncio.run(script())


def test_a_delivery_is_sent_again_with_the_same_id(services: Services, queue: Queue) -> None:
    """Also one that succeeded."""

    async def script() -> None:
        async with receiving(answer(503), OK) as receiver:
            webhook = hook(queue, receiver.url)
            finish(queue)
            await delivered(services, receiver)
            for count in (2, 3):
                queue.database.write_here(lambda tx: send_again(tx, webhook.id, 1, 1))
                await delivered(services, receiver, count)

            assert len({each.headers["webhook-id"] for each in receiver.received}) == 1
            assert log(queue, webhook) == [("delivered", 1, 204, None)]

    asyncio.run(script())


def test_a_name_that_leads_inside_at_the_second_attempt_is_not_contacted(services: Services, queue: Queue) -> None:
    """Every attempt resolves and checks anew; the refusal names no address."""
    only = replace(LOOPBACK, allow_networks=(ip_network("127.0.0.1/32"),))
    services.options = replace(services.options, analyze=only)

    async def script() -> None:
        async with receiving(answer(500), OK) as receiver:
            webhook = hook(queue, f"http://rebinding.example:{receiver.port}/")
            finish(queue)
            await delivered(services, receiver, resolver=Names({"rebinding.example": ("127.0.0.1",)}))
            queue.database.write_here(lambda tx: send_again(tx, webhook.id, 1, 1))
            async with delivering(services, Names({"rebinding.example": ("127.0.0.2",)})):
                await wait_for(lambda: log(queue, webhook)[0][3] == "address_not_allowed")

            assert len(receiver.received) == 1
            assert log(queue, webhook) == [("waiting", 1, None, "address_not_allowed")]

    asyncio.run(script())


def test_an_endless_answer_is_cut(services: Services, queue: Queue) -> None:
    """At 4 kB, which the log keeps."""

    async def script() -> None:
        async with receiving(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 1_000_000) as receiver:
            webhook = hook(queue, receiver.url)
            finish(queue)
            await delivered(services, receiver)
            (found,) = queue.database.read_here(lambda tx: list_deliveries(tx, webhook.id, ListPart(per_page=1)))

            assert (found.state, len(found.answer or b"")) == ("delivered", 4_096)

    asyncio.run(script())


def test_a_silent_receiver_delays_no_other(services: Services, queue: Queue) -> None:
    """Neither another account, nor another webhook of the same."""

    async def script() -> None:
        async with receiving(None) as silent, receiving() as receiver:
            for _ in range(5):
                hook(queue, silent.url)
            hook(queue, receiver.url, "report.failed")
            bob = copy.copy(queue)
            bob.account_id = add_owner(queue.database, "Bob")[0].id
            hook(bob, receiver.url)
            finish(queue)
            async with delivering(services):
                await wait_for(lambda: len(silent.received) >= 2)
                finish(bob, packed=completed())
                await wait_for(lambda: len(receiver.received) == 1)

            # Two of one account at a time; what was cancelled is free again.
            assert silent.most_at_once == 2
            assert not is_sending(services)

    asyncio.run(script())


def test_what_was_sent_and_not_recorded_is_sent_again(services: Services, queue: Queue) -> None:
    """As after a kill between the two: another process takes over when the lease has ended, with the same id."""

    async def script() -> None:
        async with receiving() as receiver:
            webhook = hook(queue, receiver.url)
            finish(queue)
            await delivered(services, receiver)
            queue.change("UPDATE deliveries SET state = 'waiting', attempts = 0, due_at_ms = 1, http_status = NULL")
            queue.change("UPDATE webhooks SET worker = 'killed', lease_until_ms = 1, due_at_ms = 1")
            await delivered(services, receiver, 2)

            first, second = receiver.received
            assert first.headers["webhook-id"] == second.headers["webhook-id"]
            assert log(queue, webhook) == [("delivered", 1, 204, None)]

    asyncio.run(script())


def test_stopping_waits_for_what_is_under_way(services: Services, queue: Queue) -> None:
    """It is recorded, and so not sent twice; nothing more is begun."""

    async def script() -> None:
        async with receiving() as receiver:
            receiver.gate = asyncio.Event()
            webhook = hook(queue, receiver.url)
            finish(queue)
            finish(queue)
            stop = asyncio.Event()
            async with asyncio.TaskGroup() as group:
                group.create_task(deliver_events(services, stop=stop))
                await wait_for(lambda: len(receiver.received) == 1)
                stop.set()
                receiver.gate.set()

            assert len(receiver.received) == 1
            assert not is_sending(services)
            assert sorted(each[0] for each in log(queue, webhook)) == ["delivered", "waiting"]

    asyncio.run(script())


def test_a_delivery_that_always_breaks_holds_up_no_other(services: Services, queue: Queue) -> None:
    """An error of our own is an attempt like any other: counted, put off, and given up in the end."""

    async def script() -> None:
        async with receiving() as receiver:
            webhook = hook(queue, receiver.url)
            finish(queue)
            queue.change("UPDATE events SET data = substr(data, 1, 5)")
            async with delivering(services):
                await wait_for(lambda: log(queue, webhook)[0][1] == 1)
            queue.change("UPDATE webhooks SET lease_until_ms = NULL")
            finish(queue)
            await delivered(services, receiver)

            assert sorted(log(queue, webhook)) == [("delivered", 1, 204, None), ("waiting", 1, None, "internal")]

    asyncio.run(script())


def test_an_answer_with_an_impossible_date_is_recorded(services: Services, queue: Queue) -> None:
    """A receiver cannot have the same delivery sent for ever by it."""

    async def script() -> None:
        late = "Retry-After: Mon, 01 Jan 99999999999999 00:00:00 GMT"
        async with receiving(answer(503, b"", late)) as receiver:
            webhook = hook(queue, receiver.url)
            finish(queue)
            await delivered(services, receiver)

            assert log(queue, webhook) == [("waiting", 1, 503, "http_status")]

    asyncio.run(script())


def test_an_address_gets_so_many_messages_an_hour(
    services: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all webhooks and accounts; what is put off costs no attempt, and is part of the next message."""
    monkeypatch.setattr(deliver, "MAILS_PER_HOUR", 1)
    box, port = Mailbox(), free_port()
    controller = Controller(box, hostname="127.0.0.1", port=port)
    controller.start()
    server = MailServer(host="127.0.0.1", port=port, is_tls=False)
    mail = MailOptions(server=server, sender="reports@example.org", domains=("example.org",))
    services.options = replace(services.options, mail=mail)
    webhook = hook(queue, "mailto:bob@example.org", kind="email")

    async def scene() -> tuple[int, list[int]]:
        async with delivering(services):
            finish(queue)
            await wait_for(lambda: len(box.messages) == 1)
            await wait_for(lambda: log(queue, webhook)[0][0] == "delivered")
            finish(queue)
            finish(queue)
            put_off = "SELECT COUNT(*) FROM webhooks WHERE worker IS NULL AND lease_until_ms IS NOT NULL"
            await wait_for(lambda: queue.rows(put_off) == [(1,)])
            waiting = [attempts for _, attempts, _, _ in log(queue, webhook)]
            sent = len(box.messages)
            services.limits = MemoryBuckets()  # an hour later
            queue.database.write_here(lambda tx: tx.exec_driver_sql("UPDATE webhooks SET lease_until_ms = NULL"))
            await wait_for(lambda: all(each[0] == "delivered" for each in log(queue, webhook)))
        return sent, waiting

    try:
        sent, waiting = asyncio.run(scene())
    finally:
        controller.stop()

    assert sent == 1
    assert sorted(waiting) == [0, 0, 1]
    assert len(box.messages) == 2
