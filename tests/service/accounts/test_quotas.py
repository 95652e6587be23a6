"""Quotas: what applies, what is used, and that requests at the same moment do not pass one, on both databases."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.model.account import UNLIMITED, Account, QuotaName, Quotas
from pagegrade.model.errors import InvalidInput, NotFound, QuotaExceeded
from pagegrade.model.monitors import Monitor
from pagegrade.service.accounts.quotas import (
    MAX_AUDITS,
    MB,
    MINUTE_MS,
    find_quotas,
    find_states,
    quotas_of,
    set_quotas,
)
from pagegrade.service.audits.operations import AuditChange, change_audit
from pagegrade.service.monitors.due_runs import queue_due
from pagegrade.service.monitors.operations import MonitorChange, create_monitor
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.batches import find_capacity
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.accounts import count_browser
from pagegrade.store.repositories.crawls import advance_crawl, end_crawl
from tests.audit_builders import OPTIONS as AUDITS
from tests.audit_builders import claim, make_audit
from tests.service.instance import Instance, caller_of
from tests.store_builders import BACKENDS, NOW_MS, Backend, add_owner, make_database, on
from tests.web.calling import REPORTS, with_instance
from tests.web.calling import Instance as Web

MONTH_MS = 31 * 86_400_000


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated one."""
    made = make_database(tmp_path)
    yield made
    made.close()


@pytest.fixture
def instance(database: Database) -> Instance:
    """An empty service with two accounts."""
    return Instance(database, caller_of(add_owner(database)[0]), caller_of(add_owner(database, "Bob")[0]))


def limit(instance: Instance, **quotas: int) -> None:
    """Give Alice quotas."""
    given: dict[QuotaName, int] = quotas  # type: ignore[assignment]
    account = instance.database.write_here(
        lambda tx: set_quotas(tx, instance.alice.account.id, plan=None, quotas=given, plans=())
    )
    instance.alice = caller_of(account)


def device_of(instance: Instance, report_id: int) -> str:
    """The device of the newest run of a report."""
    query = f"SELECT device FROM runs WHERE report_id = {report_id} ORDER BY id DESC"  # noqa: S608
    return str(instance.database.read_here(lambda tx: tx.exec_driver_sql(query).scalar()))


def used(instance: Instance) -> dict[str, int]:
    """Usage of each quota of Alice."""
    account, options = instance.alice.account, instance.options
    states = instance.database.read_here(lambda tx: find_states(tx, account, options, instance.now_ms))
    return {state.name: state.used for state in states}


def test_the_account_comes_before_its_plan_and_that_before_the_installation() -> None:
    """A plan that is gone counts as none; an account without one has the default one."""
    options = ServiceOptions(
        max_reports=5, plans=(("default", {"reports": 50}), ("agency", {"audits": UNLIMITED, "monitors": 7}))
    )
    account = Account(id=1, name="A", email="a@example.org", created_at_ms=NOW_MS, quotas={"monitors": 3})

    assert quotas_of(account, options) == {"reports": 50, "monitors": 3, "audits": MAX_AUDITS}
    assert quotas_of(replace(account, plan="agency"), options) == {"reports": 5, "monitors": 3, "audits": UNLIMITED}
    assert quotas_of(replace(account, plan="gone"), options) == {"reports": 5, "monitors": 3, "audits": MAX_AUDITS}


def test_quotas_are_given_and_taken(instance: Instance) -> None:
    """To an account that there is, and a plan that there is."""
    alice = instance.alice.account
    plans: tuple[tuple[str, Quotas], ...] = (("agency", {}),)
    given = instance.database.write_here(
        lambda tx: set_quotas(tx, alice.id, plan="agency", quotas={"reports": 2}, plans=plans)
    )
    with pytest.raises(InvalidInput, match=r"no plan 'other'\. Plans: agency"):
        instance.database.write_here(lambda tx: set_quotas(tx, alice.id, plan="other", quotas={}, plans=plans))
    with pytest.raises(NotFound):
        instance.database.write_here(lambda tx: set_quotas(tx, 99, plan=None, quotas={}, plans=()))
    with pytest.raises(NotFound):
        instance.database.read_here(lambda tx: find_quotas(tx, instance.alice, instance.options, NOW_MS, account_id=99))

    assert (given.plan, given.quotas) == ("agency", {"reports": 2})


def test_analyses_of_a_month_end_and_begin_again(instance: Instance) -> None:
    """The last one is allowed and one more is not, whatever was deleted meanwhile, until the next month."""
    limit(instance, analyses_per_month=2)
    first = instance.create("https://a.example/").report.id
    instance.finish()
    instance.delete(first)
    second = instance.create("https://b.example/").report.id
    instance.finish()
    with pytest.raises(QuotaExceeded) as new:
        instance.create("https://c.example/")
    with pytest.raises(QuotaExceeded) as again:
        instance.update(second, results=1)
    capacity = instance.database.read_here(
        lambda tx: find_capacity(tx, instance.alice, instance.options, instance.now_ms)
    )
    instance.now_ms += MONTH_MS

    assert (new.value.quota, again.value.quota) == ("analyses_per_month",) * 2
    assert capacity.reports == 0
    assert instance.update(second, results=1).run is not None
    assert used(instance)["analyses_per_month"] == 1


def test_nothing_is_analyzed_where_enough_is_stored(instance: Instance) -> None:
    """With the deletion of a report there is space again."""
    limit(instance, stored_mb=1)
    report = instance.create().report.id
    instance.finish()
    full = "UPDATE accounts SET stored_bytes = :bytes"
    instance.database.write_here(lambda tx: tx.exec_driver_sql(full.replace(":bytes", str(MB - 1))))
    instance.create("https://b.example/")
    instance.database.write_here(lambda tx: tx.exec_driver_sql(full.replace(":bytes", str(MB))))
    with pytest.raises(QuotaExceeded) as refused:
        instance.create("https://c.example/")
    instance.delete(report)

    assert refused.value.quota == "stored_mb"
    assert instance.create("https://c.example/").run is not None


def test_without_time_of_the_browser_pages_are_not_drawn(instance: Instance) -> None:
    """A report that asks for it is refused; of the others the static part is left."""
    limit(instance, browser_minutes_per_month=1)
    instance.options = dataclasses.replace(instance.options, render="always")
    drawn = instance.create("https://a.example/").report.id
    alice = instance.alice.account.id
    instance.database.write_here(lambda tx: count_browser(tx, alice, MINUTE_MS, instance.now_ms))
    plain = instance.create("https://b.example/").report.id
    with pytest.raises(QuotaExceeded) as refused:
        instance.create("https://c.example/", render=1)

    assert refused.value.quota == "browser_minutes_per_month"
    assert (device_of(instance, drawn), device_of(instance, plain)) == ("mobile", "none")


def test_the_time_of_the_browser_is_counted(instance: Instance) -> None:
    """From the start of a run to its end, and of none that is static."""
    instance.options = dataclasses.replace(instance.options, render="always")
    instance.create("https://a.example/")
    instance.finish(after_ms=61_000)
    instance.options = dataclasses.replace(instance.options, render="never")
    instance.create("https://b.example/")
    instance.finish(after_ms=61_000)

    assert used(instance)["browser_minutes_per_month"] == 1


def test_a_monitor_is_silent_where_the_analyses_are_used(instance: Instance) -> None:
    """Its due time is skipped, and the next one is set."""
    limit(instance, analyses_per_month=1, monitors=1)
    report = instance.create().report.id
    instance.finish()

    def monitor() -> Monitor:
        change, options = MonitorChange(schedule="daily"), instance.options
        return instance.database.write_here(
            lambda tx: create_monitor(tx, instance.alice, change, options, instance.now_ms, report_id=report)
        )

    made = monitor()
    with pytest.raises(QuotaExceeded) as refused:
        monitor()
    options, due_ms = instance.options, instance.now_ms + 1_000
    skipped = instance.database.write_here(lambda tx: queue_due(tx, made, options, due_ms))

    assert refused.value.quota == "monitors"
    assert skipped.outcome == "skipped"
    assert used(instance)["analyses_per_month"] == 1


def test_crawls_fetch_what_is_left_of_the_month(instance: Instance) -> None:
    """Pages of an unfinished one are not left for the next; those it did not need are, once it has ended."""
    instance.now_ms = now_ms()
    limit(instance, audit_pages_per_month=12, audits=2)
    first = make_audit(instance.database, instance.alice, max_pages=9)
    second = make_audit(instance.database, instance.alice, url="https://b.example/", max_pages=9)
    with pytest.raises(QuotaExceeded) as full:
        make_audit(instance.database, instance.alice, url="https://c.example/")
    between = used(instance)["audit_pages_per_month"]
    crawl = claim(instance.database)

    assert crawl is not None
    fetched = replace(crawl, fetched=4)
    instance.database.write_here(lambda tx: advance_crawl(tx, fetched, instance.now_ms))
    instance.database.write_here(
        lambda tx: end_crawl(tx, fetched, "completed", reason="done", complete=True, now_ms=instance.now_ms)
    )
    again = instance.database.write_here(
        lambda tx: change_audit(
            tx, instance.alice, first.id, AuditChange(again=True), options=AUDITS, now_ms=instance.now_ms
        )
    )

    assert (first.crawl.settings.max_pages, second.crawl.settings.max_pages) == (9, 3)
    assert (between, full.value.quota) == (12, "audits")
    assert again.crawl.settings.max_pages == 12 - 4 - 3
    assert second.settings.max_pages == 9
    limit(instance, audit_pages_per_month=4)
    with pytest.raises(QuotaExceeded) as none_left:
        instance.database.write_here(
            lambda tx: change_audit(
                tx,
                instance.alice,
                second.id,
                AuditChange(cancel=True, again=True),
                options=AUDITS,
                now_ms=instance.now_ms,
            )
        )

    assert none_left.value.quota == "audit_pages_per_month"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("quotas", "path", "sent"),
    [
        ({"reports": 3}, REPORTS, {"url": "https://{}.example/"}),
        ({"analyses_per_month": 3}, REPORTS, {"url": "https://{}.example/"}),
        ({"audits": 3}, "/api/v1/audits", {"url": "https://{}.example/"}),
        ({"audit_pages_per_month": 30}, "/api/v1/audits", {"url": "https://{}.example/", "max_pages": "10"}),
        ({"monitors": 3}, "/api/v1/monitors", {"report_id": "1"}),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) and "url" not in each else "",
)
def test_requests_at_the_same_moment_do_not_pass_a_quota(
    tmp_path: Path, backend: Backend, quotas: dict[QuotaName, int], path: str, sent: dict[str, str]
) -> None:
    """Three of twelve are done, whatever the order; the others say which quota is used up."""

    async def script(web: Web) -> list[int]:
        if "monitors" in quotas:
            await web.create()
        alice = web.alice.id
        await web.services.database.write(lambda tx: set_quotas(tx, alice, plan=None, quotas=quotas, plans=()))

        async def ask(number: int) -> int:
            fields = {name: value.format(number) for name, value in sent.items()}
            how: dict[str, Any] = (
                {"json": {"report_id": 1, "schedule": "daily"}} if "monitors" in quotas else {"data": fields}
            )
            answer = await web.call("POST", path, **how)
            if answer.status_code == 429:
                assert answer.json()["code"] == "quota_exceeded", answer.text
            return answer.status_code

        return sorted(await asyncio.gather(*(ask(number) for number in range(12))))

    with on(backend):
        statuses = with_instance(tmp_path, script, analyses_per_minute=100)

    assert statuses == [201] * 3 + [429] * 9
