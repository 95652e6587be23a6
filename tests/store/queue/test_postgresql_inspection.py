from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from pagegrade.clock import now_ms
from pagegrade.model.stored import Priority
from pagegrade.store.engine.database import Database
from pagegrade.store.engine.factory import open_database
from pagegrade.store.queue.length import count_waiting
from pagegrade.store.queue.postgresql_inspection import (
    OLDEST,
    look_at_queue_table,
    look_at_rights,
    look_at_server,
    look_at_trigrams,
    look_at_use,
)
from tests import postgres
from tests.queue_builders import Queue
from tests.store_builders import add_owner, make_database
from tests.waiting import wait_until

pytestmark = pytest.mark.backend("postgresql", "it is about a server")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """With the tables of this version."""
    made = make_database(tmp_path)
    yield made
    made.close()


def administer(database: Database, statement: str) -> None:
    """As the administrator of the server."""
    name = str(make_url(database.url).database)
    postgres.shared_server().execute(statement, name=name)


def test_a_server_reports_its_settings(database: Database) -> None:
    """That of the tests waits for no disk, which is nothing for an installation."""
    server = database.read_here(look_at_server)

    assert server.number >= OLDEST * 10_000
    assert server.version.startswith(str(server.number // 10_000))
    assert (server.fsync, server.full_page_writes, server.synchronous_commit) == (False, False, "on")
    assert (server.encoding, server.read_only) == ("UTF8", False)
    assert abs(server.clock_ms - now_ms()) < 60_000
    assert 100 < server.most_connections < 200


def test_the_narrowest_limit_of_connections_counts(database: Database) -> None:
    """Of the server, the database and the role."""
    name = make_url(database.url).database
    administer(database, f"ALTER DATABASE {name} CONNECTION LIMIT 7")

    assert database.read_here(look_at_server).most_connections == 7


def test_a_database_that_takes_no_changes_says_so(database: Database) -> None:
    """As it is set for an upgrade, or forgotten after one."""
    name = make_url(database.url).database
    administer(database, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    other = open_database(database.url)
    read_only = other.read_here(look_at_server).read_only
    other.close()

    assert read_only


def test_use_is_measured(database: Database) -> None:
    """In bytes and connections."""
    use = database.read_here(look_at_use)

    assert use.size_bytes > 1_000_000
    assert use.connections >= use.ours >= 1
    assert use.most_connections >= use.connections
    assert 0 <= use.notices < 1


def test_the_owner_of_the_tables_may_do_everything(database: Database) -> None:
    """As an installation has it that migrates by itself."""
    rights = database.read_here(look_at_rights)

    assert rights.may_create
    assert (rights.not_owned, rights.not_usable) == ((), ())


def test_what_a_role_may_not_do_is_found(database: Database) -> None:
    """Table by table."""
    administer(database, "ALTER TABLE visits OWNER TO postgres")
    administer(database, "GRANT SELECT ON visits TO pagegrade")
    administer(database, "ALTER TABLE sessions OWNER TO postgres")
    administer(database, "GRANT SELECT, INSERT, UPDATE, DELETE ON sessions TO pagegrade")
    rights = database.read_here(look_at_rights)

    assert rights.not_owned == ("sessions", "visits")
    assert rights.not_usable == ("visits",)


def test_an_index_for_parts_of_addresses_is_found(database: Database) -> None:
    """And missed."""
    before = database.read_here(look_at_trigrams)
    administer(database, "DROP INDEX IF EXISTS ix_reports_parts")
    after = database.read_here(look_at_trigrams)

    assert before.used == before.installed
    assert not after.used


def test_runs_and_jobs_that_do_not_fit_are_counted(database: Database) -> None:
    """Whatever may have happened to them: a run without a job would wait for ever without this count."""
    queue = Queue(database, add_owner(database)[0].id)
    for number in range(3):
        queue.add(f"https://a{number}.example/")
    fine = database.read_here(look_at_queue_table)
    administer(database, "DELETE FROM procrastinate_jobs WHERE args ->> 'run_id' = '1'")
    administer(database, "UPDATE runs SET state = 'failed' WHERE id = 2")
    odd = database.read_here(look_at_queue_table)

    assert (fine.without_job, fine.without_run, fine.missing_scripts) == (0, 0, ())
    assert (odd.without_job, odd.without_run) == (1, 1)


def test_the_state_of_the_queues_table_is_reported(database: Database) -> None:
    """Once the server has looked at it."""
    administer(database, "ANALYZE procrastinate_jobs")
    table = database.read_here(look_at_queue_table)

    assert table.live_rows == table.dead_rows == 0
    assert table.analyzed_ms is None or 0 <= table.analyzed_ms < 60_000

    queue = Queue(database, add_owner(database)[0].id)
    for number in range(3):
        queue.add(f"https://a{number}.example/")
    administer(database, "ANALYZE procrastinate_jobs")
    # The server may count the same rows once more when it hears of them from the connection that wrote them.
    wait_until(lambda: database.read_here(look_at_queue_table).live_rows >= 3, "three rows in the statistics")


def test_what_waits_is_counted_by_kind(database: Database) -> None:
    """All kinds, also those of which none waits."""
    queue = Queue(database, add_owner(database)[0].id)
    queue.add("https://a.example/", priority=Priority.BULK)
    queue.add("https://b.example/", priority=Priority.BULK)
    queue.add("https://c.example/", priority=Priority.INTERACTIVE)

    assert database.read_here(count_waiting) == {Priority.INTERACTIVE: 1, Priority.RERUN: 0, Priority.BULK: 2}
