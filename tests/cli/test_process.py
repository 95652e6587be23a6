from __future__ import annotations

import asyncio
import os
import re
import subprocess
import threading
import time
from pathlib import Path

import pytest

from pagegrade.cli.process import Process, prepare_tables, wait_for
from pagegrade.model.errors import InvalidInput, Unavailable
from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.factory import open_database
from pagegrade.store.schema import migrate as room
from tests.cli.worker_process import environment, ready, running_worker
from tests.postgres import Postgres, databases
from tests.server import COMMAND
from tests.store_builders import make_file

pytestmark = pytest.mark.backend("postgresql", "a file is there or not")
SOON_S = 60.0


def test_a_database_that_comes_up_is_waited_for(tmp_path: Path) -> None:
    """Machines that start together do not start in order; the log says what is waited for."""
    server = Postgres()
    try:
        server.start()
        server.execute("ALTER ROLE pagegrade CREATEDB")
        url = server.url("reports")
        server.execute("CREATE DATABASE reports OWNER pagegrade")
        server.stop()
        with running_worker(tmp_path, url) as worker:
            said = worker.until("Waiting for the database reports on 127.0.0.1")
            assert worker.process.poll() is None
            server.start()
            ready(worker)
            assert worker.stop() == 0
    finally:
        server.close()

    assert "database_awaited" in worker.log
    assert "Traceback" not in worker.log
    assert "pagegrade@" not in said


def test_a_database_that_does_not_come_up_is_reported(tmp_path: Path) -> None:
    """After the time that was set, with what to look at and without the password."""
    url = "postgresql+psycopg://alice:s3cret@127.0.0.1:1/reports"
    for command in (["worker"], ["serve", "--port", "0"], ["keys", "list"], ["migrate", "--check"]):
        done = subprocess.run(
            [*COMMAND, *command],
            env=environment(url, DATABASE_WAIT_SECONDS="0.5"),
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            timeout=SOON_S,
            check=False,
        )

        assert done.returncode == 4, done.stderr
        assert "reports on 127.0.0.1:1" in done.stderr
        assert "s3cret" not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr


def test_waiting_ends_when_it_answers(tmp_path: Path) -> None:
    """And is none for a file, or where it answers already."""
    server = Postgres()
    database = open_database(server.url("postgres"))
    file = make_file(tmp_path)
    try:
        started_s = time.monotonic()
        wait_for(file, 600.0)
        with pytest.raises(Unavailable) as caught:
            wait_for(database, 0.1)
        starter = threading.Timer(0.5, server.start)
        starter.start()
        wait_for(database, SOON_S)
        starter.join()
        wait_for(database, 0.0)

        assert time.monotonic() - started_s < SOON_S
        assert "Connection refused" in (caught.value.detail or "")
    finally:
        database.close()
        file.close()
        server.close()


@pytest.mark.parametrize("error", [InvalidInput("taken"), Unavailable("away")])
def test_a_process_that_cannot_start_ends_with_the_reason_alone(tmp_path: Path, error: Exception) -> None:
    """And not with a group of errors, which no command explains."""
    database = make_file(tmp_path)

    async def listen(_: asyncio.Event) -> None:
        raise error

    try:
        with pytest.raises(type(error)):
            asyncio.run(Process(Services(database=database, options=ServiceOptions()), "serve", listen).run())
    finally:
        database.close()


def test_of_several_that_start_together_one_shows_the_first_key(tmp_path: Path) -> None:
    """On an empty database, whose tables one of them makes."""
    url = databases().make_empty()
    processes = [
        subprocess.Popen(
            [*COMMAND, "serve", "--no-worker", "--port", "0"],
            env=environment(url),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        for _ in range(3)
    ]
    said = []
    for process in processes:
        lines = []
        while process.stdout is not None and (line := process.stdout.readline()):
            lines.append(line)
            if "pgk_" in line or "keys create" in line:
                break
        process.terminate()
        rest, _ = process.communicate(timeout=SOON_S)
        said.append("".join(lines) + rest)

    assert [process.returncode for process in processes] == [0, 0, 0], said
    assert sorted(len(set(re.findall(r"pgk_\w+", each))) for each in said) == [0, 0, 1]
    assert all("Traceback" not in each for each in said)
    assert all("PAGEGRADE_BASE_URL is not set" in each for each in said)


def test_a_file_that_may_only_be_read_is_refused(tmp_path: Path) -> None:
    """At the start, and not by the first report that cannot be kept; root may write it only with that capability."""
    made = make_file(tmp_path)
    made.close()
    made.path.chmod(0o400)
    weaker = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-all"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*weaker, *COMMAND, "serve", "--port", "0"],
        env=environment(f"sqlite:///{made.path}", DATA_DIR=str(tmp_path)),
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=SOON_S,
        check=False,
    )

    assert done.returncode == 4
    assert "may not be written. Run this as the user that owns it." in done.stderr
    assert "listens" not in done.stdout


def test_tables_that_are_behind_are_used_or_changed_as_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start says so where it goes on with tables that are not its own."""
    database = make_file(tmp_path)
    prepare_tables(database, change=False)
    nothing = capsys.readouterr().out
    known = room.revisions()
    has, wants = known[-1], f"{int(known[-1]) + 1:04}"
    monkeypatch.setattr(room, "revisions", lambda: (*known, wants))
    prepare_tables(database, change=False)
    behind = capsys.readouterr().out
    monkeypatch.setattr(room, "NEEDS", wants)
    with pytest.raises(InvalidInput, match=rf"has schema {has}; this version works with schema {wants} or later"):
        prepare_tables(database, change=False)
    database.close()

    assert nothing == ""
    assert re.search(rf"has schema {has} .*this version has {wants}; it works with it\. Run pagegrade migrate", behind)
