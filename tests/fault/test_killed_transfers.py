"""Transfers whose process is killed in the middle."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from pagegrade.store.engine.postgresql import PostgresDatabase
from tests.populated_installation import Left
from tests.store.transfer.conftest import is_empty, move

pytestmark = pytest.mark.backend("sqlite", reason="it is about both of them")

TRANSFER = """
import os, signal, sys
from pathlib import Path
from sqlalchemy import event
from sqlalchemy.engine import Engine
from pagegrade.store.engine.factory import open_database
from pagegrade.store.transfer.copy import open_source, transfer
seen = []
def die(word):
    if not seen and word.startswith(sys.argv[3]):
        seen.append(word)
        os.kill(os.getpid(), signal.SIGKILL)
event.listen(Engine, "before_cursor_execute", lambda _c, _u, statement, *_: die(statement.lstrip()))
watch = lambda doing, table, done, total: die(f"{doing} {table}")
transfer(open_source(Path(sys.argv[1])), open_database(sys.argv[2]), now_ms=1, watch=watch)
"""
MOMENTS = ("CREATE TABLE", "LOCK TABLE", "copy accounts", "copy runs", "check reports", "SELECT setval", "ANALYZE")


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_transfer_that_is_killed_leaves_nothing(filled: Left, target: PostgresDatabase, moment: str) -> None:
    """Whenever it is; and the next one does it all."""
    words = [sys.executable, "-c", TRANSFER, str(filled.path), target.url, moment]
    killed = subprocess.run(words, check=False, timeout=60)

    assert killed.returncode == -signal.SIGKILL
    assert is_empty(target)
    assert all(each.is_same for each in move(filled.path, target).tables)
