from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import inspect, text, update

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.model.outcome import Evidence
from pagegrade.model.stored import PackedPicture
from pagegrade.model.webhooks import EVENT_TYPES
from pagegrade.report.codec import pack_report, unpack_detail
from pagegrade.service import administration as service
from pagegrade.service.accounts.operations import LAST_ADMIN, create_account, set_admin
from pagegrade.service.administration import begin_erasure, erase_part, finish_erasure
from pagegrade.service.container import Services
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.accounts import list_accounts, list_erasing, load_account
from pagegrade.store.repositories.webhooks import add_webhook
from pagegrade.store.schema.tables import deliveries
from tests.queue_builders import Queue
from tests.report_builders import make_report, make_result
from tests.service.instance import caller_of
from tests.store_builders import BACKENDS, NOW_MS, add_key, add_owner, make_database, make_file
from tests.web.calling import REPORTS, Instance, with_instance

NEEDLE = "needle"
BATCHES = "/api/v1/batches"
HOST = f"{NEEDLE}-host.example"
URL = f"https://{HOST}/{NEEDLE}-path?{NEEDLE}=1"
PASSWORD = "correct horse"
ZSTD = b"\x28\xb5\x2f\xfd"
"""The first bytes of a frame (RFC 8878)."""
BOTH = pytest.mark.parametrize("backend", BACKENDS, indirect=True)


def traces(database: Database) -> list[str]:
    """Every table with something of the needle in it, packed or not; those of the queue and of the index included."""

    def work(tx: Transaction) -> list[str]:
        tables = inspect(tx).get_table_names()
        return [name for name in tables if _holds(tx.execute(text(f'SELECT * FROM "{name}"')).all())]  # noqa: S608

    return database.read_here(work)


def _holds(rows: Any) -> bool:
    return any(NEEDLE.encode() in _plain(value) for row in rows for value in row)


def _plain(value: object) -> bytes:
    if not isinstance(value, bytes | memoryview):
        return str(value).encode("utf-8", "surrogatepass").lower()
    raw = bytes(value)
    return raw + unpack_detail(raw) if raw.startswith(ZSTD) else raw


async def fill(instance: Instance) -> int:
    """Reports of a page in every state: finished twice, with a password, followed by another, under way, waiting."""
    headers = {"Idempotency-Key": URL}
    await instance.services.database.write(lambda tx: _add_receiver(tx, instance.alice.id))
    answer = await instance.call("POST", REPORTS, data={"url": URL}, headers=headers)
    number: int = answer.json()["data"]["id"]
    results = (make_result(value=f"{NEEDLE} title", evidence=(Evidence(snippet=f"<title>{NEEDLE}"),)),)
    found = make_report(url=URL, project=HOST, results=results)
    await instance.finish(found)
    await instance.call("PUT", f"{REPORTS}/{number}", data={"results": "1"}, headers=headers)
    picture = PackedPicture(name="social", body=b"GIF89a" + NEEDLE.encode())
    await instance.finish(replace(pack_report(found), pictures=(picture,)))
    await instance.call("PUT", f"{REPORTS}/{number}", data={"privacy": "2", "password": NEEDLE})
    await instance.services.database.write(_answer_deliveries)
    return number


async def fill_monitoring(instance: Instance) -> int:
    """A report of the page with a monitor that crossed its budget, rules, and receivers limited to the host."""
    number = await fill(instance)
    for path, body in (
        ("monitors", {"report_id": number, "schedule": "daily", "budgets": ["score<=100"]}),
        ("ignores", {"check": "title", "reason": f"A {NEEDLE}.", "report_id": number}),
        ("ignores", {"check": "title", "reason": f"A {NEEDLE}.", "project": HOST}),
        ("webhooks", {"url": f"https://hook.example/{NEEDLE}", "project": HOST}),
        ("webhooks", {"url": f"https://hook.example/{NEEDLE}", "project": HOST, "kind": "slack"}),
    ):
        made = await instance.call("POST", f"/api/v1/{path}", json=body)
        assert made.status_code == 201, made.text
    await instance.call("PUT", f"{REPORTS}/{number}", data={"results": "1"})
    await instance.finish(make_report(url=URL, project=HOST))
    return number


MONITORING = ("monitors", "monitor_crossings", "webhooks", "events", "deliveries", "ignores")


def rows_of(database: Database, account_id: int) -> dict[str, int]:
    """Number of rows of an account in each table that names accounts, and of all deliveries."""

    def work(tx: Transaction) -> dict[str, int]:
        tables = inspect(tx)
        named = [
            name
            for name in tables.get_table_names()
            if "account_id" in {column["name"] for column in tables.get_columns(name)}
        ]
        owned = 'SELECT count(*) FROM "{}" WHERE account_id = :id'
        found = {name: tx.execute(text(owned.format(name)), {"id": account_id}).scalar_one() for name in named}
        return {**found, "deliveries": tx.execute(text("SELECT count(*) FROM deliveries")).scalar_one()}

    return database.read_here(work)


@BOTH
def test_nothing_of_monitors_rules_and_webhooks_is_left_after_the_account(tmp_path: Path) -> None:
    """No row of any table that names the account, and no delivery."""

    async def script(instance: Instance) -> list[dict[str, int]]:
        number = await fill_monitoring(instance)
        before = rows_of(instance.services.database, instance.alice.id)
        await erase_account(instance, number)
        return [before, rows_of(instance.services.database, instance.alice.id)]

    before, after = with_instance(tmp_path, script)

    assert all(before[name] for name in MONITORING), before
    assert set(after.values()) == {0}, after


@BOTH
def test_nothing_of_monitors_rules_and_webhooks_is_left_after_the_project(tmp_path: Path) -> None:
    """Also receivers that are limited to its host; one for every project stays."""

    async def script(instance: Instance) -> tuple[list[str], list[str], dict[str, int]]:
        number = await fill_monitoring(instance)
        before = traces(instance.services.database)
        await delete_project(instance, number)
        return before, traces(instance.services.database), rows_of(instance.services.database, instance.alice.id)

    before, after, rows = with_instance(tmp_path, script)

    assert {"webhooks", "events", "deliveries", "ignores"} <= set(before)
    assert after == []
    assert {name: rows[name] for name in MONITORING} == {**dict.fromkeys(MONITORING, 0), "webhooks": 1}


@BOTH
def test_what_belongs_to_a_report_goes_with_it(tmp_path: Path) -> None:
    """Its monitor, crossings, rules, events and deliveries; what its owner set for the project stays."""

    async def script(instance: Instance) -> tuple[list[str], list[str], dict[str, int]]:
        number = await fill_monitoring(instance)
        before = traces(instance.services.database)
        await delete_report(instance, number)
        return before, traces(instance.services.database), rows_of(instance.services.database, instance.alice.id)

    before, after, rows = with_instance(tmp_path, script)

    assert {"reports", "runs", "run_details", "events", "deliveries"} <= set(before)
    assert after == ["ignores", "webhooks"]
    assert {name: rows[name] for name in MONITORING} == {
        **dict.fromkeys(MONITORING, 0),
        "webhooks": 3,
        "ignores": 1,
    }


@BOTH
def test_a_key_limited_to_a_project_outlives_it_and_gains_nothing(tmp_path: Path) -> None:
    """It is a permission that its owner gave: it names the host, works for it, and for nothing else."""

    async def script(instance: Instance) -> tuple[list[str], list[int]]:
        number = await fill(instance)
        key = instance.add_key(project=HOST)
        await delete_project(instance, number)
        after = traces(instance.services.database)
        answers = [
            await instance.call("POST", REPORTS, key=key, data={"url": url}) for url in (URL, "https://other.example/")
        ]
        return after, [answer.status_code for answer in answers]

    after, statuses = with_instance(tmp_path, script)

    assert after == ["api_keys"]
    assert statuses == [201, 403]


def _add_receiver(tx: Transaction, account_id: int) -> None:
    add_webhook(tx, account_id, kind="webhook", url="https://hook.example/", events=EVENT_TYPES, project="", now_ms=1)


def _answer_deliveries(tx: Transaction) -> None:
    """Receivers may repeat what they got."""
    tx.execute(update(deliveries).values(state="delivered", answer=URL.encode()))


async def fill_batch(instance: Instance) -> int:
    """Reports of the page made as a batch, with a line that was refused and names the host as well; one is finished."""
    urls = [URL, f"{URL}&second", f"ftp://{HOST}/{NEEDLE}"]
    answer = await instance.call("POST", BATCHES, json={"urls": urls}, headers={"Idempotency-Key": f"{URL}-batch"})
    number: int = answer.json()["data"]["reports"][0]["id"]
    await instance.finish(make_report(url=URL, project=HOST))
    return number


Deletion = Callable[[Instance, int], Awaitable[object]]


async def delete_report(instance: Instance, number: int) -> object:
    """By its number."""
    return await instance.call("DELETE", f"{REPORTS}/{number}")


async def delete_project(instance: Instance, _number: int) -> object:
    """With all of its reports."""
    return await instance.call("DELETE", f"/api/v1/projects/{HOST}")


async def erase_account(instance: Instance, _number: int) -> object:
    """With everything."""
    account_id = instance.alice.id
    await instance.services.database.write(lambda tx: begin_erasure(tx, account_id, now_ms(), by=None))
    return await finish_erasure(instance.services, account_id)


@BOTH
@pytest.mark.parametrize("delete", [delete_report, delete_project, erase_account], ids=lambda each: each.__name__)
@pytest.mark.parametrize("state", ["completed", "running", "queued"])
def test_nothing_of_what_was_deleted_is_left_in_any_table(tmp_path: Path, delete: Deletion, state: str) -> None:
    """Its address, texts and evidence; while it waits, while it is analyzed, and afterwards."""

    async def script(instance: Instance) -> tuple[list[str], list[str]]:
        number = await fill(instance)
        if state != "completed":
            await instance.call("PUT", f"{REPORTS}/{number}", data={"results": "1"})
        if state == "running":
            Queue(instance.services.database, instance.alice.id).claim(now_ms=now_ms())
        before = traces(instance.services.database)
        await delete(instance, number)
        return before, traces(instance.services.database)

    before, after = with_instance(tmp_path, script)
    filled = {"reports", "runs", "run_details", "run_pictures", "events", "deliveries"}

    assert filled | ({"visits"} if state == "running" else set()) <= set(before)
    assert after == []


@BOTH
@pytest.mark.parametrize("delete", [delete_project, erase_account], ids=lambda each: each.__name__)
def test_nothing_of_a_batch_is_left_once_all_its_reports_were_deleted(tmp_path: Path, delete: Deletion) -> None:
    """Neither its reports nor the lines that were refused."""

    async def script(instance: Instance) -> tuple[list[str], list[str]]:
        number = await fill_batch(instance)
        before = traces(instance.services.database)
        await delete(instance, number)
        return before, traces(instance.services.database)

    before, after = with_instance(tmp_path, script)

    assert {"batches", "reports"} <= set(before)
    assert after == []


@pytest.mark.backend("sqlite", reason="a file of our own")
def test_nothing_of_what_was_deleted_is_left_in_the_file(tmp_path: Path) -> None:
    """Once the write-ahead log is part of it: deleted rows are overwritten, the index finds nothing."""

    async def script(instance: Instance) -> tuple[bool, int]:
        number = await fill(instance)
        path = Path(instance.services.database.url.removeprefix("sqlite:///"))
        _checkpoint(path)
        before = URL.encode() in await asyncio.to_thread(path.read_bytes)
        await delete_report(instance, number)
        await erase_account(instance, number)
        _checkpoint(path)
        found = instance.services.database.read_here(
            lambda tx: tx.execute(text("SELECT count(*) FROM reports_search WHERE reports_search MATCH 'needle'"))
        )
        return before, found.scalar_one()

    before, found = with_instance(tmp_path, script)
    left = [
        path.name for path in sorted(tmp_path.rglob("*")) if path.is_file() and NEEDLE.encode() in path.read_bytes()
    ]

    assert before
    assert found == 0
    assert left == []


def _checkpoint(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """With Alice, who administers it, and Bob."""
    made = make_database(tmp_path)
    add_owner(made, "Alice")
    add_owner(made, "Bob")
    made.write_here(lambda tx: set_admin(tx, 1, is_admin=True))
    yield made
    made.close()


def test_an_account_that_is_being_erased_counts_as_gone_at_once(database: Database) -> None:
    """Its keys are, its name is, it is not listed, and its e-mail address may be used."""
    Queue(database, 2).add()
    add_key(database, 2)
    (before,) = [account for account in database.read_here(list_accounts) if account.id == 2]
    alice = database.read_here(lambda tx: load_account(tx, 1))
    database.write_here(lambda tx: begin_erasure(tx, 2, now_ms(), by=alice))
    rows = database.read_here(
        lambda tx: (
            tx.execute(text("SELECT name, email, password_hash FROM accounts WHERE id = 2")).one(),
            tx.execute(text("SELECT count(*) FROM api_keys WHERE account_id = 2")).scalar_one(),
            [account.id for account in list_accounts(tx)],
        )
    )
    again = database.write_here(lambda tx: create_account(tx, name="B", email=before.email, now_ms=now_ms()))

    assert (tuple(rows[0]), *rows[1:]) == (("", "", None), 0, [1])
    assert again.id == 3
    with pytest.raises(NotFound):
        database.write_here(lambda tx: begin_erasure(tx, 2, now_ms(), by=None))


def test_the_last_administrator_stays_unless_the_operator_says_otherwise(database: Database) -> None:
    """A signed-in person cannot leave the installation without one."""
    alice = database.read_here(lambda tx: load_account(tx, 1))
    with pytest.raises(InvalidInput) as refused:
        database.write_here(lambda tx: begin_erasure(tx, 1, now_ms(), by=alice))
    database.write_here(lambda tx: begin_erasure(tx, 1, now_ms(), by=None))

    assert refused.value.reason == LAST_ADMIN
    assert database.read_here(list_erasing) == (1,)


def test_reports_of_others_stay(database: Database) -> None:
    """And only an account that is being erased can be erased part by part."""
    mine = Queue(database, 1)
    for number in range(5):
        mine.add(f"https://a{number}.example/")
        mine.add(f"https://b{number}.example/", account_id=2)
    nothing = database.write_here(lambda tx: erase_part(tx, 2))
    database.write_here(lambda tx: begin_erasure(tx, 2, now_ms(), by=None))
    parts = [len(database.write_here(lambda tx: erase_part(tx, 2, limit=2))) for _ in range(5)]

    assert nothing == ()
    assert parts == [2, 2, 1, 0, 0]
    assert mine.rows("SELECT DISTINCT account_id FROM reports") == [(1,)]
    assert mine.rows("SELECT id FROM accounts") == [(1,)]


DIE = """
import os, signal, sys
from pagegrade.cli.commands import accounts
real, calls = accounts.erase_part, []
def erase_part(*arguments):
    calls.append(1)
    if len(calls) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments)
accounts.erase_part = erase_part
from pagegrade.cli.app import app
app(["accounts", "delete", "2", "--yes"])
"""


@pytest.mark.backend("sqlite", reason="the command is the same on both")
def test_an_erasure_that_was_killed_is_finished_by_the_next_call(tmp_path: Path) -> None:
    """Between two parts; meanwhile the account is gone for all clients."""
    database = make_file(tmp_path)
    add_owner(database, "Alice")
    add_owner(database, "Bob")
    database.write_here(lambda tx: set_admin(tx, 1, is_admin=True))
    queue = Queue(database, 2)
    database.write_here(
        lambda tx: tx.execute(
            text(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250) "
                "INSERT INTO reports (account_id, url, project, privacy, slug, state, dated_at_ms, created_at_ms, "
                "updated_at_ms) SELECT 2, 'https://b.example/' || i, 'b.example', 0, 's' || i, 'failed', 0, 0, 0 FROM n"
            )
        )
    )
    environment = {**os.environ, "PAGEGRADE_DATABASE_URL": database.url, "PAGEGRADE_DATA_DIR": str(tmp_path)}
    killed = subprocess.run([sys.executable, "-c", DIE], env=environment, cwd=tmp_path, check=False)
    left = queue.rows("SELECT count(*) FROM reports")
    known = database.read_here(lambda tx: load_account(tx, 2))
    finished = subprocess.run(
        [sys.executable, "-m", "pagegrade", "accounts", "delete", "2"],
        env=environment, cwd=tmp_path, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    rows = queue.rows("SELECT (SELECT count(*) FROM reports), (SELECT count(*) FROM accounts)")
    database.close()

    assert killed.returncode == -signal.SIGKILL
    assert left == [(50,)]
    assert known is None
    assert (finished.returncode, finished.stderr) == (0, "Account 2 is erased, with 50 reports.\n")
    assert rows == [(0, 1)]


def test_waits_for_a_report_are_notified(tmp_path: Path) -> None:
    """So that a worker stops working on it."""
    services = Services(database=make_database(tmp_path))
    add_owner(services.database)
    run = Queue(services.database, 1).add()

    async def main() -> bool:
        with services.changes.watch(run.report_id) as changed:
            await services.database.write(lambda tx: begin_erasure(tx, 1, now_ms(), by=None))
            await finish_erasure(services, 1)
            return changed.is_set()

    reported = asyncio.run(main())
    services.database.close()
    services.passwords.close()

    assert reported


def two_admins(tmp_path: Path) -> tuple[Database, Caller, Caller]:
    """A database with two administrators."""
    database = make_database(tmp_path)

    def work(tx: Transaction) -> tuple[Caller, Caller]:
        alice, bob = (
            caller_of(create_account(tx, name=name, email=f"{name}@example.org", now_ms=NOW_MS))
            for name in ("alice", "bob")
        )
        service.set_member_admin(tx, alice, bob.account.id, is_admin=True)
        return alice, bob

    return database, *database.write_here(work)


def test_an_invited_account_gets_the_settings_of_its_host(tmp_path: Path) -> None:
    """And a link that its owner signs in with."""
    database, alice, _ = two_admins(tmp_path)
    account, token, until_ms = database.write_here(
        lambda tx: service.invite_member(tx, alice, name="Carol", email="c@example.org", now_ms=NOW_MS)
    )
    count, members = database.read_here(lambda tx: service.find_members(tx, alice, page=1, per_page=2))
    found = database.read_here(lambda tx: service.find_member(tx, alice, account.id))
    database.close()

    assert (account.locale, found.account.email, bool(token), until_ms > NOW_MS) == ("en", "c@example.org", True, True)
    assert (count, len(members)) == (3, 2)


@pytest.mark.parametrize(
    "use_case",
    [
        lambda tx, admin, _other: service.invite_member(tx, admin, name="C", email="c@example.org", now_ms=NOW_MS),
        lambda tx, admin, other: service.give_link(tx, admin, other, NOW_MS),
        lambda tx, admin, other: service.disable_member(tx, admin, other, NOW_MS),
        service.enable_member,
        lambda tx, admin, other: service.set_member_admin(tx, admin, other, is_admin=False),
        lambda tx, admin, other: service.begin_member_erasure(tx, admin, other, NOW_MS),
    ],
    ids=["invite", "link", "disable", "enable", "rights", "erase"],
)
def test_a_right_that_was_lost_meanwhile_is_gone(
    tmp_path: Path, use_case: Callable[[Transaction, Caller, int], object]
) -> None:
    """Read again in the transaction that would use it."""
    database, alice, bob = two_admins(tmp_path)
    database.write_here(lambda tx: service.set_member_admin(tx, alice, bob.account.id, is_admin=False))
    with pytest.raises(NotFound):
        database.write_here(lambda tx: use_case(tx, bob, alice.account.id))
    database.close()


def test_a_disabled_account_gets_no_link(tmp_path: Path) -> None:
    """Until it is enabled again."""
    database, alice, bob = two_admins(tmp_path)
    number = bob.account.id
    database.write_here(lambda tx: service.disable_member(tx, alice, number, NOW_MS))
    with pytest.raises(InvalidInput):
        database.write_here(lambda tx: service.give_link(tx, alice, number, NOW_MS))
    database.write_here(lambda tx: service.enable_member(tx, alice, number))
    account, _, _ = database.write_here(lambda tx: service.give_link(tx, alice, number, NOW_MS))
    with pytest.raises(InvalidInput):
        database.write_here(lambda tx: service.begin_member_erasure(tx, alice, alice.account.id, NOW_MS))
    database.write_here(lambda tx: service.begin_member_erasure(tx, alice, number, NOW_MS))
    with pytest.raises(NotFound):
        database.read_here(lambda tx: service.find_account(tx, alice, number))
    database.close()

    assert account.id == number
