from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pagegrade.model.errors import InvalidInput
from pagegrade.store.engine.data_dir import LOCK_NAME, all_lock_files, hold_locks, lock_files

pytestmark = pytest.mark.backend("sqlite", reason="a lock of a folder; no database")


def test_the_second_learns_which_process_holds_the_lock(tmp_path: Path) -> None:
    """The message names the process and the folder, and what to do."""
    path = tmp_path / LOCK_NAME
    with hold_locks([path]), pytest.raises(InvalidInput) as caught, hold_locks([path]):
        pass

    assert f"process {os.getpid()}" in caught.value.message
    assert str(tmp_path) in caught.value.message
    assert "PAGEGRADE_DATA_DIR" in caught.value.message


def test_a_lock_is_free_again_after_use(tmp_path: Path) -> None:
    """The file stays and says who was the last."""
    path = tmp_path / LOCK_NAME
    for _ in range(2):
        with hold_locks([path]):
            pass

    assert path.read_text() == f"{os.getpid()}\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_lock_of_the_dead_is_free(tmp_path: Path) -> None:
    """A process that was killed holds nothing, and neither do its children."""
    path = tmp_path / LOCK_NAME
    code = (
        "import os, signal, subprocess, sys\n"
        "from pathlib import Path\n"
        "from pagegrade.store.engine.data_dir import hold_locks\n"
        f"with hold_locks([Path({str(path)!r})]):\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import sys; sys.stdin.read()'], stdin=subprocess.PIPE)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == -9

    with hold_locks([path]):
        assert path.read_text() == f"{os.getpid()}\n"


def test_no_lock_is_kept_when_one_of_them_is_taken(tmp_path: Path) -> None:
    """A server that cannot start locks out no other."""
    one, other = tmp_path / "one", tmp_path / "other"
    with hold_locks([other]), pytest.raises(InvalidInput), hold_locks([one, other]):
        pass

    with hold_locks([one, other]):
        assert one.exists()


def test_a_lock_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    """A folder in its place, for example."""
    with pytest.raises(InvalidInput, match="cannot be opened"), hold_locks([tmp_path]):
        pass


def test_a_database_elsewhere_is_locked_too(tmp_path: Path) -> None:
    """Two data folders must not serve one database."""
    inside, outside = tmp_path / "data" / "pagegrade.db", tmp_path / "other.db"

    assert lock_files(tmp_path / "data", inside) == (tmp_path / "data" / LOCK_NAME,)
    assert lock_files(tmp_path / "data", outside) == (tmp_path / "data" / LOCK_NAME, tmp_path / f"other.db.{LOCK_NAME}")


def test_an_exclusive_lock_locks_out_every_server(tmp_path: Path) -> None:
    """Wherever its data folder is; and says what to do in words of its own."""
    database = tmp_path / "reports.db"
    locks = all_lock_files(database)

    for folder in (tmp_path, tmp_path / "data"):
        assert set(lock_files(folder, database)) & set(locks)
    with hold_locks(locks[1:]), pytest.raises(InvalidInput, match="Go home"), hold_locks(locks, advice="Go home."):
        pass
