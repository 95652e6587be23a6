from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
import sqlite3
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.errors import InvalidInput, Unavailable
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.postgresql import PostgresDatabase
from pagegrade.store.repositories.installation import Process, beat
from pagegrade.store.schema.migrate import migrate, schema_state
from pagegrade.store.schema.tables import api_keys, idempotency, metadata, visits
from pagegrade.store.transfer.copy import (
    LEFT,
    MOVED,
    NAMED,
    Digest,
    Rows,
    TargetUnavailable,
    TransferDiffers,
    open_source,
    read_text,
    transfer,
)
from tests.populated_installation import Left
from tests.postgres import databases, execute
from tests.store.transfer.conftest import is_empty, move
from tests.store_builders import NOW_MS, add_owner, make_file

pytestmark = pytest.mark.backend("sqlite", reason="it is about both of them")

SETTLED = {"runs", "reports", "report_counts", "visits", "accounts", "run_details"}
"""Tables in which more than the rows of SQLite is to be seen: what became of the runs that were under way."""
INDEXES = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname"


def copied(left: Left, tmp_path: Path) -> Path:
    """The file of the installation, to be spoiled."""
    return Path(shutil.copy(left.path, tmp_path / "copy.db"))


def spoil(path: Path, statement: str, *values: object) -> None:
    """Write by hand, with nothing that would object."""
    with contextlib.closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(statement, values)


def rows_of(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables that go along, by table."""

    def read(tx: Transaction) -> dict[str, list[tuple[Any, ...]]]:
        found = {}
        for table in MOVED:
            names = ", ".join(f'"{column.name}"' for column in table.columns)
            rows = [tuple(row) for row in tx.exec_driver_sql(f"SELECT {names} FROM {table.name}")]  # noqa: S608
            found[table.name] = sorted(rows, key=repr)
        return found

    return database.read_here(read)


def indexes(url: str) -> list[str]:
    """Every index there is; casts are written in another way by a server that has read its own words."""
    return [re.sub(r"::(text|character varying)(\[\])?|[() ]", "", words) for (words,) in execute(url, INDEXES)]


def test_every_table_goes_along_or_is_known_to_stay() -> None:
    """A new table cannot be forgotten here."""
    assert {table.name for table in MOVED} | LEFT == set(metadata.tables)
    assert set(LEFT) == {"processes"}


def test_everything_arrives(filled: Left, target: PostgresDatabase) -> None:
    """Every row of every table, to the last byte; the installation that it came from has something in each of them."""
    source = open_source(filled.path)
    before = rows_of(source)
    source.close()
    watched: list[tuple[object, ...]] = []
    done = move(filled.path, target, watched)
    after = rows_of(target)
    # The keys of cookies and the like; facts about the tables are each database's own.
    kept = {name: value for name, value in before["installation"] if name not in {"migrated_by", "works_from"}}

    assert [name for name, rows in before.items() if not rows] == []
    assert {each.table: each.rows for each in done.tables if each.table != "installation"} == {
        name: len(rows) for name, rows in before.items() if name != "installation"
    }
    assert all(each.is_same for each in done.tables)
    assert {words[1] for words in watched} == {table.name for table in MOVED}
    assert kept
    assert kept.items() <= dict(after["installation"]).items()
    assert schema_state(target).status == "current"
    assert indexes(target.url) == indexes(databases().make())
    for name in set(before) - SETTLED - {"installation"}:
        assert after[name] == before[name], name


def test_runs_wait_for_the_first_worker(filled: Left, target: PostgresDatabase) -> None:
    """Those under way lose their worker and keep their attempt; one on its last attempt has failed. Others wait."""
    done = move(filled.path, target)
    found = target.read_here(
        lambda tx: tx.exec_driver_sql(
            "SELECT report_id, runs.state, reports.state, attempt, worker, lease_until_ms, offered, leader_id IS NULL "
            "FROM runs JOIN reports ON reports.id = report_id WHERE finished_at_ms IS NULL OR report_id = %s",
            (filled.exhausted,),
        ).all()
    )
    runs = {row[0]: tuple(row[1:]) for row in found}
    open_visits = target.read_here(
        lambda tx: tx.exec_driver_sql("SELECT count(*) FROM visits WHERE ended_at_ms IS NULL").scalar()
    )
    leader, follower, again = filled.waiting

    assert done.given_back == 2
    assert runs[filled.under_way][:5] == ("queued", "queued", 1, None, None)
    assert runs[filled.exhausted][:5] == ("failed", "failed", 3, None, None)
    assert runs[leader] == ("queued", "queued", 0, None, None, 0, True)
    assert runs[follower] == ("queued", "queued", 0, None, None, 0, False)
    assert runs[again] == ("queued", "queued", 0, None, None, 0, True)
    assert open_visits == 0


def test_no_id_is_ever_used_again(filled: Left, target: PostgresDatabase) -> None:
    """Neither one that is there nor one whose row was deleted before."""
    with contextlib.closing(sqlite3.connect(filled.path)) as raw:
        used = dict(raw.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
        # The one table whose ids are never shown.
        used |= dict(raw.execute("SELECT 'visits', max(id) FROM visits").fetchall())
    move(filled.path, target)

    assert used["reports"] == filled.deleted
    for table in MOVED:
        if "id" in table.columns:
            statement = f"SELECT nextval(pg_get_serial_sequence('{table.name}', 'id'))"
            (new,) = execute(target.url, statement)[0]
            assert new == used[table.name] + 1, table.name


def test_the_source_stays_as_it_is(filled: Left, target: PostgresDatabase, tmp_path: Path) -> None:
    """To the last byte, and it cannot be changed meanwhile."""
    path = copied(filled, tmp_path)
    before = hashlib.sha256(path.read_bytes()).digest()
    refused = []

    def watch(*_: object) -> None:
        with contextlib.closing(sqlite3.connect(path, timeout=0)) as raw:
            try:
                raw.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                refused.append(True)

    source = open_source(path)
    transfer(source, target, now_ms=now_ms(), watch=watch)
    source.close()

    assert len(refused) == 2 * len(MOVED)
    assert hashlib.sha256(path.read_bytes()).digest() == before


def test_a_database_with_empty_tables_is_taken(filled: Left, target: PostgresDatabase) -> None:
    """``pagegrade migrate`` may have been there before."""
    migrate(target)
    target.write_here(
        lambda tx: tx.exec_driver_sql("INSERT INTO installation (name, value) VALUES ('cookies', 'another')")
    )

    assert all(each.is_same for each in move(filled.path, target).tables)


def test_a_database_that_is_in_use_is_refused(filled: Left, target: PostgresDatabase) -> None:
    """Two installations are not mixed."""
    migrate(target)
    add_owner(target)

    with pytest.raises(InvalidInput, match=r"its table accounts holds rows.*Make a new database"):
        move(filled.path, target)
    names = target.read_here(lambda tx: tx.exec_driver_sql("SELECT name FROM accounts").scalars().all())

    assert names == ["Alice"]


def test_a_process_on_the_target_is_to_be_stopped_first(filled: Left, target: PostgresDatabase) -> None:
    """It would work on what is not there yet."""
    migrate(target)
    worker = Process(name="w", kind="worker", version="1", host="mill", pid=77)
    target.write_here(lambda tx: beat(tx, worker, now_ms()))

    with pytest.raises(InvalidInput, match=r"pagegrade worker on mill, process 77\. Stop it"):
        move(filled.path, target)


def test_another_programs_database_is_left_alone(filled: Left, target: PostgresDatabase) -> None:
    """A wrong URL must not mix two programs."""
    target.write_here(lambda tx: tx.exec_driver_sql("CREATE TABLE bookmarks (id integer)"))

    with pytest.raises(InvalidInput, match="another program"):
        move(filled.path, target)


def test_tables_of_an_earlier_version_are_to_be_migrated_first(
    filled: Left, target: PostgresDatabase, tmp_path: Path
) -> None:
    """The message says how: the file is not changed by a transfer."""
    path = copied(filled, tmp_path)
    spoil(path, "UPDATE alembic_version SET version_num = '0002'")

    with pytest.raises(InvalidInput, match=r"PAGEGRADE_DATABASE_URL=sqlite:///\S+copy\.db pagegrade migrate first"):
        move(path, target)

    assert is_empty(target)


def test_text_that_cannot_be_kept_is_cleaned_and_named(filled: Left, target: PostgresDatabase, tmp_path: Path) -> None:
    """NUL and what is no UTF-8, which nothing of ours has ever written."""
    path = copied(filled, tmp_path)
    spoil(path, "UPDATE accounts SET name = 'a' || char(0) || 'b' WHERE id = 1")
    spoil(path, "UPDATE api_keys SET name = CAST(x'61EDA08062FF' AS TEXT) WHERE id = 2")
    done = move(path, target)
    names = target.read_here(
        lambda tx: (
            tx.exec_driver_sql(
                "SELECT name FROM accounts WHERE id = 1 UNION ALL SELECT name FROM api_keys WHERE id = 2"
            )
            .scalars()
            .all()
        )
    )

    odd = "\N{REPLACEMENT CHARACTER}"

    assert (done.cleaned, done.cleaned_rows) == (2, ("accounts 1", "api_keys 2"))
    assert names == [
        f"a{odd}b",
        f"a{3 * odd}b{odd}",
    ]
    assert all(each.is_same for each in done.tables)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            ("UPDATE accounts SET locale = ? WHERE id = 2", "x" * 36),
            r"accounts 2.*locale holds more than 35 characters",
        ),
        (("UPDATE accounts SET name = ? WHERE id = 2", b"x"), r"accounts 2.*name holds bytes instead of text"),
        (("UPDATE reports SET score = ? WHERE id = 1", 40_000), r"reports 1.*score holds a number that is out of"),
        (
            ("UPDATE reports SET dated_at_ms = ? WHERE id = 1", "soon"),
            r"reports 1.*dated_at_ms holds text instead of a",
        ),
        (("UPDATE reports SET account_id = ? WHERE id = 1", 99), r"refers to nothing"),
    ],
    ids=["long", "bytes", "range", "text", "orphan"],
)
def test_rows_that_do_not_fit_are_refused_and_named(
    filled: Left, target: PostgresDatabase, tmp_path: Path, edit: tuple[str, object], message: str
) -> None:
    """They were written by hand and can be fixed."""
    path = copied(filled, tmp_path)
    spoil(path, *edit)

    with pytest.raises(InvalidInput, match=message):
        move(path, target)

    assert is_empty(target)


def test_a_damaged_file_is_refused(filled: Left, target: PostgresDatabase, tmp_path: Path) -> None:
    """Before anything is sent."""
    path = copied(filled, tmp_path)
    with path.open("r+b") as file:
        file.seek(20 * 4096)
        file.write(b"\xff" * 40 * 4096)

    with pytest.raises((InvalidInput, Unavailable)):
        move(path, target)

    assert is_empty(target)


def test_a_target_that_changes_what_it_is_given_is_found_out(filled: Left, target: PostgresDatabase) -> None:
    """The copied rows are read back, and a difference undoes everything."""
    migrate(target)
    execute(
        target.url,
        "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.project := 'x'; RETURN new; END $$; "
        "CREATE TRIGGER spoil BEFORE INSERT ON reports FOR EACH ROW WHEN (new.id = 2) EXECUTE FUNCTION spoil()",
    )

    with pytest.raises(TransferDiffers) as raised:
        move(filled.path, target)

    assert [each.table for each in raised.value.tables if not each.is_same] == ["reports"]
    assert execute(target.url, "SELECT count(*) FROM reports") == [(0,)]


def test_a_target_that_is_not_there_is_distinguished_from_a_source(filled: Left) -> None:
    """The message of a command names the right one."""
    gone = PostgresDatabase("postgresql+psycopg://missing@127.0.0.1:1/nothing")

    with pytest.raises(TargetUnavailable):
        move(filled.path, gone)
    gone.close()


def test_memory_does_not_grow_with_the_database(tmp_path: Path, target: PostgresDatabase) -> None:
    """Rows go through one by one, there and back."""
    database = make_file(tmp_path)
    add_owner(database)
    database.close()
    with contextlib.closing(sqlite3.connect(database.path)) as raw, raw:
        for number in range(1, 61):
            raw.execute(
                "INSERT INTO reports (id, account_id, url, project, privacy, slug, state, dated_at_ms, created_at_ms, "
                "updated_at_ms, summary) VALUES (?, 1, 'https://example.com/', 'example.com', 0, ?, 'completed', "
                "?, ?, ?, randomblob(1000000))",
                (number, f"slug-{number}", NOW_MS, NOW_MS, NOW_MS),
            )
    tracemalloc.start()
    done = move(database.path, target)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert {each.table: each.found_rows for each in done.tables}["reports"] == 60
    assert most < 30_000_000


VISIT = (1, 2, "example.com", 3, None)
TYPES = {"int2", "int4", "int8", "varchar", "text", "bytea"}


def digest_of(*rows: tuple[object, ...]) -> str:
    """Of a table with these rows."""
    digest = Digest()
    for row in rows:
        digest.add(row)
    return digest.text


def test_a_digest_distinguishes_any_two_tables() -> None:
    """By every value and its type, by where one ends, and by how often a row is there; not by the order."""
    a, b = (1, "a"), (2, b"a")

    digests = [
        digest_of(),
        digest_of(a),
        digest_of(a, a),
        digest_of((1, b"a")),
        digest_of(("1", "a")),
        digest_of((1, None)),
    ]
    digests += [digest_of(("ab", "c")), digest_of(("a", "bc")), digest_of((1, "")), digest_of(a, b)]

    assert len(set(digests)) == len(digests)
    assert {len(each) for each in digests} == {64}
    assert digest_of(a, b) == digest_of(b, a)


def test_a_row_that_fits_goes_through_as_it_is() -> None:
    """And is counted."""
    rows = Rows(visits)

    assert rows.take(VISIT) is VISIT
    assert (rows.digest.rows, rows.digest.text) == (1, digest_of(VISIT))
    assert rows.cleaned == 0


def test_every_column_has_a_type_of_postgresql() -> None:
    """Of every table."""
    for table in metadata.tables.values():
        rows = Rows(table)

        assert len(rows.names) == len(rows.types) == len(table.columns)
        assert set(rows.types) <= TYPES


@pytest.mark.parametrize("odd", [0, 0xD800, 0xDCFF], ids=hex)
def test_text_that_cannot_be_kept_is_cleaned(odd: int) -> None:
    """The digest is that of what is kept."""
    rows = Rows(visits)
    kept = (1, 2, "a\N{REPLACEMENT CHARACTER}b", 3, None)

    assert rows.take((1, 2, f"a{chr(odd)}b", 3, None)) == kept
    assert rows.digest.text == digest_of(kept)
    assert (rows.cleaned, rows.named) == (1, ["visits 1"])


def test_only_the_first_of_them_are_named() -> None:
    """There may be millions."""
    rows = Rows(visits)
    for number in range(2 * NAMED):
        rows.take((number, 2, "\x00", 3, None))

    assert (rows.cleaned, len(rows.named)) == (2 * NAMED, NAMED)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((1, 2, "x" * 301, 3, None), r"visits 1.*target holds more than 300 characters of text"),
        ((1, 2, b"x", 3, None), r"target holds bytes instead of text"),
        ((1, 2, 2.5, 3, None), r"target holds a fraction instead of text"),
        ((1, "2", "x", 3, None), r"run_id holds text instead of a number"),
        ((1, 1 << 63, "x", 3, None), r"run_id holds a number that is out of the range"),
    ],
    ids=["long", "bytes", "fraction", "text", "large"],
)
def test_what_does_not_fit_is_named(row: tuple[object, ...], message: str) -> None:
    """With its table, its key and its column."""
    with pytest.raises(InvalidInput, match=message):
        Rows(visits).take(row)


def test_the_largest_and_the_longest_fit() -> None:
    """Each column to its own limit."""
    row = ((1 << 63) - 1, -(1 << 63), "\N{PILE OF POO}" * 300, 3, None)

    assert Rows(visits).take(row) is row


def test_a_name_shows_no_bytes_and_no_odd_characters() -> None:
    """It goes to a terminal."""
    rows = Rows(idempotency)
    rows.take((1, "POST", "/x\x00", b"\x00" * 32, b"\x00" * 32, 7, 5))

    assert rows.named == ["idempotency 1, POST, /x\N{REPLACEMENT CHARACTER}"]
    assert Rows(api_keys).names[0] == "id"


def test_bytes_that_are_no_text_can_be_named() -> None:
    """Each becomes a lone surrogate, which no real text has."""
    assert read_text("ü".encode()) == "ü"
    assert read_text(b"a\xffb") == "a\udcffb"
