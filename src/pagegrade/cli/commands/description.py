"""``pagegrade openapi``."""

from __future__ import annotations

from pathlib import Path

import typer

from pagegrade.cli.output import STDOUT, write_stdout
from pagegrade.web.openapi_export import describe_api


def write_description(path: str) -> None:
    """Write the description of the API to a file, or to stdout for ``-``.

    Raises:
        typer.BadParameter: The file cannot be written.
    """
    text = describe_api()
    if path == STDOUT:
        write_stdout(text, machine=True)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be written: {error.strerror}.", param_hint="'--output'") from error
