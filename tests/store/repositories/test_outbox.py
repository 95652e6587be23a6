from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pagegrade.model.webhooks import MAX_PAYLOAD_BYTES, Event
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.outbox import DIGEST_MS, RESERVED_BYTES, add_event, encode_data
from pagegrade.store.repositories.reports import delete_report
from pagegrade.store.repositories.webhooks import add_webhook, disable_webhook
from tests.queue_builders import Queue, completed, failed
from tests.store_builders import NOW_MS, add_owner, make_database

EVENTS = "SELECT type, run_number, data, public_id FROM events ORDER BY id"
DELIVERIES = "SELECT webhook_id, state, due_at_ms FROM deliveries ORDER BY id"


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """A queue of an account without webhooks."""
    database = make_database(tmp_path)
    add_owner(database, "Bob")
    made = Queue(database, add_owner(database)[0].id)
    yield made
    database.close()


def hook(queue: Queue, *types: Any, kind: Any = "webhook", project: str = "", account_id: int | None = None) -> int:
    """A webhook; its id."""

    def work(tx: Transaction) -> int:
        owner = queue.account_id if account_id is None else account_id
        made = add_webhook(
            tx, owner, kind=kind, url="https://hook.example/", events=types, project=project, now_ms=NOW_MS
        )
        return made.id

    return queue.write(work)


def run(queue: Queue, url: str = "https://example.com/", **outcome: Any) -> int:
    """A report whose run has ended; its id."""
    made = queue.add(url)
    (claimed,) = queue.claim()
    queue.finish(claimed, **outcome)
    return made.report_id


def test_a_run_that_ends_is_written_for_each_webhook_that_wants_it(queue: Queue) -> None:
    """With the report and the run; not for other types, projects and accounts."""
    first = hook(queue, "report.completed", "report.failed")
    second = hook(queue, "report.completed", project="example.com")
    hook(queue, "report.failed")
    hook(queue, "report.completed", project="example.org")
    hook(queue, "report.completed", account_id=1)

    report_id = run(queue)

    ((kind, number, data, public_id),) = queue.rows(EVENTS)
    found = msgspec.json.decode(bytes(data))

    assert (kind, number) == ("report.completed", 1)
    assert public_id.startswith("msg_")
    assert found["report"] == {
        "id": report_id,
        "url": "https://example.com/",
        "project": "example.com",
        "score": 81,
        "result": "decent",
    }
    assert found["run"]["number"] == 1
    assert found["change"] == {"score": None}
    assert [row[:2] for row in queue.rows(DELIVERIES)] == [(first, "waiting"), (second, "waiting")]


def test_nothing_is_written_where_no_webhook_wants_it(queue: Queue) -> None:
    """Neither without webhooks, nor for one that is disabled or wants other types."""
    run(queue)
    off = hook(queue, "report.completed")
    queue.write(lambda tx: disable_webhook(tx, off, "by_owner", NOW_MS))
    hook(queue, "report.regressed")
    run(queue, "https://example.com/2")

    assert (queue.rows(EVENTS), queue.rows(DELIVERIES)) == ([], [])


def test_a_failed_run_says_why_and_a_second_run_what_changed(queue: Queue) -> None:
    """The score is that of the run, and the change is from the run before that succeeded."""
    hook(queue, "report.completed", "report.failed")
    report_id = run(queue, packed=completed(81))
    for outcome in (failed("dns"), completed(77)):
        queue.again(report_id)
        (claimed,) = queue.claim()
        queue.finish(claimed, outcome)

    rows = queue.rows(EVENTS)
    _, fails, worse = (msgspec.json.decode(bytes(row[2])) for row in rows)

    assert [row[:2] for row in rows] == [("report.completed", 1), ("report.failed", 2), ("report.completed", 3)]
    assert (fails["report"]["score"], fails["error"]["code"]) == (None, "dns")
    assert worse["change"] == {"score": -4, "since": 1}
    assert len({row[3] for row in rows}) == 3


def test_messages_wait_for_a_digest(queue: Queue) -> None:
    """A webhook is sent to at once; its row says when the first delivery is due."""
    at_once, later = hook(queue, "report.completed"), hook(queue, "report.completed", kind="slack")
    run(queue)

    expected = [(at_once, NOW_MS), (later, NOW_MS + DIGEST_MS)]

    assert [(row[0], row[2]) for row in queue.rows(DELIVERIES)] == expected
    assert queue.rows("SELECT id, due_at_ms FROM webhooks ORDER BY id") == expected


def test_an_event_of_a_monitor_carries_its_own_members(queue: Queue) -> None:
    """Beside those of the report and its newest run."""
    hook(queue, "report.regressed")
    report_id = run(queue)
    budget = {"condition": "score<80", "value": 70, "limit": 80}
    data = {"monitor_id": 7, "budgets": [budget]}
    event = Event("report.regressed", queue.account_id, "example.com", 7, report_id, NOW_MS, data)

    assert queue.write(lambda tx: add_event(tx, event))
    ((_, _, stored, _),) = queue.rows(EVENTS)
    found = msgspec.json.decode(bytes(stored))

    assert (found["monitor_id"], found["budgets"], found["report"]["id"]) == (7, [budget], report_id)


def test_an_event_goes_with_its_report(queue: Queue) -> None:
    """And its deliveries with it."""
    hook(queue, "report.completed")
    report_id = run(queue)

    queue.write(lambda tx: delete_report(tx, queue.account_id, report_id))

    assert (queue.rows(EVENTS), queue.rows(DELIVERIES)) == ([], [])


def test_data_are_cut_to_the_limit() -> None:
    """Whole at the limit; one byte more cuts the longest list, and without lists the largest member goes."""
    limit = MAX_PAYLOAD_BYTES - RESERVED_BYTES
    frame = len(msgspec.json.encode({"budgets": [1], "text": ""}))
    text = "x" * (limit - frame)
    whole = {"budgets": [1], "text": text}

    assert msgspec.json.decode(encode_data(whole)) == whole
    assert msgspec.json.decode(encode_data({**whole, "text": text + "x"})) == {
        "budgets": [1],
        "truncated": True,
    }
    many = encode_data({"budgets": ["b" * 100] * 1_000})

    assert len(many) <= limit
    assert msgspec.json.decode(many)["truncated"] is True
