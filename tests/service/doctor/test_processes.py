from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.clock import now_ms
from pagegrade.service.doctor.checks import Diagnosis
from pagegrade.service.doctor.processes import SHOWN, look_at_processes
from pagegrade.store.engine.database import Database
from pagegrade.store.engine.factory import open_database
from pagegrade.store.repositories.processes import Process, beat
from tests.store_builders import make_database, make_file

pytestmark = pytest.mark.backend("postgresql", reason="elsewhere there is one process")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """One that several processes share."""
    made = make_database(tmp_path)
    yield made
    made.close()


def live(database: Database, name: str, kind: str = "serve", version: str = "1.0") -> None:
    """A process says that it does."""
    process = Process(name=name, kind=kind, version=version, host=f"{name}.example", pid=12)
    database.write_here(lambda tx: beat(tx, process, now_ms()))


def look(database: Database) -> list[Diagnosis]:
    """The findings."""
    return list(look_at_processes(database, now_ms(), silent_ms=30_000))


def test_those_that_live_are_reported(database: Database) -> None:
    """The number of each kind, and their names."""
    nothing = look(database)
    for name, kind in (("ant", "serve"), ("bee", "worker"), ("cat", "serve")):
        live(database, name, kind)
    (found,) = look(database)

    assert [(one.level, one.message) for one in nothing] == [("ok", "none runs now")]
    assert (found.topic, found.level) == ("processes", "ok")
    assert found.message.splitlines() == [
        "2 serve, 1 worker",
        "serve 1.0 on ant.example, process 12, ant",
        "worker 1.0 on bee.example, process 12, bee",
        "serve 1.0 on cat.example, process 12, cat",
    ]


def test_different_versions_are_a_warning(database: Database) -> None:
    """With what to do about it."""
    live(database, "ant", version="1.0")
    live(database, "bee", version="1.1")
    _, found = look(database)

    assert found.level == "warning"
    assert "1.0, 1.1" in found.message
    assert found.advice


def test_of_many_some_are_named(database: Database) -> None:
    """And how many more there are."""
    for number in range(SHOWN + 2):
        live(database, f"p{number:02}")
    (found,) = look(database)

    assert len(found.message.splitlines()) == SHOWN + 2
    assert found.message.endswith("and 2 more")


def test_a_database_that_is_away_is_a_problem() -> None:
    """It is reported, not raised."""
    away = open_database("postgresql+psycopg://missing@127.0.0.1:1/nothing")
    found = look(away)
    away.close()

    assert [(one.topic, one.level) for one in found] == [("processes", "problem")]


def test_a_single_process_is_not_mentioned(tmp_path: Path) -> None:
    """It is the one that looks."""
    database = make_file(tmp_path)
    live(database, "ant")
    found = look(database)
    database.close()

    assert found == []
