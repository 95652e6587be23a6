"""The library's operations on jobs, in transactions of ours."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.jobs import Status
from sqlalchemy.exc import DBAPIError

from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.queue.procrastinate_jobs import complete, defer_job, jobs_in
from tests.store_builders import make_database

pytestmark = pytest.mark.backend("postgresql", reason="procrastinate works nowhere else")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated database."""
    made = make_database(tmp_path)
    yield made
    made.close()


def defer(tx: Transaction) -> None:
    """Defer a job."""
    defer_job(tx, "run", queue="runs", priority=7, queueing_lock="run-5", arguments={"run_id": 5, "account_id": 3})


def test_a_job_is_deferred_and_fetched_in_transactions_of_ours(database: Database) -> None:
    """With its arguments, its priority and its lock; what is rolled back leaves nothing."""

    def fail(tx: Transaction) -> None:
        defer(tx)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        database.write_here(fail)
    nothing = database.write_here(lambda tx: complete(jobs_in(tx).fetch_job(["runs"], worker_id=None)))  # type: ignore[arg-type]
    database.write_here(defer)
    job = database.write_here(lambda tx: complete(jobs_in(tx).fetch_job(["runs"], worker_id=None)))  # type: ignore[arg-type]

    assert nothing is None
    assert job is not None
    assert (job.task_name, job.priority, job.queueing_lock) == ("run", 7, "run-5")
    assert job.task_kwargs == {"run_id": 5, "account_id": 3}


def test_a_second_job_with_the_same_lock_is_refused_as_the_library_does(database: Database) -> None:
    """The error names the lock."""

    def twice(tx: Transaction) -> None:
        defer(tx)
        defer(tx)

    with pytest.raises(AlreadyEnqueued, match="run-5"):
        database.write_here(twice)


def test_an_error_of_the_database_is_one_of_the_store(database: Database) -> None:
    """So that a transaction that lost a race is run again, as any other."""
    with pytest.raises(DBAPIError, match="not found"):
        database.write_here(
            lambda tx: complete(jobs_in(tx).finish_job_by_id_async(1, Status.SUCCEEDED, delete_job=True))
        )


def test_a_coroutine_that_waits_is_refused() -> None:
    """Nothing of the library may wait for an event loop inside of a transaction."""
    with pytest.raises(RuntimeError, match="waited"):
        complete(asyncio.sleep(0))
