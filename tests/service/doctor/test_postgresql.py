from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy.engine import make_url

from pagegrade.clock import now_ms
from pagegrade.model.errors import Unavailable
from pagegrade.service.doctor import postgresql as module
from pagegrade.service.doctor.machine import Diagnosis
from pagegrade.service.doctor.postgresql import (
    SHOWN,
    look_at_clocks,
    look_at_postgres,
    look_at_processes,
    server_version,
)
from pagegrade.service.doctor.storage import look_at_queue
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.queue.postgresql_inspection import QueueTable, Server, Trigrams, Use
from pagegrade.store.repositories.installation import Process, beat, note_origin
from tests import postgres
from tests.queue_builders import Queue
from tests.store_builders import NOW_MS, add_owner, make_database, make_file

pytestmark = pytest.mark.backend("postgresql", "it is about a server")
SAFE = Server(
    number=150_018,
    version="15.18",
    fsync=True,
    full_page_writes=True,
    synchronous_commit="on",
    encoding="UTF8",
    read_only=False,
    clock_ms=NOW_MS,
    most_connections=97,
)
USE = Use(size_bytes=1, connections=10, ours=5, most_connections=100, notices=0.0)
TABLE = QueueTable(
    missing_scripts=(), without_job=0, without_run=0, live_rows=100_000, dead_rows=10, analyzed_ms=60_000
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """With the tables of this version."""
    made = make_database(tmp_path)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _server(monkeypatch: pytest.MonkeyPatch) -> None:
    """As an operator has set it; that of the tests waits for no disk."""
    monkeypatch.setattr(module, "look_at_server", lambda _tx: SAFE)
    monkeypatch.setattr(module, "look_at_clocks", lambda *_: look_at_clocks(NOW_MS, NOW_MS, NOW_MS))


def look(database: Database, *, connections: int = 10) -> list[Diagnosis]:
    """At all of it."""
    return list(look_at_postgres(database, connections=connections, silent_ms=30_000))


def topics_of(found: Sequence[Diagnosis], level: str) -> dict[str, str]:
    """Topic -> what was found of that level."""
    return {one.topic: one.message for one in found if one.level == level}


def administer(database: Database, statement: str) -> None:
    """As the administrator of the server."""
    postgres.shared_server().execute(statement, name=str(make_url(database.url).database))


def test_a_database_in_use_is_fine(database: Database) -> None:
    """Everything that was looked at says so; nothing needs to be done."""
    found = look(database)

    assert {one.level for one in found} == {"ok"}
    assert {one.topic for one in found} == {
        "database", "postgresql", "durability", "clocks", "schema", "rights", "search", "reports",
        "processes", "connections",
    }  # fmt: skip
    assert [one.advice for one in found] == [""] * len(found)
    assert "pagegrade@" not in str(found)


def test_one_that_is_not_reached_is_a_problem() -> None:
    """With what to look at, and without the password."""
    database = open_database("postgresql+psycopg://alice:s3cret@127.0.0.1:1/reports")
    found = look(database)
    version = server_version(database)
    database.close()

    assert [one.level for one in found] == ["problem"]
    assert "reports on 127.0.0.1:1" in found[0].message
    assert "PAGEGRADE_DATABASE_URL" in found[0].advice
    assert "s3cret" not in str(found)
    assert version == ""


@pytest.mark.parametrize(
    ("server", "topic"),
    [
        (replace(SAFE, number=130_004, version="13.4"), "postgresql"),
        (replace(SAFE, read_only=True), "postgresql"),
        (replace(SAFE, encoding="SQL_ASCII"), "encoding"),
        (replace(SAFE, fsync=False), "durability"),
        (replace(SAFE, full_page_writes=False), "durability"),
        (replace(SAFE, synchronous_commit="off"), "durability"),
    ],
)
def test_a_server_that_may_lose_what_was_promised_is_a_problem(
    database: Database, monkeypatch: pytest.MonkeyPatch, server: Server, topic: str
) -> None:
    """Each of these is one."""
    monkeypatch.setattr(module, "look_at_server", lambda _tx: server)
    found = look(database)

    assert set(topics_of(found, "problem")) == {topic}


@pytest.mark.parametrize("level", ["remote_write", "remote_apply", "local"])
def test_stronger_and_local_commits_are_fine(database: Database, monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    """The primary has written it to its disk in each of these."""
    monkeypatch.setattr(module, "look_at_server", lambda _tx: replace(SAFE, synchronous_commit=level))

    assert level in topics_of(look(database), "ok")["durability"]


@pytest.mark.parametrize(
    ("theirs_ms", "level"),
    [(1_000, "ok"), (999, "ok"), (1_101, "ok"), (3_200, "warning"), (-1_001, "warning"), (90_000, "problem")],
)
def test_clocks_are_compared(theirs_ms: int, level: str) -> None:
    """A difference that the transfer of the query may explain counts for nothing."""
    found = look_at_clocks(theirs_ms, 1_000, 1_100)

    assert found.level == level
    assert ("NTP" in found.advice) == (level != "ok")


def test_a_clock_says_which_way_it_is_wrong() -> None:
    """The person who sets it needs to know."""
    assert "3.0 s behind the database" in look_at_clocks(4_000, 1_000, 1_000).message
    assert "3.0 s ahead of the database" in look_at_clocks(1_000, 4_000, 4_000).message


def test_tables_that_are_missing_are_reported(tmp_path: Path) -> None:
    """And nothing that depends on them is looked at."""
    database = open_database(postgres.databases().make_empty())
    found = look(database)
    database.close()

    assert topics_of(found, "warning")["schema"].startswith("none")
    assert "reports" not in {one.topic for one in found}


def test_tables_of_a_later_version_are_reported(database: Database) -> None:
    """With the way this version can go on with them, or not."""

    def change(tx: Transaction) -> None:
        tx.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")

    database.write_here(change)
    ahead = look(database)
    database.write_here(lambda tx: tx.exec_driver_sql("DELETE FROM installation WHERE name = 'works_from'"))
    newer = look(database)

    assert "can go on" in topics_of(ahead, "warning")["schema"]
    assert "9999" in topics_of(newer, "problem")["schema"]


def test_a_role_that_may_not_is_reported(database: Database) -> None:
    """Not to change the tables is a warning, not to use them a problem."""
    administer(database, "ALTER TABLE visits OWNER TO postgres")
    administer(database, "GRANT ALL ON visits TO pagegrade")
    cannot_change = look(database)
    administer(database, "REVOKE INSERT ON visits FROM pagegrade")
    cannot_use = look(database)

    assert set(topics_of(cannot_change, "warning")) == {"rights"}
    assert "visits" in topics_of(cannot_use, "problem")["rights"]


def test_a_search_without_its_index_is_a_warning(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to run, and what to install before."""
    monkeypatch.setattr(module, "look_at_trigrams", lambda _tx: Trigrams(installed=False, available=False, used=False))
    (found,) = [one for one in look(database) if one.topic == "search"]

    assert found.level == "warning"
    assert "contrib" in found.advice
    assert "pg_trgm" in found.advice


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (replace(TABLE, missing_scripts=("99.sql",)), "earlier procrastinate"),
        (replace(TABLE, without_job=3), "3 runs wait without a job"),
        (replace(TABLE, without_run=4), "4 jobs name no run"),
        (replace(TABLE, dead_rows=200_000), "200000 dead rows"),
        (replace(TABLE, analyzed_ms=None), "planner"),
        (TABLE, ""),
    ],
)
def test_a_queue_in_disorder_is_a_warning(
    database: Database, monkeypatch: pytest.MonkeyPatch, table: QueueTable, words: str
) -> None:
    """Each of its troubles by itself."""
    monkeypatch.setattr(module, "look_at_queue_table", lambda _tx: table)
    said = topics_of(look(database), "warning").get("queue", "")

    assert words in said
    assert bool(words) == bool(said)


def test_a_run_that_waits_for_hours_is_a_warning(database: Database) -> None:
    """Most likely no worker runs."""
    queue = Queue(database, add_owner(database)[0].id)
    queue.add()
    queue.change("UPDATE runs SET created_at_ms = 1")
    (found,) = look_at_queue(database, now_ms(), target_runs=2, per_minute=20)

    assert found.level == "warning"
    assert "admitted: 1 wait for a worker" in found.message
    assert "the oldest waits for" in found.message
    assert "pagegrade worker" in found.advice


def test_connections_are_counted_before_they_run_out(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that our processes may want, and those that are in use."""
    for number in range(9):
        process = Process(name=f"p{number}", kind="worker", version="1", host="h", pid=number)
        database.write_here(partial(beat, process=process, now_ms=NOW_MS))
    monkeypatch.setattr(module, "look_at_use", lambda _tx: USE)
    wanted = look(database)
    few = look(database, connections=5)
    monkeypatch.setattr(module, "look_at_use", lambda _tx: replace(USE, connections=95, notices=0.9))
    used = look(database, connections=5)

    assert "99, 97 are allowed" in topics_of(wanted, "warning")["connections"]
    assert "54, 97 are allowed" in topics_of(few, "ok")["connections"]
    assert set(topics_of(used, "warning")) == {"connections", "notices"}


@pytest.mark.parametrize("reason", ["too_many_connections", "database_damaged", None])
def test_what_goes_wrong_in_between_is_reported(
    database: Database, monkeypatch: pytest.MonkeyPatch, reason: str | None
) -> None:
    """As one more finding; what was found before stays."""

    def fail(_tx: Transaction) -> Use:
        raise Unavailable(reason=reason)

    monkeypatch.setattr(module, "look_at_use", fail)
    found = look(database)

    assert [one.topic for one in found if one.level == "problem"] == ["database"]
    assert "schema" in topics_of(found, "ok")
    assert found[-1].advice


def test_the_version_is_as_people_write_it(database: Database) -> None:
    """For the list of versions."""
    assert server_version(database) == "15.18"


def test_an_origin_that_no_worker_could_know_is_a_warning(database: Database) -> None:
    """It is known once a server has started, or where it is configured."""
    before = list(module.look_at_origin(database, None))
    configured = list(module.look_at_origin(database, "https://grade.example.com"))
    database.write_here(lambda tx: note_origin(tx, "https://grade.example.org"))
    learned = list(module.look_at_origin(database, None))
    unreachable = open_database("postgresql+psycopg://alice:s3cret@127.0.0.1:1/reports")
    silent = list(module.look_at_origin(unreachable, None))
    unreachable.close()

    assert [one.level for one in (*before, *configured, *learned)] == ["warning", "ok", "ok"]
    assert "PAGEGRADE_BASE_URL" in before[0].advice
    assert "https://grade.example.org" in learned[0].message
    assert silent == []


def note_process(database: Database, name: str, kind: str = "serve", version: str = "1.0") -> None:
    """A process says that it does."""
    process = Process(name=name, kind=kind, version=version, host=f"{name}.example", pid=12)
    database.write_here(lambda tx: beat(tx, process, now_ms()))


def look_at(database: Database) -> list[Diagnosis]:
    """The findings."""
    return list(look_at_processes(database, now_ms(), silent_ms=30_000))


def test_those_that_live_are_reported(database: Database) -> None:
    """The number of each kind, and their names."""
    nothing = look_at(database)
    for name, kind in (("ant", "serve"), ("bee", "worker"), ("cat", "serve")):
        note_process(database, name, kind)
    (found,) = look_at(database)

    assert [(one.level, one.message) for one in nothing] == [("ok", "none runs now")]
    assert (found.topic, found.level) == ("processes", "ok")
    assert found.message.splitlines() == [
        "2 serve, 1 worker",
        "serve 1.0 on ant.example, process 12, ant",
        "worker 1.0 on bee.example, process 12, bee",
        "serve 1.0 on cat.example, process 12, cat",
    ]


def test_different_versions_are_a_warning(database: Database) -> None:
    """With what to do about it."""
    note_process(database, "ant", version="1.0")
    note_process(database, "bee", version="1.1")
    _, found = look_at(database)

    assert found.level == "warning"
    assert "1.0, 1.1" in found.message
    assert found.advice


def test_of_many_some_are_named(database: Database) -> None:
    """And how many more there are."""
    for number in range(SHOWN + 2):
        note_process(database, f"p{number:02}")
    (found,) = look_at(database)

    assert len(found.message.splitlines()) == SHOWN + 2
    assert found.message.endswith("and 2 more")


def test_a_database_that_is_away_is_a_problem() -> None:
    """It is reported, not raised."""
    away = open_database("postgresql+psycopg://missing@127.0.0.1:1/nothing")
    found = look_at(away)
    away.close()

    assert [(one.topic, one.level) for one in found] == [("processes", "problem")]


def test_a_single_process_is_not_mentioned(tmp_path: Path) -> None:
    """It is the one that looks."""
    database = make_file(tmp_path)
    note_process(database, "ant")
    found = look_at(database)
    database.close()

    assert found == []
