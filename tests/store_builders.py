"""Databases for tests: real ones, migrated like those of a server, with owners and reports in them."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import os
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal, cast

from msgspec.structs import replace
from sqlalchemy import delete, event, func, insert, select

from pagegrade.model.account import SCOPES, Account, Key
from pagegrade.model.webhooks import StoredWebhook
from pagegrade.service.accounts.access import PREFIX_CHARACTERS, make_secret
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.engine.sqlite_database import SQLiteDatabase
from pagegrade.store.repositories.accounts import add_account
from pagegrade.store.repositories.counts import UNRATED, WHOLE_ACCOUNT
from pagegrade.store.repositories.credentials import add_key as save_key
from pagegrade.store.schema.migrate import FOLDER, migrate
from pagegrade.store.schema.tables import report_counts, reports
from tests import postgres

Backend = Literal["sqlite", "postgresql"]
BACKENDS: Final[tuple[Backend, ...]] = ("sqlite", "postgresql")
USUAL: Final = cast(Backend, os.environ.get("PAGEGRADE_TEST_BACKEND") or "sqlite")
"""The kind of database for tests that name none: all of them can be run on either."""
NOW_MS = 1_767_225_600_000
"""2026-01-01T00:00Z."""

_numbers = itertools.count(1)
_used: list[Backend] = [USUAL]
"""The last one counts, in every thread."""


@contextlib.contextmanager
def on(backend: Backend) -> Iterator[None]:
    """Make the databases of a block on this back end."""
    if backend not in BACKENDS:
        raise AssertionError(f"PAGEGRADE_TEST_BACKEND is {backend!r}; it must be one of {BACKENDS}")
    _used.append(backend)
    try:
        yield
    finally:
        _used.pop()


def make_database(tmp_path: Path) -> Database:
    """A migrated database of its own, of the kind that this test is about; close it."""
    if _used[-1] == "postgresql":
        return open_database(postgres.databases().make())
    return make_file(tmp_path)


def make_empty(tmp_path: Path) -> Database:
    """A database without tables; close it."""
    if _used[-1] == "postgresql":
        return open_database(postgres.databases().make_empty())
    return SQLiteDatabase(f"sqlite:///{tmp_path / f'empty-{next(_numbers)}.db'}")


def upgrade_to(tx: Transaction, revision: str) -> None:
    """The tables of a revision: the last of an earlier version."""
    # Late: the import takes a third of a second, which few tests need.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = tx
    command.upgrade(config, revision)


def make_file(tmp_path: Path, *, readers: int = 4, durable: bool = False) -> SQLiteDatabase:
    """A migrated database in a file of its own, whatever this run is about; close it.

    As on the server of ``tests.postgres``, nothing survives a power failure, and nothing else is different: a test
    would wait for the disk at every commit. ``durable`` leaves it as the product sets it up.
    """
    path = tmp_path / f"pagegrade-{next(_numbers)}.db"
    path.write_bytes(migrated())
    database = SQLiteDatabase(f"sqlite:///{path}", readers=readers)
    if not durable:
        event.listen(database._engine, "connect", _do_not_wait_for_the_disk)
    return database


def _do_not_wait_for_the_disk(raw: sqlite3.Connection, _record: object) -> None:
    raw.execute("PRAGMA synchronous = OFF").close()


@functools.cache
def migrated() -> bytes:
    """The file that a migration leaves: hundreds of tests begin with it, and making it waits for the disk each time."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pagegrade.db"
        database = SQLiteDatabase(f"sqlite:///{path}")
        migrate(database)
        database.close()
        if [kept.name for kept in Path(folder).iterdir()] != [path.name]:
            raise AssertionError("a part of the database is still in its log")
        return path.read_bytes()


def add_owner(database: Database, name: str = "Alice", *, now_ms: int = NOW_MS) -> tuple[Account, str]:
    """An account with a key that may do everything; the secret of the key."""
    account = database.write_here(
        lambda tx: add_account(tx, name=name, email=f"{name.lower()}@example.org", now_ms=now_ms)
    )
    return account, add_key(database, account.id, now_ms=now_ms)[1]


def add_key(
    database: Database,
    account_id: int,
    *,
    name: str = "test",
    scopes: tuple[str, ...] = SCOPES,
    project: str | None = None,
    expires_at_ms: int | None = None,
    now_ms: int = NOW_MS,
) -> tuple[Key, str]:
    """One more key of the account, and its secret."""
    secret = make_secret()
    key = database.write_here(
        lambda tx: save_key(
            tx,
            account_id,
            name=name,
            prefix=secret[:PREFIX_CHARACTERS],
            secret_sha256=hashlib.sha256(secret.encode()).digest(),
            scopes=scopes,
            project=project,
            expires_at_ms=expires_at_ms,
            now_ms=now_ms,
        )
    )
    return key, secret


def stored_webhook(**changes: Any) -> StoredWebhook:
    """A webhook that is in use, with these members changed."""
    webhook = StoredWebhook(
        id=1,
        account_id=1,
        kind="webhook",
        url="https://hook.example/",
        events=("report.completed",),
        project="",
        secret_salt=b"a" * 32,
        previous_salt=None,
        previous_until_ms=None,
        failures=0,
        failing_since_ms=None,
        disabled_at_ms=None,
        disabled_reason=None,
        created_at_ms=NOW_MS,
        revision=1,
    )
    return replace(webhook, **changes)


def recount(tx: Transaction, account_id: int) -> bool:
    """Count all reports of an account; return whether the stored counters were correct."""
    of = (reports.c.project, reports.c.state, reports.c.rating)
    kept = select(report_counts.c.project, report_counts.c.state, report_counts.c.rating, report_counts.c.count)
    before = {tuple(row) for row in tx.execute(kept.where(report_counts.c.account_id == account_id))}
    real = tx.execute(select(*of, func.count()).where(reports.c.account_id == account_id).group_by(*of)).all()
    counted: Counter[tuple[str, str, int]] = Counter()
    for project, state, rating, count in real:
        for where in (project, WHOLE_ACCOUNT):
            counted[where, state, rating or UNRATED] += count
    tx.execute(delete(report_counts).where(report_counts.c.account_id == account_id))
    names = ("project", "state", "rating")
    rows = [{"account_id": account_id, **dict(zip(names, key, strict=True)), "count": n} for key, n in counted.items()]
    if rows:
        tx.execute(insert(report_counts), rows)
    return before == {(*key, count) for key, count in counted.items()}
