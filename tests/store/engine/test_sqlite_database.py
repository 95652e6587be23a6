"""One writer, many readers, and a file that may get into trouble."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from pagegrade.model.errors import NotFound, Unavailable
from pagegrade.store.engine import sqlite_database
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.sqlite_database import BATCH, GROUP, Readers, SQLiteDatabase

pytestmark = pytest.mark.backend("sqlite", reason="how one file is shared by threads")


def make_notes(tmp_path: Path) -> Database:
    """A database with one table to write into."""
    database = SQLiteDatabase(f"sqlite:///{tmp_path / 'notes.db'}", readers=4)
    database.write_here(lambda tx: tx.exec_driver_sql("CREATE TABLE notes (text TEXT NOT NULL)"))
    return database


def note(tx: Transaction, text: str | None) -> str | None:
    """Write one row."""
    tx.exec_driver_sql("INSERT INTO notes (text) VALUES (?)", (text,))
    return text


def notes(database: Database) -> list[str]:
    """All rows, sorted."""
    return sorted(database.read_here(lambda tx: tx.exec_driver_sql("SELECT text FROM notes").scalars().all()))


def hold(database: Database) -> tuple[threading.Event, Future[None]]:
    """Keep the writer busy until the event is set, so that what comes meanwhile makes one group."""
    begun, go_on = threading.Event(), threading.Event()

    def wait(_tx: Transaction) -> None:
        begun.set()
        assert go_on.wait(20)

    held = database.submit(wait)
    assert begun.wait(20)
    return go_on, held


def limit_pages(tx: Transaction, spare: int) -> None:
    """Let the database grow by so many pages only, as if the disk were full then."""
    pages = tx.exec_driver_sql("PRAGMA page_count").scalar_one()
    tx.exec_driver_sql(f"PRAGMA max_page_count = {pages + spare}")


def test_many_writes_at_once_are_all_kept(tmp_path: Path) -> None:
    """More than one group of them."""
    database = make_notes(tmp_path)
    wanted = sorted(f"{number:04}" for number in range(3 * GROUP + 5))
    go_on, held = hold(database)
    promises = [database.submit(partial(note, text=text)) for text in wanted]
    go_on.set()

    assert [promise.result(30) for promise in promises] == wanted
    assert notes(database) == wanted
    assert held.result(60) is None
    database.close()


def test_one_failure_in_a_group_fails_no_other_call(tmp_path: Path) -> None:
    """Neither an error of ours nor one of the database; what the failed one had written is undone."""
    database = make_notes(tmp_path)

    def refuse(tx: Transaction) -> None:
        note(tx, "never seen")
        raise NotFound

    go_on, _held = hold(database)
    before = database.submit(lambda tx: note(tx, "before"))
    refused = database.submit(refuse)
    broken = database.submit(lambda tx: note(tx, None))
    after = database.submit(lambda tx: note(tx, "after"))
    go_on.set()

    with pytest.raises(NotFound):
        refused.result(30)
    with pytest.raises(DBAPIError, match="NOT NULL"):
        broken.result(30)

    assert (before.result(30), after.result(30)) == ("before", "after")
    assert notes(database) == ["after", "before"]
    database.close()


def test_work_that_ends_the_transaction_fails_no_other_call(tmp_path: Path) -> None:
    """A full disk may undo the whole group: the others are done again, the culprit gets the error."""
    database = make_notes(tmp_path)

    def lose(tx: Transaction) -> None:
        note(tx, "never seen")
        tx.exec_driver_sql("ROLLBACK")
        raise ValueError("lost")

    go_on, _held = hold(database)
    before = database.submit(lambda tx: note(tx, "before"))
    lost = database.submit(lose)
    after = database.submit(lambda tx: note(tx, "after"))
    go_on.set()

    with pytest.raises(ValueError, match="lost"):
        lost.result(30)

    assert (before.result(30), after.result(30)) == ("before", "after")
    assert notes(database) == ["after", "before"]
    database.close()


def test_a_full_disk_is_reported_and_survived(tmp_path: Path) -> None:
    """P01: the write is refused, reading goes on, and writing works again as soon as there is space."""
    database = make_notes(tmp_path)
    database.submit(lambda tx: limit_pages(tx, 4)).result(30)
    go_on, _held = hold(database)
    small = database.submit(lambda tx: note(tx, "small"))
    large = database.submit(lambda tx: note(tx, "x" * 1_000_000))
    late = database.submit(lambda tx: note(tx, "late"))
    go_on.set()
    with pytest.raises(Unavailable) as raised:
        large.result(30)
    during = (small.result(30), late.result(30), notes(database))
    database.submit(lambda tx: limit_pages(tx, 1000)).result(30)
    again = database.submit(lambda tx: note(tx, "x" * 1_000_000)).result(30)

    assert raised.value.reason == "database_full"
    assert raised.value.retry_after_s
    assert during == ("small", "late", ["late", "small"])
    assert again is not None
    assert len(notes(database)) == 3
    assert database.read_here(lambda tx: tx.exec_driver_sql("PRAGMA integrity_check").scalar_one()) == "ok"
    database.close()


BROKEN_DISK = """
import resource, sys
from pagegrade.model.errors import Unavailable
from pagegrade.store.engine.sqlite_database import SQLiteDatabase

database = SQLiteDatabase(sys.argv[1])
write = lambda text: database.submit(lambda tx: tx.exec_driver_sql("INSERT INTO notes VALUES (?)", (text,))).result(30)
write("before")
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
try:
    write("x" * 1_000_000)
    print("written?!")
except Unavailable as error:
    print(error.reason)
print(database.read_here(lambda tx: tx.exec_driver_sql("SELECT count(*) FROM notes").scalar_one()))
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
write("x" * 1_000_000)
print(database.read_here(lambda tx: tx.exec_driver_sql("SELECT count(*) FROM notes").scalar_one()))
print(database.read_here(lambda tx: tx.exec_driver_sql("PRAGMA integrity_check").scalar_one()))
database.close()
"""


def test_a_disk_that_refuses_is_reported_and_survived(tmp_path: Path) -> None:
    """P02: a file that may not grow is an error of the disk; nothing is damaged, and no restart is needed."""
    database = make_notes(tmp_path)
    database.close()
    done = subprocess.run(
        [sys.executable, "-c", BROKEN_DISK, database.url], check=True, timeout=60, capture_output=True, text=True
    )

    assert done.stdout.split() == ["disk_error", "1", "2", "ok"]


def test_twenty_writers_never_see_a_lock(tmp_path: Path) -> None:
    """N12: through the one writer and beside it, as commands write, everything is kept."""
    database = make_notes(tmp_path)
    beside = SQLiteDatabase(database.url, checkpoints=False)

    def write(writer: int) -> None:
        for number in range(10):
            text = f"{writer} {number}"
            if writer % 2:
                beside.write_here(partial(note, text=text))
            else:
                database.submit(partial(note, text=text)).result(30)

    with ThreadPoolExecutor(20) as threads:
        for done in [threads.submit(write, writer) for writer in range(20)]:
            done.result(60)

    assert len(notes(database)) == 200
    beside.close()
    database.close()


def test_a_busy_other_process_is_waited_for(tmp_path: Path) -> None:
    """A command that writes for a moment costs the server nothing but this moment."""
    database = make_notes(tmp_path)
    other = sqlite3.connect(tmp_path / "notes.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    waiting = database.submit(lambda tx: note(tx, "waited"))
    with pytest.raises(TimeoutError):
        waiting.result(0.3)
    other.execute("COMMIT")

    assert waiting.result(30) == "waited"
    other.close()
    database.close()


def test_a_lock_that_is_never_released_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the longest wait, to all who wait; and it is over when the lock is gone."""
    monkeypatch.setattr("pagegrade.store.engine.sqlite.BUSY_MS", 100)
    database = make_notes(tmp_path)
    other = sqlite3.connect(tmp_path / "notes.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    refused = [database.submit(lambda tx: note(tx, "refused")) for _ in range(3)]
    for each in refused:
        with pytest.raises(Unavailable) as raised:
            each.result(30)

        assert raised.value.reason == "database_locked"
    with pytest.raises(Unavailable):
        database.write_here(lambda tx: note(tx, "refused"))
    other.close()

    assert database.submit(lambda tx: note(tx, "again")).result(30) == "again"
    assert notes(database) == ["again"]
    database.close()


def test_a_file_that_is_no_database_is_reported(tmp_path: Path) -> None:
    """And works again once the file is the right one."""
    (tmp_path / "notes.db").write_bytes(b"no database at all\n" * 1000)
    database = SQLiteDatabase(f"sqlite:///{tmp_path / 'notes.db'}")

    with pytest.raises(Unavailable) as raised:
        database.read_here(lambda tx: tx.exec_driver_sql("SELECT 1").scalar_one())

    assert raised.value.reason == "database_damaged"
    (tmp_path / "notes.db").unlink()

    assert database.read_here(lambda tx: tx.exec_driver_sql("SELECT 1").scalar_one()) == 1
    database.close()


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    """As a database that cannot be reached."""
    database = SQLiteDatabase(f"sqlite:///{tmp_path / 'gone' / 'notes.db'}")

    with pytest.raises(Unavailable) as raised:
        database.write_here(lambda tx: note(tx, "nowhere"))

    assert raised.value.reason == "database_unreachable"
    database.close()


def test_a_mistake_in_a_statement_is_no_trouble_of_the_database(tmp_path: Path) -> None:
    """It must show in a test and a log, not ask callers to try again."""
    database = make_notes(tmp_path)

    with pytest.raises(DBAPIError, match="no such table"):
        database.read_here(lambda tx: tx.exec_driver_sql("SELECT * FROM nowhere"))
    with pytest.raises(DBAPIError, match="incomplete input"):
        database.submit(lambda tx: tx.exec_driver_sql("INSERT INTO")).result(30)
    database.close()


def test_a_caller_that_goes_away_does_not_stop_its_write(tmp_path: Path) -> None:
    """A write that has begun is finished, even if its caller is gone."""
    database = make_notes(tmp_path)

    async def scenario() -> None:
        go_on, held = hold(database)
        async with asyncio.TaskGroup() as tasks:
            writing = tasks.create_task(database.write(lambda tx: note(tx, "all the same")))
            await asyncio.sleep(0)
            writing.cancel()
        go_on.set()
        await asyncio.wrap_future(held)
        await database.write(lambda tx: note(tx, "next"))

    asyncio.run(scenario())

    assert notes(database) == ["all the same", "next"]
    database.close()


def test_what_waits_is_done_before_closing(tmp_path: Path) -> None:
    """And nothing is taken any more afterwards."""
    database = make_notes(tmp_path)
    go_on, _held = hold(database)
    waiting = [database.submit(partial(note, text=f"{number:03}")) for number in range(2 * GROUP)]
    go_on.set()
    database.close()

    async def late() -> None:
        with pytest.raises(Unavailable):
            await database.read(lambda tx: tx.exec_driver_sql("SELECT 1"))
        with pytest.raises(Unavailable):
            await database.write(lambda tx: note(tx, "late"))

    asyncio.run(late())

    assert [each.result(60) for each in waiting] == [f"{number:03}" for number in range(2 * GROUP)]
    database.close()


def test_a_table_can_be_rebuilt_under_those_that_refer_to_it(tmp_path: Path) -> None:
    """A migration that replaces a table must not delete what belongs to its rows; a loose end is refused."""
    database = SQLiteDatabase(f"sqlite:///{tmp_path / 'family.db'}")

    def make(tx: Transaction) -> None:
        tx.exec_driver_sql("CREATE TABLE parents (id INTEGER PRIMARY KEY)")
        tx.exec_driver_sql("CREATE TABLE children (parent INTEGER REFERENCES parents (id) ON DELETE CASCADE)")
        tx.exec_driver_sql("INSERT INTO parents VALUES (1)")
        tx.exec_driver_sql("INSERT INTO children VALUES (1)")

    def rebuild(tx: Transaction) -> None:
        tx.exec_driver_sql("CREATE TABLE replacement (id INTEGER PRIMARY KEY, name TEXT)")
        tx.exec_driver_sql("INSERT INTO replacement (id) SELECT id FROM parents")
        tx.exec_driver_sql("DROP TABLE parents")
        tx.exec_driver_sql("ALTER TABLE replacement RENAME TO parents")

    database.write_here(make)
    database.change_schema(rebuild)
    children = database.read_here(lambda tx: tx.exec_driver_sql("SELECT parent FROM children").scalars().all())
    with pytest.raises(RuntimeError, match="children refers to nothing in parents"):
        database.change_schema(lambda tx: tx.exec_driver_sql("DELETE FROM parents"))
    parents = database.read_here(lambda tx: tx.exec_driver_sql("SELECT id FROM parents").scalars().all())

    assert children == parents == [1]
    database.close()


def test_the_log_is_empty_when_it_is_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the writer takes for it after the change that it came with."""
    database = make_notes(tmp_path)
    database.submit(lambda tx: note(tx, "kept")).result()
    log = tmp_path / "notes.db-wal"
    before = log.stat().st_size
    said, early, empty = threading.Event(), [], sqlite_database._empty_log

    def late(connection: Connection) -> None:
        early.append(said.wait(0.2))
        empty(connection)

    monkeypatch.setattr(sqlite_database, "_empty_log", late)

    asyncio.run(database.empty_log())
    said.set()

    assert before > 0
    assert early == [False]
    assert log.stat().st_size == 0
    database.close()


LONG_S = 30.0


@pytest.fixture
def readers() -> Iterator[Readers]:
    """Three threads at most."""
    readers = Readers(3)
    yield readers
    readers.close()


def test_what_is_done_is_reported(readers: Readers) -> None:
    """Each outcome to who asked for it, however many ask at once, also in another loop later."""

    async def ask() -> list[int]:
        return await asyncio.gather(*(readers.run(partial(int, number)) for number in range(5 * BATCH)))

    expected = list(range(5 * BATCH))

    assert asyncio.run(ask()) == expected
    assert asyncio.run(ask()) == expected


def test_what_goes_wrong_is_reported(readers: Readers) -> None:
    """To who asked for it, and the others are not concerned."""

    def fail() -> int:
        raise LookupError("no")

    async def ask() -> tuple[int | BaseException, int | BaseException]:
        return await asyncio.gather(readers.run(fail), readers.run(lambda: 1), return_exceptions=True)

    wrong, right = asyncio.run(ask())

    assert isinstance(wrong, LookupError)
    assert right == 1


def test_work_is_done_in_another_thread(readers: Readers) -> None:
    """The loop goes on meanwhile, and quick work is all done by the same thread."""

    async def ask() -> set[int]:
        return set(await asyncio.gather(*(readers.run(threading.get_ident) for _ in range(20))))

    used = asyncio.run(ask())

    assert threading.get_ident() not in used
    assert len(used) == 1


def test_slow_work_delays_no_other_work(readers: Readers) -> None:
    """Results of the work before it, behind it, and after it are returned while it goes on."""
    end = threading.Event()

    async def ask() -> list[int]:
        before = [asyncio.ensure_future(readers.run(lambda: 1)) for _ in range(2)]  # noqa: TID251 - awaited below
        slow = asyncio.ensure_future(readers.run(lambda: end.wait(LONG_S)))  # noqa: TID251 - awaited below
        behind = [asyncio.ensure_future(readers.run(lambda: 2)) for _ in range(20)]  # noqa: TID251 - awaited below
        done = [await asyncio.wait_for(each, LONG_S / 2) for each in (*before, *behind)]
        done.append(await asyncio.wait_for(readers.run(lambda: 3), LONG_S / 2))
        assert not slow.done()
        end.set()
        return [*done, int(await slow)]

    assert asyncio.run(ask()) == [1, 1, *[2] * 20, 3, 1]


def test_one_thread_does_everything_in_its_order() -> None:
    """Without helpers, what is slow is waited for."""
    readers = Readers(1)
    order: list[int] = []

    async def ask() -> None:
        await asyncio.gather(*(readers.run(partial(order.append, number)) for number in range(20)))

    asyncio.run(ask())
    readers.close()

    assert order == list(range(20))


def test_a_canceled_call_gets_no_result(readers: Readers) -> None:
    """And what waits behind is done all the same."""
    end = threading.Event()

    async def ask() -> int:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(readers.run(lambda: end.wait(LONG_S)), 0.02)
        end.set()
        return await readers.run(lambda: 4)

    assert asyncio.run(ask()) == 4


def test_closing_finishes_what_waits() -> None:
    """And then nothing more is taken; closing what was never used does no harm."""
    readers = Readers(2)
    Readers(2).close()

    async def ask() -> list[int]:
        asked = [asyncio.ensure_future(readers.run(lambda: 5)) for _ in range(3)]  # noqa: TID251 - awaited below
        await asyncio.sleep(0)
        readers.close()
        return [await each for each in asked]

    async def ask_again() -> None:
        await readers.run(lambda: 6)

    assert asyncio.run(ask()) == [5, 5, 5]

    with pytest.raises(RuntimeError):
        asyncio.run(ask_again())
