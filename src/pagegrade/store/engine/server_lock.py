"""File locks that allow one server per database and are released by the system when the process ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from pagegrade.model.errors import InvalidInput

LOCK_NAME: Final = "serve.lock"
ANOTHER_FOLDER: Final = "Stop it first, or set PAGEGRADE_DATA_DIR to another folder."
_MAX_PID_BYTES: Final = 20


def lock_files(folder: Path, database: Path) -> tuple[Path, ...]:
    """Return the files to lock for a data directory and a database, which may lie elsewhere."""
    inside = database.absolute().parent == folder.absolute()
    return (folder / LOCK_NAME,) if inside else (folder / LOCK_NAME, database.with_name(f"{database.name}.{LOCK_NAME}"))


def all_lock_files(database: Path) -> tuple[Path, ...]:
    """Return the files that a server of this database may have locked, whatever its data directory is."""
    path = database.absolute()
    return (path.parent / LOCK_NAME, path.with_name(f"{path.name}.{LOCK_NAME}"))


@contextlib.contextmanager
def hold_locks(paths: Iterable[Path], *, advice: str = ANOTHER_FOLDER) -> Iterator[None]:
    """Hold the locks until the block or this process ends.

    The files are kept: deleting one while another process waits for it would allow two holders.

    Args:
        paths: The files.
        advice: Instruction for the user in the error message.

    Raises:
        InvalidInput: Another process holds one of the locks; the message names it.
    """
    with contextlib.ExitStack() as held:
        for path in paths:
            held.enter_context(_hold(path, advice))
        yield


@contextlib.contextmanager
def _hold(path: Path, advice: str) -> Iterator[None]:
    try:
        # Not inherited by children (PEP 446): a parser process that outlives the server must not hold the lock.
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        reason = error.strerror or "unknown reason"
        raise InvalidInput(f"The lock {path} cannot be opened: {reason}. Change its owner or its folder.") from None
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InvalidInput(f"Another pagegrade serve ({_holder(file)}) works in {path.parent}. {advice}") from None
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(file)


def _holder(file: int) -> str:
    pid = os.pread(file, _MAX_PID_BYTES, 0).strip()
    return f"process {pid.decode()}" if pid.isdigit() else "just starting"
