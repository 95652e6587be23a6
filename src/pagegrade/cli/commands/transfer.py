"""``pagegrade transfer``: everything from SQLite to PostgreSQL."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, TextIO

import typer

from pagegrade.cli import exit_codes
from pagegrade.cli.database import explain_trouble
from pagegrade.cli.files import read_file
from pagegrade.cli.output import write_list, write_stdout
from pagegrade.clock import now_ms
from pagegrade.model.errors import InvalidInput, Unavailable
from pagegrade.service.access.operations import KEY_FILE
from pagegrade.store.engine.data_dir import DATABASE_NAME, all_lock_files, hold_locks
from pagegrade.store.engine.database import is_shared_url, name_of
from pagegrade.store.engine.postgresql import PostgresDatabase
from pagegrade.store.engine.sqlite import sqlite_path
from pagegrade.store.schema.tables import access_profiles
from pagegrade.store.transfer.copy import (
    Moved,
    TargetUnavailable,
    TransferDiffers,
    Transferred,
    open_source,
    transfer,
)
from pagegrade.wiring import make_vault, planned_places

_CLEAR: Final = "\r\x1b[2K"
"""Back to the first column, erase the line (ECMA-48 8.3.41)."""
_DOES: Final = {"copy": "copying", "check": "checking"}
_SHOWN: Final = 16
"""Characters of a digest."""
_STOP: Final = "Stop it and leave it stopped, then begin again."


def transfer_database(*, from_file: str | None, to: str | None, to_file: str | None) -> int:
    """Move everything; the exit code.

    Args:
        from_file: The SQLite database; ``None``: the configured one, or that of the data folder.
        to: URL of the PostgreSQL database.
        to_file: A file that holds it. Neither: the configured one.

    Raises:
        InvalidInput: One of the databases is not fit for it; the message says what to do.
        Unavailable: One of them cannot be used.
    """
    path, url = _places(from_file, to, to_file)
    if not path.is_file():
        raise InvalidInput(f"There is no database {path}. Name the one of your installation with --from FILE.")
    target = PostgresDatabase(url, readers=1, writers=1, name="pagegrade transfer")
    source = open_source(path)
    line = _Line(sys.stderr, os.environ)
    try:
        with hold_locks(all_lock_files(path), advice=_STOP):
            write_stdout(f"Transferring {path} to {name_of(target)}.\n")
            done = transfer(source, target, now_ms=now_ms(), watch=line.show)
    except TransferDiffers as error:
        line.clear()
        _write_tables(error.tables)
        sys.stderr.write(
            "Error: What arrived is not what was sent, so nothing was transferred. Look for triggers and rules on the "
            "tables of the new database, or begin again with an empty one.\n"
        )
        return exit_codes.GATE_FAILED
    except Unavailable as error:
        raise explain_trouble(error, target if isinstance(error, TargetUnavailable) else source) from error
    finally:
        line.clear()
        source.close()
        target.close()
    _write_tables(done.tables)
    _print_summary(done, path)
    return exit_codes.OK


def _places(from_file: str | None, to: str | None, to_file: str | None) -> tuple[Path, str]:
    """(file of the source, URL of the target)."""
    if to is not None and to_file is not None:
        raise typer.BadParameter("Give --to or --to-file, not both.", param_hint="'--to'")
    folder, configured = planned_places()
    is_shared = is_shared_url(configured)
    url = to if to_file is None else _read_url(to_file)
    if url is None:
        if not is_shared:
            raise InvalidInput(
                "Say where to: --to-file FILE with the URL of a PostgreSQL database in it, --to URL, or "
                "PAGEGRADE_DATABASE_URL."
            )
        url = configured
    elif not is_shared_url(url):
        raise InvalidInput("The database to transfer to is one of PostgreSQL: postgresql+psycopg://USER@HOST/DATABASE.")
    if from_file is not None:
        return Path(from_file).absolute(), url
    return (folder / DATABASE_NAME if is_shared else sqlite_path(configured).absolute()), url


def _read_url(path: str) -> str:
    try:
        return read_file(path, "--to-file").decode("utf-8").strip()
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} holds no URL.") from None


def _write_tables(tables: Sequence[Moved]) -> None:
    rows = [
        {
            "table": each.table,
            "rows": f"{each.rows:,}",
            "found": f"{each.found_rows:,}",
            "digest": each.digest[:_SHOWN],
            "found_digest": each.found_digest[:_SHOWN],
            "same": "same" if each.is_same else "DIFFERENT",
        }
        for each in tables
    ]
    columns = {
        "table": "TABLE",
        "rows": "ROWS",
        "found": "ARRIVED",
        "digest": "DIGEST",
        "found_digest": "ARRIVED",
        "same": "",
    }
    write_list(rows, columns, "text")


def _print_summary(done: Transferred, path: Path) -> None:
    if done.cleaned:
        named = "; ".join(done.cleaned_rows)
        more = "" if done.cleaned == len(done.cleaned_rows) else " and more"
        write_stdout(
            f"\nText of {done.cleaned:,} rows held characters that PostgreSQL does not keep; they are U+FFFD now: "
            f"{named}{more}.\n"
        )
    if done.given_back:
        write_stdout(f"\nRuns that were under way and go on as if their worker had died: {done.given_back}.\n")
    steps = [
        "Set PAGEGRADE_DATABASE_URL (or PAGEGRADE_DATABASE_URL_FILE) to the new database for every process.",
        *_key_step(done, path),
        "Start them, and look at a few reports.",
        "Back the new database up.",
        f"Keep {path} until you have. Nothing reads it any more, and it does not change.",
    ]
    numbered = "".join(f"  {number}. {step}\n" for number, step in enumerate(steps, start=1))
    write_stdout(f"\nEverything is there. Next:\n\n{numbered}")


def _key_step(done: Transferred, path: Path) -> Sequence[str]:
    """Name the step for access profiles, whose key is in a file of the data folder unless one is set."""
    profiles = sum(each.rows for each in done.tables if each.table == access_profiles.name)
    if not profiles or make_vault().keys:
        return ()
    return (
        f"Set PAGEGRADE_SECRET_KEY_FILE to a copy of {path.with_name(KEY_FILE)}, or PAGEGRADE_SECRET_KEY to what is in "
        f"it, for every process: the secrets of {profiles} access profiles are encrypted with it.",
    )


class _Line:
    """One live line on a terminal."""

    def __init__(self, stream: TextIO, environment: Mapping[str, str]) -> None:
        self._stream = stream
        self._live = stream.isatty() and environment.get("TERM") != "dumb"

    def show(self, doing: Literal["copy", "check"], table: str, done: int, total: int) -> None:
        """Print the progress of the copy."""
        if self._live:
            width = shutil.get_terminal_size((80, 24)).columns
            words = f"{_DOES[doing]} {table}: {done:,} of {total:,} rows"
            self._stream.write(_CLEAR + words[: max(20, width - 1)])
            self._stream.flush()

    def clear(self) -> None:
        """Leave the line as it was found."""
        if self._live:
            self._stream.write(_CLEAR)
            self._stream.flush()
