"""Tables as Parquet, written in a process of its own: ``python -m pagegrade.store.analysis.tables FOLDER``.

The folder has the rows, JSON lines, and the types of their columns; the table is written beside them.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import ClassVar, Final

from pagegrade.model.errors import PagegradeError
from pagegrade.store.analysis.relations import AnalysisNotInstalled, copy_rows, is_installed

SECONDS: Final = 30.0
"""For one table of some ten thousand rows; 50,000 take a second."""
MAX_FILE_BYTES: Final = 1 << 30
_ROWS: Final = "rows.jsonl"
_COLUMNS: Final = "columns.json"
_TABLE: Final = "table.parquet"


class TableFailed(PagegradeError):
    """The table could not be written."""

    code: ClassVar[str] = "table_failed"


def write_parquet(
    columns: Mapping[str, str],
    rows: Iterable[bytes],
    folder: Path,
    environment: Mapping[str, str],
    *,
    timeout_s: float | None = None,
) -> Path:
    """Write a table as Parquet and return its path; blocks.

    Args:
        columns: Name -> type of DuckDB.
        rows: JSON lines, in parts; what one lacks is NULL, and further members are left out.
        folder: An empty one for the files of this table, which stay there.
        environment: Of the process.
        timeout_s: Time after which it is killed; ``None``: ``SECONDS``.

    Raises:
        AnalysisNotInstalled: DuckDB is not there.
        OSError: The folder cannot be used, or is full.
        TableFailed: The process ended without a table; the message says how.
    """
    if not is_installed():
        raise AnalysisNotInstalled
    limit_s = SECONDS if timeout_s is None else timeout_s
    with (folder / _ROWS).open("wb") as file:
        file.writelines(rows)
    (folder / _COLUMNS).write_text(json.dumps(dict(columns)))
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command of ours
            [sys.executable, "-P", "-m", __name__, str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
            timeout=limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TableFailed(f"The table could not be written within {limit_s:g} s.") from None
    if done.returncode:
        # DuckDB adds an empty line and its statement to what it says.
        said = done.stderr.decode(errors="replace").strip().partition("\n\n")[0].rpartition("\n")[2][:300]
        raise TableFailed(f"The table could not be written: {said or f'status {done.returncode}'}")
    return folder / _TABLE


def main(folder: Path) -> None:
    """Write the table of a folder within limits of this process."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE_BYTES, MAX_FILE_BYTES))
    copy_rows(folder / _ROWS, json.loads((folder / _COLUMNS).read_text()), folder / _TABLE)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
