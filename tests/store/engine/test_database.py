"""Promises of every kind of database to readers and writers."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from pagegrade.model.errors import NotFound, Unavailable
from pagegrade.store.engine.database import Database, Transaction, is_shared, moment, savepoint
from pagegrade.store.engine.factory import open_database
from tests.database_clock import make_clock, show
from tests.store_builders import NOW_MS, make_empty

MANY = 200


def make_notes(tmp_path: Path) -> Database:
    """A database with one table to write into."""
    database = make_empty(tmp_path)
    database.write_here(lambda tx: tx.exec_driver_sql("CREATE TABLE notes (words VARCHAR(2000000) NOT NULL)"))
    return database


def note(tx: Transaction, words: str | None) -> str | None:
    """Write one row."""
    tx.execute(text("INSERT INTO notes (words) VALUES (:words)"), {"words": words})
    return words


def note_twice(tx: Transaction, words: str) -> None:
    """Write two rows."""
    note(tx, f"{words} a")
    note(tx, f"{words} b")


def read_notes(tx: Transaction) -> list[str]:
    """All rows, sorted."""
    return sorted(tx.exec_driver_sql("SELECT words FROM notes").scalars().all())


def count_notes(tx: Transaction) -> int:
    """The number of rows."""
    return int(tx.exec_driver_sql("SELECT count(*) FROM notes").scalar_one())


def test_writes_are_kept_and_read_back(tmp_path: Path) -> None:
    """With the value that the work gave."""
    database = make_notes(tmp_path)

    async def scenario() -> tuple[str | None, int]:
        written = await database.write(lambda tx: note(tx, "one"))
        return written, await database.read(count_notes)

    assert asyncio.run(scenario()) == ("one", 1)
    database.close()


def test_what_was_written_outlives_the_process(tmp_path: Path) -> None:
    """The next process that opens the database finds it."""
    database = make_notes(tmp_path)
    database.write_here(lambda tx: note(tx, "here"))
    database.submit(lambda tx: note(tx, "there")).result(30)
    database.close()
    again = open_database(database.url)

    assert again.read_here(read_notes) == ["here", "there"]
    again.close()


def test_many_writes_at_once_are_all_kept(tmp_path: Path) -> None:
    """Whichever threads and transactions they go into."""
    database = make_notes(tmp_path)
    wanted = sorted(f"{number:04}" for number in range(MANY))
    promises = [database.submit(partial(note, words=words)) for words in wanted]

    assert [promise.result(30) for promise in promises] == wanted
    assert database.read_here(read_notes) == wanted
    database.close()


@pytest.mark.parametrize("beside", [False, True])
def test_what_raises_is_undone(tmp_path: Path, *, beside: bool) -> None:
    """Neither an error of ours nor one of the database leaves a trace, and what comes next is not concerned."""
    database = make_notes(tmp_path)

    def refuse(tx: Transaction) -> None:
        note(tx, "never seen")
        raise NotFound

    def stumble(tx: Transaction) -> None:
        note(tx, "never seen")
        note(tx, None)

    write = database.write_here if beside else lambda work: database.submit(work).result(30)
    write(lambda tx: note(tx, "before"))
    with pytest.raises(NotFound):
        write(refuse)
    with pytest.raises(DBAPIError, match=r"(?i)not.null"):
        write(stumble)
    write(lambda tx: note(tx, "after"))

    assert database.read_here(read_notes) == ["after", "before"]
    database.close()


def test_what_a_reader_raises_reaches_its_caller(tmp_path: Path) -> None:
    """And the thread reads on afterwards."""
    database = make_notes(tmp_path)

    def refuse(tx: Transaction) -> None:
        count_notes(tx)
        raise NotFound

    async def scenario() -> int:
        for _ in range(10):
            with pytest.raises(NotFound):
                await database.read(refuse)
        return await database.read(count_notes)

    assert asyncio.run(scenario()) == 0
    with pytest.raises(NotFound):
        database.read_here(refuse)
    database.close()


def test_a_reader_sees_the_old_or_the_new_never_half(tmp_path: Path) -> None:
    """N11: what one piece of work writes appears at once; a reading that has begun does not change."""
    database = make_notes(tmp_path)
    pairs = 100
    seen: set[int] = set()
    moved: list[int] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            first, second = database.read_here(lambda tx: (count_notes(tx), count_notes(tx)))
            seen.add(first)
            if first != second:
                moved.append(first)

    with ThreadPoolExecutor(2) as threads:
        reading = [threads.submit(read) for _ in range(2)]
        for number in range(pairs):
            database.submit(partial(note_twice, words=str(number))).result(30)
        done.set()
    for each in reading:
        each.result(60)

    assert moved == []
    assert {count % 2 for count in seen} == {0}
    assert database.read_here(count_notes) == 2 * pairs
    database.close()


def test_twenty_writers_lose_nothing(tmp_path: Path) -> None:
    """N12: in the threads for it, beside them, and from a second process's point of view."""
    database = make_notes(tmp_path)
    other = open_database(database.url, checkpoints=False)

    def write(writer: int) -> None:
        for number in range(5):
            words = f"{writer} {number}"
            if writer % 2:
                other.write_here(partial(note, words=words))
            else:
                database.submit(partial(note, words=words)).result(30)

    with ThreadPoolExecutor(20) as threads:
        for done in [threads.submit(write, writer) for writer in range(20)]:
            done.result(60)

    assert database.read_here(count_notes) == other.read_here(count_notes) == 100
    other.close()
    database.close()


def test_a_mistake_in_a_statement_is_no_trouble_of_the_database(tmp_path: Path) -> None:
    """It must show in a test and a log, not ask callers to try again."""
    database = make_notes(tmp_path)

    for work in (
        lambda tx: tx.exec_driver_sql("SELECT * FROM nowhere"),
        lambda tx: tx.exec_driver_sql("INSERT INTO"),
        lambda tx: tx.exec_driver_sql("SELECT words + FROM notes"),
    ):
        with pytest.raises(DBAPIError):
            database.read_here(work)
        with pytest.raises(DBAPIError):
            database.submit(work).result(30)
        with pytest.raises(DBAPIError):
            database.write_here(work)

    assert database.read_here(count_notes) == 0
    database.close()


def test_an_error_does_not_repeat_what_was_to_be_written(tmp_path: Path) -> None:
    """Errors end in logs, and a written value may be a secret."""
    database = make_notes(tmp_path)
    database.write_here(lambda tx: tx.exec_driver_sql("CREATE UNIQUE INDEX one ON notes (words)"))
    database.write_here(lambda tx: note(tx, "hunter2"))
    nowhere = text("INSERT INTO nowhere VALUES (:words)")

    for work in (lambda tx: tx.execute(nowhere, {"words": "hunter2"}), lambda tx: note(tx, "hunter2")):
        with pytest.raises(DBAPIError) as raised:
            database.write_here(work)

        assert "hunter2" not in str(raised.value)
        assert "hunter2" not in "".join(str(each) for each in raised.value.args)
    database.close()


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    """It would fail on the day when another one writes."""
    database = make_notes(tmp_path)

    async def scenario() -> None:
        with pytest.raises(DBAPIError, match=r"(?i)read.?only"):
            await database.read(lambda tx: note(tx, "by the way"))

    with pytest.raises(DBAPIError, match=r"(?i)read.?only"):
        database.read_here(lambda tx: note(tx, "by the way"))
    asyncio.run(scenario())

    assert database.read_here(read_notes) == []
    database.close()


def test_a_caller_that_goes_away_does_not_stop_its_write(tmp_path: Path) -> None:
    """A write that has begun is finished, even if its caller is gone."""
    database = make_notes(tmp_path)
    begun, go_on = threading.Event(), threading.Event()

    def slowly(tx: Transaction) -> None:
        note(tx, "all the same")
        begun.set()
        assert go_on.wait(20)

    async def scenario() -> None:
        async with asyncio.TaskGroup() as tasks:
            writing = tasks.create_task(database.write(slowly))
            await asyncio.to_thread(begun.wait, 20)
            writing.cancel()
        go_on.set()
        await database.write(lambda tx: note(tx, "next"))

    asyncio.run(scenario())
    database.close()
    again = open_database(database.url)

    assert again.read_here(read_notes) == ["all the same", "next"]
    again.close()


def test_what_waits_is_done_before_closing(tmp_path: Path) -> None:
    """And nothing is taken any more afterwards."""
    database = make_notes(tmp_path)
    waiting = [database.submit(partial(note, words=f"{number:03}")) for number in range(MANY)]
    database.close()

    async def late() -> None:
        with pytest.raises(Unavailable):
            await database.read(count_notes)
        with pytest.raises(Unavailable):
            await database.at_once(count_notes)
        with pytest.raises(Unavailable):
            await database.write(lambda tx: note(tx, "late"))

    asyncio.run(late())

    assert [each.result(60) for each in waiting] == [f"{number:03}" for number in range(MANY)]


def test_steps_are_reported_before_they_begin(tmp_path: Path) -> None:
    """In the same thread, and before the view of the reader begins."""
    database = make_notes(tmp_path)
    database.write_here(lambda tx: note(tx, "one"))

    async def scenario() -> tuple[int, list[str]]:
        return await database.read(lambda tx, before: (before, read_notes(tx)), first=count_notes)

    assert asyncio.run(scenario()) == (1, ["one"])
    database.close()


@pytest.mark.backend("postgresql", reason="what is counted in memory elsewhere is written here")
def test_what_is_done_first_stands_for_itself(tmp_path: Path) -> None:
    """Its writes are visible at once, for all, whatever becomes of the rest."""
    database = make_notes(tmp_path)
    seen: list[int] = []

    def refuse(tx: Transaction, _given: object) -> None:
        seen.append(count_notes(tx))
        raise NotFound

    async def scenario() -> None:
        with pytest.raises(NotFound):
            await database.read(refuse, first=lambda tx: note(tx, "counted"))
        with pytest.raises(NotFound):
            await database.at_once(lambda tx: refuse(tx, note(tx, "counted too")))

    asyncio.run(scenario())

    assert seen == [1, 2]
    assert database.read_here(read_notes) == ["counted", "counted too"]
    database.close()


def test_commits_are_reported(tmp_path: Path) -> None:
    """The number of pieces of work in each, for the metrics; failed ones are not among them."""
    database = make_notes(tmp_path)
    commits: list[tuple[int, float]] = []
    database.on_commit = lambda count, seconds: commits.append((count, seconds))
    for number in range(5):
        database.submit(partial(note, words=str(number))).result(30)
    with pytest.raises(DBAPIError):
        database.submit(lambda tx: note(tx, None)).result(30)
    database.close()

    assert sum(count for count, _ in commits) == 5
    assert all(seconds > 0 for _, seconds in commits)


def test_the_schema_is_changed_by_one_at_a_time(tmp_path: Path) -> None:
    """A second process waits meanwhile, and finds the changed schema."""
    database = make_notes(tmp_path)
    others = [open_database(database.url, checkpoints=False) for _ in range(4)]

    def add_one(tx: Transaction) -> int:
        count = count_notes(tx)
        tx.exec_driver_sql(f"CREATE TABLE made_{count} (id INTEGER)")
        note(tx, str(count))
        return count

    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(lambda each: each.change_schema(add_one), others))
    for each in others:
        each.close()

    assert sorted(made) == [0, 1, 2, 3]
    database.close()


def test_the_clock_is_the_one_of_the_database(tmp_path: Path) -> None:
    """A single process passes its own time; several ask the database, whatever their own clocks say."""
    database = make_empty(tmp_path)
    make_clock(database)
    show(database, NOW_MS + 5)
    wrong_ms = NOW_MS - 3_600_000
    shared, now_ms = database.read_here(lambda tx: (is_shared(tx), moment(tx, wrong_ms)))

    assert shared == database.shared
    assert now_ms == (NOW_MS + 5 if database.shared else wrong_ms)
    database.close()


@pytest.mark.parametrize("path", ["read", "read first", "at once", "write", "submit"])
@pytest.mark.parametrize("left", ["open", "aborted"])
def test_a_transaction_that_was_left_is_never_used_again(tmp_path: Path, path: str, left: str) -> None:
    """However it was left: the next work on the same connection finds a transaction of its own."""
    database = make_notes(tmp_path)

    def leave(tx: Transaction) -> int:
        """Begin a transaction and lose its end, as where the end of one was canceled."""
        begin = "BEGIN" if path in {"at once", "read first"} and database.shared else "SELECT 1"
        tx.exec_driver_sql(begin)
        if left == "aborted":
            with contextlib.suppress(Exception):
                tx.exec_driver_sql("SELECT * FROM nothing_of_that_name")
        return 1

    async def use() -> object:
        match path:
            case "read":
                return await database.read(leave)
            case "read first":
                return await database.read(lambda _, left: left, leave)
            case "at once":
                return await database.at_once(leave)
            case "write":
                return await database.write(leave)
            case _:
                return await asyncio.wrap_future(database.submit(leave))

    async def main() -> list[int]:
        for _ in range(20):
            with contextlib.suppress(Exception):
                await use()
        return [
            await database.read(count_notes),
            await database.write(count_notes),
            await database.at_once(count_notes),
        ]

    found = asyncio.run(main())

    assert found == [0, 0, 0]
    database.close()


def test_a_failed_block_leaves_a_transaction_that_goes_on(tmp_path: Path) -> None:
    """Its changes are undone, also where an error in it was passed over, and what was changed before stays."""
    database = make_notes(tmp_path)

    def work(tx: Transaction) -> int:
        tx.exec_driver_sql("INSERT INTO notes (words) VALUES ('kept')")
        with contextlib.suppress(ZeroDivisionError), savepoint(tx, "trying"):
            tx.exec_driver_sql("INSERT INTO notes (words) VALUES ('lost')")
            with contextlib.suppress(Exception):
                tx.exec_driver_sql("SELECT * FROM nothing_of_that_name")
            raise ZeroDivisionError
        return count_notes(tx)

    assert database.write_here(work) == 1
    database.close()
