"""Databases of tests are dropped whatever the server is doing there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import make_url

from tests.postgres import QUICK, Databases, Postgres, execute
from tests.waiting import wait_until

SLOW_VACUUM = {
    "autovacuum_naptime": "1s",
    "autovacuum_vacuum_threshold": "10",
    "autovacuum_vacuum_scale_factor": "0",
    "autovacuum_vacuum_cost_delay": "100ms",
    "autovacuum_vacuum_cost_limit": "1",
}
"""A server that cleans up at once and takes minutes for it."""
PATIENCE_S = 60.0


@pytest.fixture
def server() -> Iterator[Postgres]:
    """A server of one's own."""
    server = Postgres({**QUICK, **SLOW_VACUUM})
    server.start()
    yield server
    server.close()


def is_vacuumed(server: Postgres, name: str | None) -> bool:
    """Return whether the server is cleaning up in a database."""
    words = "SELECT 1 FROM pg_stat_activity WHERE backend_type = 'autovacuum worker' AND datname = %s"
    return bool(server.execute(words, name))


def test_a_database_is_dropped_while_the_server_cleans_up_in_it(server: Postgres) -> None:
    """Its owner may not end that process, and need not."""
    databases = Databases(server.url("postgres"))
    url = databases.make_empty()
    name = make_url(url).database
    execute(url, "CREATE TABLE notes AS SELECT repeat('x', 500) AS words FROM generate_series(1, 20000)")
    execute(url, "DELETE FROM notes")
    wait_until(lambda: is_vacuumed(server, name), "vacuuming")

    databases.drop(url)

    assert server.execute("SELECT 1 FROM pg_database WHERE datname = %s", name) == []
    assert databases.made() == frozenset()
