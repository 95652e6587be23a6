"""Transfer a whole installation from SQLite to PostgreSQL, atomically and verified before the commit.

The source is read in one transaction that blocks other writers, and is not changed. The target is written in one
transaction, including its tables: if this process ends early, the target is unchanged. Rows are streamed, so that
neither database has to fit into memory. Then the target is read back, and the transaction is committed only if it
contains exactly the same rows.

SQLite accepts any value for any column: text with NUL, numbers of any size, text of any length. Values written by this
program always fit; manual changes, or those of an early version, may not, so each is validated and cleaned.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import psycopg
from sqlalchemy import URL, BigInteger, Integer, LargeBinary, SmallInteger, String, Table, Text, text
from sqlalchemy.exc import DBAPIError, OperationalError

from pagegrade.model.errors import InvalidInput, Unavailable
from pagegrade.report.sanitize import clean_text
from pagegrade.store.engine import postgresql, sqlite
from pagegrade.store.engine.database import Transaction, name_of
from pagegrade.store.engine.postgresql import PostgresDatabase
from pagegrade.store.engine.sqlite_database import SQLiteDatabase
from pagegrade.store.queue.lease_reaper import reap_runs
from pagegrade.store.repositories.installation import list_live
from pagegrade.store.schema.migrate import (
    SCHEMA_ROW,
    VERSION_ROW,
    WORKS_ROW,
    check_schema,
    schema_state,
    upgrade_within,
)
from pagegrade.store.schema.sqlite_inspection import find_damage
from pagegrade.store.schema.tables import installation, metadata

LEFT: Final = frozenset({"processes"})
"""Tables that are not copied: they describe running processes."""
MOVED: Final[tuple[Table, ...]] = tuple(table for table in metadata.sorted_tables if table.name not in LEFT)
"""All other tables, each after those it references."""
WATCH_EVERY: Final = 1_000
"""Number of rows between two progress reports."""
SILENT_MS: Final = 60_000
"""Time without a heartbeat after which a process no longer blocks the transfer."""
_OWN: Final = (VERSION_ROW, WORKS_ROW, SCHEMA_ROW)
"""Rows of ``installation`` that describe the schema, so that each database has its own."""
_OWN_LIST: Final = ", ".join(f"'{name}'" for name in _OWN)
_INDEXES: Final = (
    "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid IN "
    "(SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(%s)) "
    "AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)"
)
_TURNS: Final = text(
    "UPDATE runs SET turn = waiting.place FROM (SELECT id, row_number() OVER (PARTITION BY account_id, priority "
    "ORDER BY id) AS place FROM runs WHERE state IN ('queued', 'running')) AS waiting WHERE runs.id = waiting.id"
)
"""Keeps the order in which accounts take turns, also for the queued runs."""

Watch = Callable[[Literal["copy", "check"], str, int, int], None]
"""Called with (step, name of the table, finished rows, rows of the table)."""


class Moved(msgspec.Struct, frozen=True):
    """Comparison of one table in both databases."""

    table: str
    rows: int
    digest: str
    found_rows: int
    found_digest: str

    @property
    def is_same(self) -> bool:
        """True if the target contains the same rows as the source."""
        return (self.rows, self.digest) == (self.found_rows, self.found_digest)


class Transferred(msgspec.Struct, frozen=True):
    """Result of a transfer."""

    tables: tuple[Moved, ...]
    cleaned: int
    """Rows with text that PostgreSQL cannot store, which was replaced by U+FFFD."""
    cleaned_rows: tuple[str, ...]
    """Names of the first of these rows."""
    given_back: int
    """Runs under way that were returned to the queue."""


class TransferDiffers(Exception):
    """The target does not contain the rows that were written to it; nothing was transferred."""

    def __init__(self, tables: tuple[Moved, ...]) -> None:
        super().__init__("the target differs")
        self.tables = tables


class TargetUnavailable(Unavailable):
    """The target database cannot be used."""


def open_source(path: Path) -> SQLiteDatabase:
    """Open a database file without other threads and without checkpoints."""
    url = URL.create("sqlite", database=str(path)).render_as_string(hide_password=False)
    return SQLiteDatabase(url, readers=1, checkpoints=False)


def transfer(source: SQLiteDatabase, target: PostgresDatabase, *, now_ms: int, watch: Watch) -> Transferred:
    """Transfer all tables.

    Queued runs stay queued; runs under way are queued again, or fail if that was their last attempt.

    Args:
        source: Not used by any server; the caller holds its locks.

    Raises:
        InvalidInput: One of the databases is not suitable; the message describes the solution.
        TransferDiffers: The target does not match the source.
        Unavailable: The source cannot be read.
        TargetUnavailable: The target cannot be written.
    """
    _check_source(source)
    with _of_target():
        if check_schema(schema_state(target)).status == "ahead":
            raise InvalidInput(
                f"The database {name_of(target)} was made by a later version of Pagegrade. Transfer with that version, "
                "or to a new database."
            )

    def move(from_: Transaction) -> Transferred:
        with _of_target():
            return target.change_schema(lambda to: _move(from_, to, name_of(target), now_ms, watch))

    return source.write_here(move)  # blocks other writers


def _check_source(source: SQLiteDatabase) -> None:
    state = check_schema(schema_state(source))
    if state.status == "empty":
        raise InvalidInput(f"{source.path} holds nothing. Name the database of your installation with --from FILE.")
    if state.status != "current":
        raise InvalidInput(
            f"{source.path} has schema {state.current}, and this version transfers schema {state.head}. "
            + (
                "Transfer with the version that made it."
                if state.status == "ahead"
                else f"Run PAGEGRADE_DATABASE_URL=sqlite:///{source.path} pagegrade migrate first."
            )
        )
    damage = find_damage(source)
    if damage:
        raise InvalidInput(f"{source.path} is damaged ({damage[0]}). Repair it or restore a backup, then begin again.")


def _move(from_: Transaction, to: Transaction, name: str, now_ms: int, watch: Watch) -> Transferred:
    # Reading the source may take longer than the usual timeout of an idle transaction.
    to.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
    upgrade_within(to)
    _check_empty(to, name, now_ms)
    to.exec_driver_sql(f"DELETE FROM installation{_only(installation)}")  # noqa: S608
    sqlite.driver_of(from_).text_factory = read_text
    indexes = _drop_indexes(to)
    sent = [_copy(from_, to, table, watch) for table in MOVED]
    for statement in indexes:
        to.exec_driver_sql(statement)
    tables = tuple(_check(to, rows, watch) for rows in sent)
    if not all(each.is_same for each in tables):
        raise TransferDiffers(tables)
    _set_sequences(from_, to)
    given_back = int(to.exec_driver_sql("SELECT count(*) FROM runs WHERE state = 'running'").scalar_one())
    _settle_runs(to, now_ms)
    # Without statistics the first queries would be planned for empty tables.
    to.exec_driver_sql(f"ANALYZE {', '.join(table.name for table in MOVED)}")
    return Transferred(
        tables, sum(rows.cleaned for rows in sent), tuple(each for rows in sent for each in rows.named), given_back
    )


def _check_empty(to: Transaction, name: str, now_ms: int) -> None:
    """Fail if the target is in use; lock its tables until the transaction ends."""
    to.exec_driver_sql(f"LOCK TABLE {', '.join(table.name for table in MOVED)} IN ACCESS EXCLUSIVE MODE")
    for table in MOVED:
        if table is installation:
            continue
        if to.exec_driver_sql(f"SELECT EXISTS (SELECT 1 FROM {table.name})").scalar():  # noqa: S608 - names of ours
            raise InvalidInput(
                f"The database {name} is in use: its table {table.name} holds rows. A transfer does not mix two "
                "installations. Make a new database, and start no server on it before the transfer.",
                reason="target_in_use",
            )
    live = list_live(to, now_ms, SILENT_MS)
    if live:
        raise InvalidInput(
            f"A process works on the database {name}: pagegrade {live[0].kind} on {live[0].host}, process "
            f"{live[0].pid}. Stop it first.",
            reason="target_in_use",
        )


def _drop_indexes(to: Transaction) -> tuple[str, ...]:
    """Drop all indexes without constraints, and return the statements that create them; rebuilding them is faster."""
    found = to.exec_driver_sql(_INDEXES, ([table.name for table in MOVED],)).all()
    for name, _ in found:
        to.exec_driver_sql(f"DROP INDEX {name}")
    return tuple(statement.replace("%", "%%") for _, statement in found)


def _copy(from_: Transaction, to: Transaction, table: Table, watch: Watch) -> Rows:
    rows = Rows(table)
    driver = sqlite.driver_of(from_)
    columns = _columns(rows)
    only = _only(table)
    with _translated(table):
        (total,) = driver.execute(f"SELECT count(*) FROM {table.name}{only}").fetchone()  # noqa: S608 - names of ours
        with (
            postgresql.driver_of(to).cursor() as cursor,
            cursor.copy(f"COPY {table.name} ({columns}) FROM STDIN (FORMAT BINARY)".encode()) as copy,
        ):
            copy.set_types(rows.types)
            row: Row
            for row in driver.execute(f"SELECT {columns} FROM {table.name}{only}"):  # noqa: S608
                copy.write_row(rows.take(row))
                if rows.digest.rows % WATCH_EVERY == 0:
                    watch("copy", table.name, rows.digest.rows, total)
    watch("copy", table.name, rows.digest.rows, total)
    return rows


def _check(to: Transaction, sent: Rows, watch: Watch) -> Moved:
    """Read a table of the target back and compare it."""
    table, digest, total = sent.table, Digest(), sent.digest.rows
    statement = f"COPY (SELECT {_columns(sent)} FROM {table.name}{_only(table)}) TO STDOUT (FORMAT BINARY)"  # noqa: S608
    with _translated(table), postgresql.driver_of(to).cursor() as cursor, cursor.copy(statement.encode()) as copy:
        copy.set_types(sent.types)
        for row in copy.rows():
            digest.add(row)
            if digest.rows % WATCH_EVERY == 0:
                watch("check", table.name, digest.rows, total)
    watch("check", table.name, digest.rows, total)
    return Moved(table.name, total, sent.digest.text, digest.rows, digest.text)


def _set_sequences(from_: Transaction, to: Transaction) -> None:
    """Set the sequences so that new ids follow the greatest id ever used, also by a deleted row."""
    used = dict(sqlite.driver_of(from_).execute("SELECT name, seq FROM sqlite_sequence").fetchall())
    for table in MOVED:
        if "id" not in table.columns:
            continue
        found = to.exec_driver_sql(f"SELECT COALESCE(max(id), 0) FROM {table.name}").scalar_one()  # noqa: S608
        greatest = max(int(found), used.get(table.name, 0))
        if greatest:
            to.exec_driver_sql(
                "SELECT setval(pg_get_serial_sequence(%s, 'id'), GREATEST(%s, 1))", (table.name, greatest)
            )


def _settle_runs(to: Transaction, now_ms: int) -> None:
    """Return every unfinished run to the queue; jobs are created once there is a worker."""
    to.execute(_TURNS)
    # The workers that held them no longer run.
    to.exec_driver_sql("UPDATE runs SET lease_until_ms = 0 WHERE state = 'running'")
    to.exec_driver_sql("UPDATE runs SET offered = 0 WHERE state = 'queued'")
    reap_runs(to, live=(), now_ms=now_ms)


def _columns(rows: Rows) -> str:
    return ", ".join(f'"{name}"' for name in rows.names)


def _only(table: Table) -> str:
    return f" WHERE name NOT IN ({_OWN_LIST})" if table is installation else ""


@contextlib.contextmanager
def _of_target() -> Iterator[None]:
    try:
        yield
    except Unavailable as error:
        raise TargetUnavailable(error.message, retry_after_s=error.retry_after_s, reason=error.reason) from error


@contextlib.contextmanager
def _translated(table: Table) -> Iterator[None]:
    """Convert errors of the drivers to those of ``store.engine``."""
    try:
        yield
    except sqlite3.Error as error:
        raise OperationalError(f"reading {table.name}", None, error) from error
    except psycopg.IntegrityError as error:
        raise InvalidInput(
            f"The rows of the table {table.name} do not belong together ({error.diag.constraint_name}): one refers to "
            "a row that is not there, or is there twice. Repair it with sqlite3, then begin again. "
            "Nothing was transferred.",
            reason="rows_inconsistent",
        ) from error
    except psycopg.Error as error:
        raise DBAPIError.instance(f"copying {table.name}", None, error, psycopg.Error, hide_parameters=True) from error


Row = tuple[Any, ...]
NAMED: Final = 10
"""Maximum number of cleaned rows that are named."""
_DIGEST_BYTES: Final = 32
_ALL: Final = 1 << (8 * _DIGEST_BYTES)
_NUL: Final = "\x00"


def read_text(raw: bytes) -> str:
    """Decode text of SQLite, which does not check its UTF-8; invalid bytes become lone surrogates."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("utf-8", "surrogateescape")


class Digest(msgspec.Struct):
    """Digest of the rows of a table, independent of their order."""

    rows: int = 0
    _sum: int = 0

    def add(self, row: Row) -> None:
        """Add a row.

        Raises:
            UnicodeEncodeError: A text has no UTF-8 form; nothing was added.
        """
        digest = hashlib.blake2b(_ENCODER.encode(row), digest_size=_DIGEST_BYTES).digest()
        self._sum = (self._sum + int.from_bytes(digest, "big")) % _ALL
        self.rows += 1

    @property
    def text(self) -> str:
        """Return the digest in hexadecimal."""
        return f"{self._sum:0{2 * _DIGEST_BYTES}x}"


_ENCODER: Final = msgspec.msgpack.Encoder()


class _Column(msgspec.Struct, frozen=True):
    name: str
    kind: type[Any]
    place: int
    least: int = 0
    most: int = 0
    """Range of numbers, or length of text; 0 without limit."""


@dataclass(slots=True)
class Rows:
    """Rules for the rows of one table, and statistics about them."""

    table: Table
    digest: Digest = field(default_factory=Digest)
    cleaned: int = 0
    """Number of rows with text that was cleaned."""
    named: list[str] = field(default_factory=list)
    """Names of the first of them."""
    _columns: tuple[_Column, ...] = field(init=False)
    _keys: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        self._columns = tuple(_column(column, place) for place, column in enumerate(self.table.columns))
        names = [column.name for column in self.table.columns]
        self._keys = tuple(names.index(column.name) for column in self.table.primary_key)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in the order of the values."""
        return tuple(column.name for column in self._columns)

    @property
    def types(self) -> list[str]:
        """PostgreSQL types of the columns."""
        return [_TYPES[type(column.type)] for column in self.table.columns]

    def take(self, row: Row) -> Row:
        """Return the row as it is to be stored, and count it.

        Raises:
            InvalidInput: PostgreSQL cannot store it; the message names it.
        """
        dirty = False
        for column in self._columns:
            value = row[column.place]
            if value is None:
                continue
            if not isinstance(value, column.kind):
                raise self._refuse(row, column, f"{_KINDS.get(type(value), 'something else')} instead of ")
            if column.kind is str:
                if column.most and len(value) > column.most:
                    raise self._refuse(row, column, f"more than {column.most} characters of ")
                dirty = dirty or _NUL in value
            elif column.kind is int and not column.least <= value <= column.most:
                raise self._refuse(row, column, "a number that is out of the range of ")
        if not dirty:
            try:
                self.digest.add(row)
            except UnicodeEncodeError:
                dirty = True
            else:
                return row
        plain = tuple(clean_text(value) if isinstance(value, str) else value for value in row)
        self.digest.add(plain)
        self.cleaned += 1
        if len(self.named) < NAMED:
            self.named.append(self._name(row))
        return plain

    def _name(self, row: Row) -> str:
        values = ", ".join(clean_text(str(row[place])) for place in self._keys if not isinstance(row[place], bytes))
        return f"{self.table.name} {values}".rstrip()

    def _refuse(self, row: Row, column: _Column, what: str) -> InvalidInput:
        return InvalidInput(
            f"PostgreSQL cannot keep a row of the table {self.table.name} ({self._name(row)}): its column "
            f"{column.name} holds {what}{_KINDS[column.kind]}. Fix or delete that row with sqlite3, then begin again. "
            "Nothing was transferred.",
            reason="row_unfit",
        )


_TYPES: Final[dict[type, str]] = {
    BigInteger: "int8",
    Integer: "int4",
    SmallInteger: "int2",
    LargeBinary: "bytea",
    String: "varchar",
    Text: "text",
}
_BITS: Final[dict[type, int]] = {BigInteger: 63, Integer: 31, SmallInteger: 15}
_KINDS: Final[dict[type, str]] = {int: "a number", float: "a fraction", str: "text", bytes: "bytes"}


def _column(column: Any, place: int) -> _Column:
    kind = column.type
    if isinstance(kind, Integer):
        bits = _BITS[type(kind)]
        return _Column(column.name, int, place, -(1 << bits), (1 << bits) - 1)
    if isinstance(kind, String):
        return _Column(column.name, str, place, most=kind.length or 0)
    return _Column(column.name, bytes, place)
