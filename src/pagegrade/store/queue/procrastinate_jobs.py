"""procrastinate's operations on jobs, with a connector that runs its queries in our transactions.

Imported late: loading the library takes half a second, which an installation on SQLite does not need.
"""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from typing import Any, TypeVar

import psycopg
from procrastinate.connector import BaseAsyncConnector
from procrastinate.exceptions import UniqueViolation
from procrastinate.jobs import Job
from procrastinate.manager import JobManager
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from sqlalchemy.exc import DBAPIError

from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.postgresql import driver_of

T = TypeVar("T")
Row = dict[str, Any]


class TransactionConnector(BaseAsyncConnector):
    """Runs the library's queries in one of our transactions; nothing of it ever waits for an event loop."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    async def execute_query_async(self, query: str, **arguments: Any) -> None:
        """Run a query for its effect."""
        run_query(self._tx, query, arguments)

    async def execute_query_one_async(self, query: str, **arguments: Any) -> Row:
        """Return the first row of a query."""
        return run_query(self._tx, query, arguments)[0]

    async def execute_query_all_async(self, query: str, **arguments: Any) -> list[Row]:
        """Return all rows of a query."""
        return run_query(self._tx, query, arguments)


def run_query(tx: Transaction, query: str, arguments: Row) -> list[Row]:
    """Return all rows of one of the library's queries; none where it returns nothing.

    Raises:
        UniqueViolation: As the library expects it, e.g. a second waiting job with the same queueing lock.
        DBAPIError: Any other error, as the rest of the store reports it.
    """
    values = {name: _wrap(value) for name, value in arguments.items()}
    try:
        with driver_of(tx).cursor(row_factory=dict_row) as cursor:
            cursor.execute(query.encode(), values)
            return cursor.fetchall() if cursor.description is not None else []
    except psycopg.errors.UniqueViolation as error:
        # The detail reads: Key (queueing_lock)=(run-5) already exists.
        _, _, rest = (error.diag.message_detail or "").partition("(queueing_lock)=(")
        lock = rest.rpartition(")")[0] or None
        raise UniqueViolation(constraint_name=error.diag.constraint_name, queueing_lock=lock) from error
    except psycopg.Error as error:
        raise DBAPIError.instance(query, None, error, psycopg.Error, hide_parameters=True) from error


def defer_job(
    tx: Transaction, task: str, *, queue: str, priority: int, queueing_lock: str, arguments: dict[str, int]
) -> None:
    """Defer a job in the caller's transaction; the queueing lock keeps a second one from waiting beside it."""
    job = Job(
        queue=queue,
        lock=None,
        queueing_lock=queueing_lock,
        task_name=task,
        task_kwargs={**arguments},
        priority=priority,
    )
    complete(jobs_in(tx).defer_job_async(job))


def jobs_in(tx: Transaction) -> JobManager:
    """Return the library's operations on jobs, bound to a transaction."""
    return JobManager(TransactionConnector(tx))


def complete(coroutine: Coroutine[Any, Any, T] | Generator[Any, Any, T]) -> T:
    """Return the result of one of the library's coroutines that runs on a ``TransactionConnector``, without a loop."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    coroutine.close()
    raise RuntimeError("The library waited for something other than its connector.")


def _wrap(value: Any) -> Any:
    """Return an argument in the form in which the driver sends it, JSON at any depth."""
    if isinstance(value, dict):
        return Jsonb(value)
    if isinstance(value, list):
        return [_wrap(each) for each in value]
    if isinstance(value, tuple):
        return tuple(_wrap(each) for each in value)
    return value
