"""Many reports on one host: the load on the host (rows Q01 and Q02), counted at the host."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.namespace import repository, unshare_command
from tests.postgres import QUICK, Databases, Postgres


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    """An empty database of a server outside of the namespace, which is reached through a socket in the file system."""
    # Not below pytest's own folder, into which the server's user may not look.
    with tempfile.TemporaryDirectory(prefix="pagegrade-socket-") as folder:
        Path(folder).chmod(0o777)
        server = Postgres({**QUICK, "unix_socket_directories": folder})
        try:
            server.start()
            name = Databases(server.url("postgres")).make_empty().rpartition("/")[2]
            yield f"postgresql+psycopg://pagegrade@/{name}?host={folder}&port={server.port}"
        finally:
            server.close()


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def figures(lab: None, request: pytest.FixtureRequest) -> dict[str, Any]:
    """The load of 500 reports of 50 accounts on one host, and of ten more on two hosts behind one address."""
    named = [request.getfixturevalue("postgres_url")] if request.param == "postgresql" else []
    done = subprocess.run(
        [*(unshare_command() or ()), sys.executable, "-m", "tests.fault.politeness", *named],
        cwd=repository(),
        env={name: value for name, value in os.environ.items() if not name.startswith("PAGEGRADE_")},
        capture_output=True,
        timeout=600,
        check=False,
    )
    if done.returncode:
        raise AssertionError(done.stderr.decode(errors="replace")[-4000:])
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_host_sees_two_runs_at_a_time_and_twenty_a_minute(figures: dict[str, Any]) -> None:
    """Row Q01: 500 reports from 50 accounts wait their turn; none fails, and the host is not flooded."""
    assert figures["busy"]["at_once"] == 2
    assert 2 < figures["busy"]["pages"] <= 20
    assert figures["failed"] == 0
    assert figures["waiting"] == 500 + 10 - figures["completed"]


def test_two_hosts_behind_one_address_share_its_limit(figures: dict[str, Any]) -> None:
    """Row Q02: the machine behind the names is spared, and every report is done in the end."""
    assert figures["shared"] == {"pages": 10, "at_once": 2}
    assert Counter(figures["shared_states"]) == {"completed": 10}
