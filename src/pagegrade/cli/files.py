"""Files named on the command line, read with a limit and a clear error."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import typer

MAX_FILE_BYTES: Final = 250_000_000
"""More than any file this program writes."""
STDIN: Final = "-"


def read_file(path: str, option: str) -> bytes:
    """The bytes of a file, or of stdin for ``-``.

    Raises:
        typer.BadParameter: It cannot be read, or is larger than 250 MB.
    """
    try:
        if path == STDIN:
            data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be read: {error.strerror}.", param_hint=f"'{option}'") from error
    if len(data) > MAX_FILE_BYTES:
        raise typer.BadParameter(
            f"{path} is larger than {MAX_FILE_BYTES // 1_000_000} MB. Give the right file.", param_hint=f"'{option}'"
        )
    return data


def typed_lines(typed: str, option: str) -> list[str]:
    """The value of an option, or the lines of the file that it names by ``@``: so the value is in no list of processes.

    Raises:
        typer.BadParameter: The file cannot be read.
    """
    if not typed.startswith("@"):
        return [typed]
    lines = read_file(typed[1:], option).decode("utf-8", "replace").splitlines()
    return [line for line in lines if line.strip()]
