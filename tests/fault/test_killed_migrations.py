"""Processes that are killed while they change the tables, or that change them at the same time."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from pagegrade.store.schema.migrate import migrate, schema_state
from tests.store_builders import BACKENDS, add_owner, make_empty

pytestmark = pytest.mark.parametrize("backend", BACKENDS, indirect=True)

MIGRATE = """
import sys
from pagegrade.store.schema.migrate import migrate
from pagegrade.store.engine.factory import open_database
database = open_database(sys.argv[1])
migrate(database)
database.close()
"""
WRITES = ("CREATE", "INSERT", "UPDATE", "ALTER", "PRAGMA foreign_key_check")
DIE = f"""
import os, signal, sys
from sqlalchemy import event
from sqlalchemy.engine import Engine
seen = 0
@event.listens_for(Engine, "before_cursor_execute")
def _die(connection, cursor, statement, *rest):
    global seen
    seen += statement.lstrip().startswith({WRITES!r})
    if seen == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
"""


def statements_of_a_migration(tmp_path: Path) -> list[str]:
    """All that a migration of an empty database writes, and the last look at it before the commit."""
    seen: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.lstrip().startswith(WRITES):
            seen.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    database = make_empty(tmp_path)
    migrate(database)
    database.close()
    event.remove(Engine, "before_cursor_execute", note)
    return seen


@pytest.mark.parametrize("part", [0, 0.05, 0.3, 0.6, 0.9, 1])
def test_a_migration_that_is_killed_is_done_at_the_next_start(tmp_path: Path, part: float) -> None:
    """From its first statement until just before its commit: nothing has changed, and the next start does it all."""
    statements = statements_of_a_migration(tmp_path)
    moment = 1 + round(part * (len(statements) - 1))
    database = make_empty(tmp_path)
    killed = subprocess.run([sys.executable, "-c", DIE + MIGRATE, database.url, str(moment)], check=False, timeout=60)
    between = schema_state(database)
    migrate(database)
    after = schema_state(database)
    add_owner(database)
    database.close()

    assert statements[-1].startswith(("PRAGMA foreign_key_check", "INSERT INTO installation"))
    assert killed.returncode == -signal.SIGKILL
    assert between.status == "empty"
    assert after.status == "current"


def test_starting_together_migrates_once(tmp_path: Path) -> None:
    """Four processes meet an empty folder; each of them can work afterwards."""
    database = make_empty(tmp_path)
    started = [subprocess.Popen([sys.executable, "-c", MIGRATE, database.url]) for _ in range(4)]
    codes = [each.wait(60) for each in started]

    assert codes == [0, 0, 0, 0]
    assert schema_state(database).status == "current"
    database.close()
