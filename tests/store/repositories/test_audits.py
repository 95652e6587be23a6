"""Audits of accounts: found, filtered, evaluated, and gone with all that belongs to them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from sqlalchemy import func, select, update

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.audit import Audit, AuditFilter, StopReason
from pagegrade.model.monitors import REMIND_MS
from pagegrade.model.stored import ListPart, Privacy
from pagegrade.model.webhooks import EVENT_TYPES
from pagegrade.service.audits.operations import AuditChange, change_audit
from pagegrade.service.monitors.operations import MonitorChange, create_monitor, update_monitor
from pagegrade.service.reports.validation import SharingChange
from pagegrade.service.webhooks.deliveries import make_key, prepare
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.accounts import delete_account, mark_erasing
from pagegrade.store.repositories.audits import (
    announce_end,
    count_audits,
    count_open_crawls,
    delete_audit,
    hold_owner,
    list_audits,
    list_crawls,
    load_audit,
    load_result,
)
from pagegrade.store.repositories.crawls import end_crawl
from pagegrade.store.repositories.monitors import load_monitor
from pagegrade.store.repositories.webhooks import add_webhook, claim_webhooks
from pagegrade.store.schema.tables import deliveries, events, metadata, monitors
from pagegrade.web.schemas.webhook import AuditWebhookPayload
from tests.audit_builders import OPTIONS, claim, fill, make_audit, result_of
from tests.store_builders import NOW_MS, add_owner, make_database

OWN = ("audits", "crawls", "crawl_hosts", "crawl_urls", "crawl_patterns", "crawl_segments")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated one."""
    made = make_database(tmp_path)
    yield made
    made.close()


def rows(database: Database) -> int:
    """Of all tables of audits."""
    tables = [metadata.tables[name] for name in OWN]
    return sum(
        database.read_here(lambda tx, table=table: tx.execute(select(func.count()).select_from(table)).scalar_one())  # type: ignore[misc]
        for table in tables
    )


def watched(database: Database, caller: Caller, *budgets: str) -> tuple[Audit, int]:
    """An audit with a monitor, and the id of that."""
    audit = make_audit(database, caller)
    hook: dict[str, Any] = {"kind": "webhook", "url": "https://hook.example/", "events": EVENT_TYPES}
    account_id = caller.account.id
    database.write_here(partial(add_webhook, account_id=account_id, **hook, project="", now_ms=NOW_MS))
    change = MonitorChange(budgets=budgets)
    made = database.write_here(lambda tx: create_monitor(tx, caller, change, OPTIONS, now_ms(), audit_id=audit.id))
    return audit, made.id


def again(database: Database, caller: Caller, audit: Audit) -> None:
    """Crawl a site again."""
    change = AuditChange(again=True)
    database.write_here(lambda tx: change_audit(tx, caller, audit.id, change, options=OPTIONS, now_ms=now_ms()))


def test_budgets_of_an_audit_are_evaluated_on_each_crawl(database: Database) -> None:
    """The event of a monitor takes the place of the one for any change to the worse."""
    alice = Caller(account=add_owner(database)[0])
    budgets = ("score<80", "score drop>=10", "pages drop>=50%", "check.thin-content", "check.duplicate-title")
    audit, monitor_id = watched(database, alice, *budgets)
    good = replace(result_of("https://example.com/"), passed=("thin-content",))
    bad = replace(good, score=70, read=1)
    states = []
    for result in (good, good, bad, bad, good):
        fill(database, claim(database), result)
        monitor = database.read_here(partial(load_monitor, account_id=alice.account.id, monitor_id=monitor_id))
        states.append([one.state for one in monitor.budgets] if monitor else [])
        again(database, alice, audit)
    rows = database.read_here(lambda tx: tx.execute(select(events).order_by(events.c.id)).all())
    told = [
        (row.type, row.monitor_id, [one["condition"] for one in msgspec.json.decode(row.data).get("budgets", ())])
        for row in rows
        if row.type != "audit.completed"
    ]

    assert states[0] == ["ok", "unknown", "unknown", "ok", "breached"]
    assert states[1] == ["ok", "ok", "ok", "ok", "breached"]
    assert states[2:4] == [["breached", "breached", "breached", "ok", "breached"]] * 2
    assert states[4] == ["ok", "ok", "ok", "ok", "breached"]
    assert told == [
        ("audit.regressed", monitor_id, ["check.duplicate-title"]),
        ("audit.regressed", monitor_id, list(budgets[:3])),
        ("audit.recovered", monitor_id, list(budgets[:3])),
    ]


def test_a_site_that_stays_bad_is_said_again(database: Database) -> None:
    """With the crawl that shows it a week later, and with its audit."""
    alice = Caller(account=add_owner(database)[0])
    audit, monitor_id = watched(database, alice, "score<80")
    change = MonitorChange(remind="weekly")
    database.write_here(partial(update_monitor, caller=alice, monitor_id=monitor_id, change=change, now_ms=now_ms()))
    bad = replace(result_of("https://example.com/"), score=70)
    week_ago = now_ms() - REMIND_MS["weekly"]
    for told_at_ms in (None, week_ago + 3_600_000, week_ago):
        if told_at_ms is not None:
            again(database, alice, audit)
            database.write_here(lambda tx: tx.execute(update(monitors).values(told_at_ms=told_at_ms)))  # noqa: B023 - now
        fill(database, claim(database), bad)
    rows = database.read_here(lambda tx: tx.execute(select(events).order_by(events.c.id)).all())
    told = [(row.type, row.audit_id) for row in rows if row.monitor_id == monitor_id]

    assert told == [("audit.regressed", audit.id), ("monitor.reminder", audit.id)]
    assert msgspec.json.decode(rows[-1].data if rows[-1].monitor_id else rows[-2].data)["still"] == "breached"


def test_a_site_that_fails_twice_is_unreachable_for_its_monitor(database: Database) -> None:
    """Once, until it is reached again; our own failures say nothing."""
    alice = Caller(account=add_owner(database)[0])
    audit, monitor_id = watched(database, alice)

    def fail(reason: StopReason | None) -> None:
        crawl = claim(database)
        assert crawl is not None

        def end(tx: Transaction) -> None:
            hold_owner(tx, crawl)
            announce_end(tx, end_crawl(tx, crawl, "failed", reason=reason, complete=False, now_ms=now_ms()))

        database.write_here(end)
        again(database, alice, audit)

    for reason in ("start_unreachable", None, "start_unreachable", "robots_unreachable"):
        fail(reason)
    fill(database, claim(database))
    rows = database.read_here(lambda tx: tx.execute(select(events).order_by(events.c.id)).all())

    assert [(row.type, row.monitor_id) for row in rows] == [
        *[("audit.failed", None)] * 2,
        ("monitor.unreachable", monitor_id),
        *[("audit.failed", None)] * 2,
        ("audit.recovered", monitor_id),
        ("audit.completed", None),
    ]


def test_an_audit_has_its_newest_crawl_and_the_result_of_the_last_evaluated(database: Database) -> None:
    """And is another account's in no list."""
    alice, bob = (Caller(account=add_owner(database, name)[0]) for name in ("Alice", "Bob"))
    made = make_audit(database, alice, "https://example.com/", exclude=("/private/",))
    make_audit(database, alice, "https://example.org/shop/")
    crawl = claim(database)

    assert crawl is not None
    fill(database, crawl)
    mine = alice.account.id
    audit = database.read_here(lambda tx: load_audit(tx, mine, made.id))

    assert audit is not None
    assert audit.summary is not None
    found = {
        name: [
            one.id
            for one in database.read_here(partial(list_audits, account_id=mine, which=which, part=ListPart(per_page=9)))
        ]
        for name, which in {
            "all": AuditFilter(),
            "project": AuditFilter(project="example.org"),
            "state": AuditFilter(state="completed"),
            "rating": AuditFilter(rating="good"),
            "search": AuditFilter(search="SHOP"),
            "none": AuditFilter(search="%"),
        }.items()
    }
    beside = database.read_here(lambda tx: list_audits(tx, mine, AuditFilter(), ListPart(per_page=5, beside=2)))
    counts = database.read_here(lambda tx: (count_audits(tx, mine, AuditFilter()), count_open_crawls(tx, mine)))
    crawls = database.read_here(lambda tx: list_crawls(tx, made.id))
    result = database.read_here(lambda tx: load_result(tx, crawl.id))

    assert audit.settings.exclude == ("/private/",)
    assert (audit.crawl.state, audit.crawl.stop_reason, audit.crawl.complete) == ("completed", "done", True)
    assert (audit.graded, audit.summary.score, audit.summary.severities) == (1, 95, {"high": 1})
    assert found == {"all": [2, 1], "project": [2], "state": [1], "rating": [1], "search": [2], "none": []}
    assert ([one.id for one in beside], counts) == ([1], (2, 1))
    assert crawls == [(audit.crawl, audit.summary)]
    assert result == result_of("https://example.com/")
    assert database.read_here(lambda tx: load_audit(tx, bob.account.id, made.id)) is None


def test_the_end_of_a_crawl_is_announced(database: Database) -> None:
    """To webhooks that want it; once more where the site is worse than before."""
    alice = Caller(account=add_owner(database)[0])
    made = make_audit(database, alice)
    hook: dict[str, Any] = {"kind": "webhook", "url": "https://hook.example/", "events": EVENT_TYPES}
    for project in ("example.com", "example.org"):
        made_hook = partial(add_webhook, account_id=alice.account.id, **hook, project=project, now_ms=NOW_MS)
        database.write_here(made_hook)
    once_more = AuditChange(again=True)
    now: dict[str, Any] = {"options": OPTIONS, "now_ms": NOW_MS}
    first = result_of("https://example.com/")
    (finding,) = first.findings
    second = replace(finding, number=2, check="thin-content", fingerprint="fedcba9876543210")
    for result in (first, replace(first, findings=(finding, second)), replace(first, score=99)):
        fill(database, claim(database), result)
        database.write_here(partial(change_audit, caller=alice, audit_id=made.id, change=once_more, **now))
    query = select(events, deliveries.c.webhook_id).join(deliveries).order_by(events.c.id)
    sent = database.read_here(lambda tx: tx.execute(query).all())
    key = database.write_here(make_key)
    (claimed,) = database.write_here(
        lambda tx: claim_webhooks(tx, worker="w", count=1, now_ms=now_ms() + 60_000, lease_ms=1)
    )
    sharing = AuditChange(sharing=SharingChange(privacy=Privacy.PUBLIC))
    shared = database.write_here(partial(change_audit, caller=alice, audit_id=made.id, change=sharing, **now))
    prepared = database.read_here(lambda tx: prepare(tx, claimed, key=key, base_url="https://r.example"))
    payload = None if prepared is None else prepared.payloads[0]
    delivered = msgspec.json.decode(msgspec.json.encode(payload), type=AuditWebhookPayload).data
    bodies = [msgspec.json.decode(row.data) for row in sent]
    database.write_here(lambda tx: delete_audit(tx, made.id))
    left = database.read_here(lambda tx: tx.execute(select(events)).all())

    assert [(row.type, row.webhook_id, row.audit_id, row.report_id) for row in sent] == [
        (type_, 1, made.id, None)
        for type_ in ("audit.completed", "audit.completed", "audit.regressed", "audit.completed")
    ]
    assert [(body["change"] or {}).get("score") for body in bodies] == [None, 0, 0, 4]
    assert (bodies[2]["change"]["since"], bodies[2]["change"]["new"]) == (1, 1)
    assert delivered.audit.share_url == f"https://r.example/a/{shared.slug}"
    assert (delivered.audit.result, delivered.links.audit) == ("good", f"https://r.example/audits/{made.id}")
    assert left == []


@pytest.mark.parametrize("whole", [False, True])
def test_nothing_of_a_deleted_audit_is_left(database: Database, whole: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """Nor of that of a deleted account; others keep theirs."""
    alice, bob = (Caller(account=add_owner(database, name)[0]) for name in ("Alice", "Bob"))
    made = make_audit(database, alice)
    crawl = claim(database)

    assert crawl is not None
    fill(database, crawl)
    filled = rows(database)
    make_audit(database, bob)
    if whole:
        database.write_here(lambda tx: mark_erasing(tx, alice.account.id, NOW_MS))
        database.write_here(lambda tx: delete_account(tx, alice.account.id))
    else:
        database.write_here(lambda tx: delete_audit(tx, made.id))

    assert filled == 8
    assert rows(database) == 2
