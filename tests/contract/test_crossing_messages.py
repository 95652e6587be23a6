"""From a budget that is crossed to the message that arrives: API, run, monitor, outbox and delivery, of each kind."""

from __future__ import annotations

import asyncio
import html
import json
import re
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final

import pytest
from aiosmtpd.controller import Controller
from sqlalchemy import text

from pagegrade.model.webhooks import KINDS
from pagegrade.parse.mail import MailServer
from pagegrade.service.options import MailOptions
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.worker.deliver import deliver_events
from tests.gather.test_mail import Mailbox
from tests.ports import free_port
from tests.report_builders import make_report
from tests.waiting import wait_for
from tests.web.calling import BASE_URL, Instance, with_instance
from tests.webhook_receiver import ADDRESSES, Receiver, check_published, receiving

LOOPBACK: Final = AnalyzeOptions(allow_networks=(ip_network("127.0.0.0/8"),))
HOSTILE: Final = "https://example.com/%3Cimg%20src=x%3E@everyone/*_`[x](http://evil.example)?token=secret"
"""Markup of HTML, Slack, Discord and Markdown, a mention, and a value that is not for others."""
CROSSINGS: Final = ["report.regressed", "report.recovered", "monitor.unreachable"]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for deliveries often."""
    monkeypatch.setattr("pagegrade.worker.deliver.POLL_S", 0.02)


async def monitor_report(instance: Instance) -> None:
    """A report with two monitors: a message is about each crossing of each, and never about another."""
    await instance.create(HOSTILE)
    for budgets in (["score<80"], ["score<85", "score<10"]):
        body = {"report_id": 1, "schedule": "daily", "budgets": budgets}
        made = await instance.call("POST", "/api/v1/monitors", json=body)
        assert made.status_code == 201, made.text


async def end_run(instance: Instance, score: int) -> None:
    """The run that waits ends with this score, and another one waits."""
    await instance.finish(make_report(url=HOSTILE, score=score))
    await instance.call("PUT", "/api/v1/reports/1", data={"results": 1})


async def deliver_all(instance: Instance) -> None:
    """Deliver what waits, as if the time for which messages are gathered had passed."""
    database, stop = instance.services.database, asyncio.Event()
    for statement in (
        "UPDATE deliveries SET due_at_ms = 1 WHERE state = 'waiting'",
        "UPDATE webhooks SET due_at_ms = 1 WHERE due_at_ms IS NOT NULL",
    ):
        database.write_here(lambda tx, statement=statement: tx.execute(text(statement)))  # type: ignore[misc]

    def is_waiting() -> bool:
        waiting = "SELECT 1 FROM deliveries WHERE state = 'waiting' UNION ALL SELECT 1 FROM webhooks WHERE worker <> ''"
        return bool(database.read_here(lambda tx: tx.execute(text(waiting)).all()))

    async with asyncio.TaskGroup() as group:
        group.create_task(deliver_events(instance.services, stop=stop))
        await wait_for(lambda: not is_waiting(), "the end of all deliveries")
        stop.set()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "email"])
def test_crossings_arrive_once_and_inert(tmp_path: Path, kind: str) -> None:
    """Breaches of two monitors, nothing while they last, and that they are kept again; messages come as one."""

    async def script(instance: Instance, receiver: Receiver) -> list[list[Any]]:
        url = f"{receiver.url.removesuffix('/hook')}{ADDRESSES.get(kind, '/hook')}"
        hook = {"url": url, "kind": kind, "events": CROSSINGS}
        made = await instance.call("POST", "/api/v1/webhooks", json=hook)
        assert made.status_code == 201, made.text
        await monitor_report(instance)
        seen: list[list[Any]] = []
        for score in (90, 60, 61, 90):
            await end_run(instance, score)
            await deliver_all(instance)
            seen.append([request.json for request in receiver.received])
            for request in receiver.received if kind in ADDRESSES else ():
                check_published(kind, request)
            receiver.received.clear()
        return seen

    async def run(instance: Instance) -> list[list[Any]]:
        async with receiving() as receiver:
            return await script(instance, receiver)

    at_first, breached, still, kept = with_instance(tmp_path, run, analyze=LOOPBACK)
    sent = json.dumps([breached, kept], ensure_ascii=False)

    assert (at_first, still) == ([], [])

    if kind == "webhook":
        changes = {each["data"]["change"]["score"] for each in breached}

        assert sorted(each["data"]["budgets"][0]["condition"] for each in breached) == ["score<80", "score<85"]
        assert [each["type"] for each in kept] == ["report.recovered"] * 2
        assert changes == {-30}
        return

    assert (len(breached), len(kept)) == (1, 1)
    assert ("example.com: Budget exceeded (2)" in sent) == (kind != "discord"), "Discord shows one embed for each"
    shown = html.unescape(sent) if kind == "telegram" else sent

    assert all(f"{condition}: now 60" in shown for condition in ("score<80", "score<85"))
    assert "Within budget again" in sent
    assert ('"allowed_mentions": {"parse": []}' in sent) == (kind == "discord")
    assert f"{BASE_URL}/reports/1" in sent
    assert "secret" not in sent
    assert "<img" not in sent


@pytest.fixture
def mailbox() -> Iterator[tuple[Mailbox, MailServer]]:
    """A mail server on loopback."""
    box = Mailbox()
    controller = Controller(box, hostname="127.0.0.1", port=free_port())
    controller.start()
    yield box, MailServer(host="127.0.0.1", port=controller.port, is_tls=False)
    controller.stop()


def test_crossings_arrive_by_mail_until_they_are_stopped_with_one_click(
    tmp_path: Path, mailbox: tuple[Mailbox, MailServer]
) -> None:
    """The link of the header is enough, as mail programs use it (RFC 8058)."""
    box, server = mailbox
    options = MailOptions(server=server, sender="pagegrade@example.org", domains=("example.org",))

    async def script(instance: Instance) -> int:
        hook = {"url": "person@example.org", "kind": "email", "events": CROSSINGS}
        made = await instance.call("POST", "/api/v1/webhooks", json=hook)
        assert made.status_code == 201, made.text
        await monitor_report(instance)
        for score in (90, 60):
            await end_run(instance, score)
        await deliver_all(instance)
        (mail,) = box.messages
        link = re.fullmatch(rf"<{re.escape(BASE_URL)}(/unsubscribe/\S+)>", mail["List-Unsubscribe"])
        assert link is not None
        assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        left = await instance.call("POST", link[1], key=None, data={"List-Unsubscribe": "One-Click"})
        await end_run(instance, 90)
        await deliver_all(instance)
        return left.status_code

    status = with_instance(tmp_path, script, mail=options)
    (mail,) = box.messages
    parts = {part.get_content_type(): part.get_content() for part in mail.walk() if not part.is_multipart()}  # type: ignore[attr-defined]

    assert status == 200
    assert mail["Subject"] == "example.com: Budget exceeded (2)"
    assert "score<80: now 60" in parts["text/plain"]
    assert "score&lt;85: now 60" in parts["text/html"]
    assert f'href="{BASE_URL}/reports/1"' in parts["text/html"]
    assert "<img" not in parts["text/html"]
    assert "secret" not in parts["text/plain"] + parts["text/html"]
