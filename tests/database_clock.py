"""A clock that differs from this machine's: on PostgreSQL, leases and visits are evaluated by the server's.

A function of our own stands before the server's in the search path that databases of tests have, so the product is
asked nothing and notices nothing.
"""

from __future__ import annotations

from sqlalchemy import text

from pagegrade.store.engine.database import Database, Transaction

_TABLE = "CREATE TABLE test_clock (shown_ms bigint, ahead_ms bigint NOT NULL)"
_FIRST = "INSERT INTO test_clock VALUES (NULL, 0)"
_FUNCTION = (
    "CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS "
    "$$ SELECT COALESCE(to_timestamp(shown_ms / 1000.0), pg_catalog.clock_timestamp() + ahead_ms * interval '1 ms') "
    "FROM public.test_clock $$"
)


def make_clock(database: Database) -> None:
    """Put a clock into a database that has not been asked for the time yet."""
    if not database.shared:
        return

    def make(tx: Transaction) -> None:
        for statement in (_TABLE, _FIRST, _FUNCTION):
            tx.exec_driver_sql(statement)

    database.write_here(make)


def show(database: Database, now_ms: int) -> None:
    """Let the clock show this until the next call; on SQLite every caller passes the time anyway."""
    if database.shared:
        database.write_here(lambda tx: tx.execute(text("UPDATE test_clock SET shown_ms = :ms"), {"ms": now_ms}))


def move(database: Database, ahead_ms: int) -> None:
    """Let the clock go on by itself, so much ahead of the server's; on SQLite every caller passes the time anyway."""
    if database.shared:
        statement = text("UPDATE test_clock SET shown_ms = NULL, ahead_ms = :ms")
        database.write_here(lambda tx: tx.execute(statement, {"ms": ahead_ms}))
