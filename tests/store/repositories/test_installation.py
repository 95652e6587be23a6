from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from pagegrade.store.engine.factory import open_database
from pagegrade.store.repositories.installation import (
    SECRET_BYTES,
    load_or_make_secret,
    load_secret,
    note_origin,
    noted_origin,
)
from tests.store_builders import make_database


def test_a_secret_is_made_once(tmp_path: Path) -> None:
    """It is the same after a restart, and another one for another purpose."""
    database = make_database(tmp_path)
    before = database.read_here(lambda tx: load_secret(tx, "cookies"))
    made = database.write_here(lambda tx: load_or_make_secret(tx, "cookies"))
    other = database.write_here(lambda tx: load_or_make_secret(tx, "others", size_bytes=16))
    database.close()
    again = open_database(database.url)

    assert before is None
    assert len(made) == SECRET_BYTES
    assert len(other) == 16
    assert again.write_here(lambda tx: load_or_make_secret(tx, "cookies")) == made
    assert again.read_here(lambda tx: load_secret(tx, "cookies")) == made
    again.close()


def test_processes_that_start_together_have_one_secret(tmp_path: Path) -> None:
    """A cookie that one signs must be good for the other."""
    database = make_database(tmp_path)
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: database.write_here(lambda tx: load_or_make_secret(tx, "cookies")), range(8)))

    assert len(set(made)) == 1
    database.close()


def test_where_the_server_was_reached_last_is_remembered(tmp_path: Path) -> None:
    """For the next process that opens the database."""
    database = make_database(tmp_path)
    never = database.read_here(noted_origin)
    for origin in ("http://127.0.0.1:8080", "https://reports.example.org"):
        database.write_here(partial(note_origin, origin=origin))

    assert never is None
    assert database.read_here(noted_origin) == "https://reports.example.org"
    database.close()
