"""Whatever happens to the server or the way to it, callers hear of it in the same words, and nothing is done twice."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

import pytest
from sqlalchemy import text

from pagegrade.model.errors import Unavailable
from pagegrade.store.engine import postgresql
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from tests.fault.relay import Relay, relay_to
from tests.postgres import Databases, Postgres, execute
from tests.store.engine.test_database import count_notes, note, note_twice, read_notes
from tests.waiting import pause, wait_until

pytestmark = pytest.mark.backend("postgresql", reason="what can happen to a server")

T = TypeVar("T")
SHORT_S = 1.0


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    """A server that tests may stop and kill."""
    server = Postgres()
    server.start()
    yield server
    server.close()


@pytest.fixture
def url(server: Postgres) -> Iterator[str]:
    """A database with one table, on a server that runs again afterwards."""
    databases = Databases(server.url("postgres"))
    url = databases.make_empty()
    execute(url, "CREATE TABLE notes (words VARCHAR(2000000) NOT NULL)")
    yield url
    if not server.pid:
        server.start()
    server.resume()
    databases.drop_all()


@pytest.fixture
def relay(server: Postgres) -> Iterator[Relay]:
    """The way to it."""
    with relay_to(server.port) as relay:
        yield relay


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little patience, so that tests need little too."""
    monkeypatch.setitem(postgresql.make_engine.__kwdefaults__ or {}, "patience_s", SHORT_S)
    monkeypatch.setattr(postgresql, "CONNECT_S", 2)
    monkeypatch.setattr(postgresql, "SILENT_S", 0.1)


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    """The database, straight."""
    database = open_database(url)
    yield database
    database.close()


def reason_of(use: Callable[[], object]) -> str | None:
    """The reason that a caller hears."""
    with pytest.raises(Unavailable) as error:
        use()

    assert error.value.retry_after_s
    return error.value.reason


def reasons(database: Database) -> set[str | None]:
    """The errors that readers and writers get, with and without an event loop."""
    return {
        reason_of(lambda: database.read_here(count_notes)),
        reason_of(lambda: database.write_here(lambda tx: note(tx, "never"))),
        reason_of(lambda: database.submit(lambda tx: note(tx, "never")).result(60)),
        reason_of(lambda: asyncio.run(database.read(count_notes))),
        reason_of(lambda: asyncio.run(database.at_once(count_notes))),
    }


def backend(tx: Transaction) -> int:
    """The process of the server that serves this connection."""
    return int(tx.exec_driver_sql("SELECT pg_backend_pid()").scalar_one())


def terminate(server: Postgres, pid: int) -> None:
    """End a connection from the other side, and wait until it has ended."""
    server.execute("SELECT pg_terminate_backend(%s, 5000)", pid)


def test_a_server_that_was_restarted_is_found_again(server: Postgres, database: Database) -> None:
    """Between two uses: no caller notices, in any thread."""
    database.write_here(lambda tx: note(tx, "before"))
    asyncio.run(database.read(count_notes))
    server.stop("fast")
    server.start()

    assert database.read_here(count_notes) == 1
    assert asyncio.run(database.read(count_notes)) == 1
    database.submit(lambda tx: note(tx, "after")).result(30)

    assert database.read_here(read_notes) == ["after", "before"]


@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_a_server_that_is_gone_is_reported(server: Postgres, database: Database, how: str) -> None:
    """To all callers, quickly; and it is over as soon as it is back."""
    database.write_here(lambda tx: note(tx, "before"))
    server.stop("fast" if how == "fast" else "immediate")
    started_s = time.monotonic()
    heard = reasons(database)
    took_s = time.monotonic() - started_s
    server.start()
    once_back(lambda: database.write_here(lambda tx: note(tx, "after")))

    assert heard == {"database_unreachable"}
    assert took_s < 10
    assert database.read_here(read_notes) == ["after", "before"]


def test_what_an_immediate_stop_leaves_is_what_was_promised(server: Postgres, database: Database) -> None:
    """Every reported write is there after the server's recovery, and nothing half."""
    promised: list[str] = []
    stopped = threading.Event()

    def write(writer: int) -> None:
        for number in range(10_000):
            words = f"{writer}-{number}"
            try:
                database.write_here(partial(note_twice, words=words))
            except Unavailable:
                return
            promised.append(words)
            if len(promised) > 40:
                stopped.set()

    with ThreadPoolExecutor(3) as threads:
        writing = [threads.submit(write, writer) for writer in range(3)]
        assert stopped.wait(30)
        server.stop("immediate")
        for each in writing:
            each.result(60)
    server.start()
    there = once_back(lambda: database.read_here(read_notes))

    assert {f"{words} a" for words in promised} <= set(there)
    assert {words.removesuffix(" a") for words in there if words.endswith("a")} == {
        words.removesuffix(" b") for words in there if words.endswith("b")
    }


def test_a_connection_that_is_ended_between_two_uses_is_replaced(server: Postgres, database: Database) -> None:
    """By an administrator, a proxy, or a failover: the next use makes another."""
    for _ in range(3):
        terminate(server, database.read_here(backend))

        assert database.read_here(count_notes) == 0
    terminate(server, database.write_here(backend))

    assert database.write_here(lambda tx: note(tx, "once")) == "once"
    assert database.read_here(count_notes) == 1


@pytest.mark.parametrize("name", ["read_here", "write_here"])
def test_a_connection_whose_transaction_does_not_end_is_replaced(
    name: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rollback is canceled, too, where the transaction has used up its time; every later statement would fail."""
    use = getattr(database, name)
    seen = [database.read_here(backend)]

    def fail(tx: Transaction) -> None:
        seen.append(backend(tx))
        raise ValueError("after an error")

    with monkeypatch.context() as patch:
        patch.setattr(postgresql, "_ROLL_BACK", "SELECT 1 / 0")
        with pytest.raises(ValueError, match="after an error"):
            use(fail)

    assert use(backend) not in seen
    assert database.write_here(lambda tx: note(tx, "afterwards")) == "afterwards"


def test_a_connection_that_is_ended_in_the_middle_is_begun_again(server: Postgres, database: Database) -> None:
    """The first half is undone by the server; the work is done once more, and once."""
    tries: list[int] = []

    def work(tx: Transaction) -> None:
        tries.append(backend(tx))
        note(tx, "first")
        if len(tries) == 1:
            terminate(server, tries[0])
        note(tx, "second")

    database.write_here(work)

    assert len(set(tries)) == 2
    assert database.read_here(read_notes) == ["first", "second"]


def test_a_connection_that_ends_at_the_commit_is_reported(server: Postgres, database: Database) -> None:
    """Its outcome is unknown, so it is not done again: the caller has to look."""
    tries: list[int] = []

    def work(tx: Transaction) -> None:
        tries.append(backend(tx))
        note(tx, "perhaps")
        terminate(server, tries[-1])

    reason = reason_of(lambda: database.write_here(work))

    assert reason == "database_unreachable"
    assert len(tries) == 1
    assert database.read_here(count_notes) == 0


def test_an_answer_that_is_lost_at_the_commit_is_reported(
    short: None, relay: Relay, url: str, server: Postgres
) -> None:
    """The commit of the server stays, and is done once."""
    database = open_database(_through(relay, url, server))
    tries: list[int] = []

    def work(tx: Transaction) -> None:
        tries.append(1)
        note(tx, "done")
        relay.stall_answers()

    reason = reason_of(lambda: database.write_here(work))
    relay.heal()
    there = once_back(lambda: database.read_here(read_notes))

    assert reason == "database_unreachable"
    assert len(tries) == 1
    assert there == ["done"]
    database.close()


@pytest.mark.parametrize("warm", [False, True])
def test_a_network_that_swallows_everything_is_reported(
    short: None, relay: Relay, url: str, server: Postgres, *, warm: bool
) -> None:
    """Within the patience we have, whether there was a connection already; and it is over when the network is back."""
    database = open_database(_through(relay, url, server), readers=1, writers=1)
    if warm:
        database.write_here(lambda tx: note(tx, "before"))
    relay.stall()
    started_s = time.monotonic()
    first = reason_of(lambda: database.write_here(lambda tx: note(tx, "lost")))
    first_s = time.monotonic() - started_s
    second = reason_of(lambda: database.read_here(count_notes))
    relay.heal()
    after = once_back(lambda: database.write_here(lambda tx: note(tx, "after")))

    assert {first, second} == {"database_unreachable"}
    assert first_s < 8
    assert after == "after"
    assert database.read_here(read_notes)[0] == "after"
    database.close()


def test_a_network_that_resets_is_reported(short: None, relay: Relay, url: str, server: Postgres) -> None:
    """And it is over when it does so no longer."""
    database = open_database(_through(relay, url, server))
    database.write_here(lambda tx: note(tx, "before"))
    relay.reset()
    heard = reasons(database)
    relay.heal()
    after = once_back(lambda: database.write_here(lambda tx: note(tx, "after")))

    assert heard == {"database_unreachable"}
    assert after == "after"
    assert database.read_here(read_notes) == ["after", "before"]
    database.close()


def test_a_server_that_stands_still_is_reported(short: None, server: Postgres, url: str) -> None:
    """As after SIGSTOP, or a disk that hangs."""
    database = open_database(url)
    database.read_here(count_notes)
    server.pause()
    heard = reason_of(lambda: database.read_here(count_notes))
    server.resume()
    there = once_back(lambda: database.read_here(count_notes))

    assert heard == "database_unreachable"
    assert there == 0
    database.close()


def test_a_lock_that_is_held_is_reported(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """After the time there is to wait; and it is over when the lock is gone."""
    monkeypatch.setattr(postgresql, "LOCK_S", SHORT_S)
    database = open_database(url)
    holder = open_database(url)
    held, go_on = threading.Event(), threading.Event()

    def hold(tx: Transaction) -> None:
        tx.exec_driver_sql("LOCK TABLE notes IN EXCLUSIVE MODE")
        held.set()
        assert go_on.wait(30)

    holding = holder.submit(hold)

    assert held.wait(30)
    reason = reason_of(lambda: database.write_here(lambda tx: note(tx, "refused")))
    during = database.read_here(count_notes)
    go_on.set()
    holding.result(30)

    assert reason == "database_locked"
    assert during == 0
    assert database.write_here(lambda tx: note(tx, "again")) == "again"
    holder.close()
    database.close()


def test_a_statement_that_takes_too_long_is_reported(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """The server gives it up before we give up the server."""
    monkeypatch.setattr(postgresql, "STATEMENT_S", SHORT_S)
    database = open_database(url)

    reason = reason_of(lambda: database.read_here(lambda tx: tx.exec_driver_sql("SELECT pg_sleep(20)")))

    assert reason == "database_slow"
    assert database.read_here(count_notes) == 0
    database.close()


def test_a_transaction_that_stands_still_does_not_keep_its_locks(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """The server ends it; the holder gets an error, and its work is not half done."""
    monkeypatch.setattr(postgresql, "IDLE_S", SHORT_S)
    still, awake = open_database(url), open_database(url)
    tries: list[int] = []

    def work(tx: Transaction) -> None:
        tries.append(1)
        note(tx, f"by the sleeper {len(tries)}")
        tx.exec_driver_sql("LOCK TABLE notes IN EXCLUSIVE MODE")
        if len(tries) == 1:
            pause(2 * SHORT_S, "the time that a transaction may stand still")
        note(tx, "and more")

    sleeping = still.submit(work)
    wait_until(lambda: tries)
    awake.write_here(lambda tx: note(tx, "by another"))
    sleeping.result(30)

    assert awake.read_here(read_notes) == ["and more", "by another", "by the sleeper 2"]
    still.close()
    awake.close()


def test_a_database_that_may_not_be_written_is_reported(server: Postgres, url: str) -> None:
    """As on a server that is a standby; reading goes on."""
    name = url.rpartition("/")[2]
    execute(url, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    database = open_database(url)

    assert reason_of(lambda: database.write_here(lambda tx: note(tx, "never"))) == "database_readonly"
    assert database.read_here(count_notes) == 0
    database.close()


def test_a_full_volume_is_reported_and_survived(server: Postgres, url: str) -> None:
    """A write that needs more space is refused, the rest goes on."""
    name = url.rpartition("/")[2]
    server.execute(f"ALTER DATABASE {name} SET temp_file_limit = '128kB'")
    server.execute(f"ALTER DATABASE {name} SET work_mem = '64kB'")
    database = open_database(url)
    large = "SELECT count(*) FROM (SELECT g FROM generate_series(1, 300000) AS s (g) ORDER BY md5(g::text)) AS sorted"

    assert reason_of(lambda: database.read_here(lambda tx: tx.exec_driver_sql(large))) == "database_full"
    assert database.write_here(lambda tx: note(tx, "small")) == "small"
    assert database.read_here(count_notes) == 1
    database.close()


def test_too_many_connections_are_reported(server: Postgres, url: str) -> None:
    """And it is over when there is room for one."""
    name = url.rpartition("/")[2]
    server.execute(f"ALTER DATABASE {name} CONNECTION LIMIT 0")
    database = open_database(url)
    reason = reason_of(lambda: database.read_here(count_notes))
    server.execute(f"ALTER DATABASE {name} CONNECTION LIMIT 5")
    there = once_back(lambda: database.read_here(count_notes))

    # The driver does not always say why no connection was made.
    assert reason in {"too_many_connections", "database_unreachable"}
    assert there == 0
    database.close()


@pytest.mark.parametrize("change", ["gone", "unknown"])
def test_a_database_that_is_not_there_is_reported(server: Postgres, url: str, change: str) -> None:
    """The server does not know the database or the user."""
    wrong = f"{url}_gone" if change == "gone" else url.replace("pagegrade@", "unknown@")
    database = open_database(wrong)

    assert reasons(database) == {"database_unreachable"}
    database.close()


def test_what_loses_a_race_is_done_again(database: Database) -> None:
    """Two who wait for each other: the server ends one of them, which then does its work once more."""
    for words in ("one", "two"):
        database.write_here(partial(note, words=words))
    both = threading.Barrier(2)
    tries: list[str] = []
    change = text("UPDATE notes SET words = words || '!' WHERE words LIKE :first || '%'")

    def work(first: str, second: str) -> Callable[[Transaction], None]:
        def turn(tx: Transaction) -> None:
            tries.append(first)
            tx.execute(change, {"first": first})
            if tries.count(first) == 1:
                both.wait(30)
            tx.execute(change, {"first": second})

        return turn

    with ThreadPoolExecutor(2) as threads:
        writing = [threads.submit(database.write_here, work(*pair)) for pair in (("one", "two"), ("two", "one"))]
        for each in writing:
            each.result(60)

    # The one that was ended may be back before the other has gone on, and lose once more.
    assert len(tries) >= 3
    assert database.read_here(read_notes) == ["one!!", "two!!"]


def test_what_cannot_be_put_in_order_is_done_again_for_a_while(database: Database) -> None:
    """And given up after some tries."""
    tries: list[int] = []

    def fail(tx: Transaction, times: int) -> None:
        tries.append(1)
        note(tx, "once")
        if len(tries) <= times:
            tx.exec_driver_sql("DO $$ BEGIN RAISE EXCEPTION 'no order' USING ERRCODE = '40001'; END $$")

    database.write_here(lambda tx: fail(tx, 2))

    assert (len(tries), database.read_here(count_notes)) == (3, 1)
    tries.clear()

    assert reason_of(lambda: database.write_here(lambda tx: fail(tx, 1_000))) == "database_locked"
    assert (len(tries), database.read_here(count_notes)) == (postgresql.TRIES, 1)


def test_too_much_that_waits_is_refused_at_once(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No call waits behind hundreds; accepted work is done."""
    monkeypatch.setattr(postgresql, "MAX_WAITING", 20)
    database = open_database(url, readers=1, writers=1)
    go_on = threading.Event()

    def wait(_tx: Transaction) -> None:
        assert go_on.wait(30)

    promises: list[Future[Any]] = [database.submit(wait)]
    refused: list[str | None] = []
    for number in range(40):
        try:
            promises.append(database.submit(partial(note, words=str(number))))
        except Unavailable as error:
            refused.append(error.reason)
    go_on.set()
    for each in promises:
        each.result(30)

    assert len(refused) in {19, 20, 21}
    assert set(refused) == {"database_busy"}
    assert database.read_here(count_notes) == 40 - len(refused)
    database.close()


def test_every_connection_says_whose_it_is_and_goes_when_it_is_closed(server: Postgres, url: str) -> None:
    """For administrators who look at the server; nothing is left of a database that was closed."""
    mine = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pagegrade test'"
    database = open_database(url, name="pagegrade test")
    database.read_here(count_notes)
    database.submit(count_notes).result(30)
    open_before = server.execute(mine)
    database.close()
    wait_until(lambda: server.execute(mine) == [(0,)])

    assert open_before == [(2,)]


def once_back(work: Callable[[], T]) -> T:
    """Return what ``work`` gives as soon as the database can be used again."""

    def attempt() -> tuple[T] | None:
        try:
            return (work(),)
        except Unavailable:
            return None

    (result,) = wait_until(attempt, "a database that can be used")
    return result


def _through(relay: Relay, url: str, server: Postgres) -> str:
    return url.replace(f":{server.port}/", f":{relay.port}/")
