"""Lists for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import typer

from pagegrade.cli.output import write_stdout

FORMATS = ("text", "json")


def check_format(name: str) -> None:
    """Say before any work that there is no such format.

    Raises:
        typer.BadParameter: There is none.
    """
    if name not in FORMATS:
        raise typer.BadParameter(f"{name!r} is no format here. Use text or json.", param_hint="'--format'")


def write_list(rows: Sequence[Mapping[str, object]], columns: Mapping[str, str], format_name: str) -> None:
    """Write rows to stdout.

    Args:
        rows: Plain values by name.
        columns: Name of a value -> heading, for the table for people; JSON has every value.
        format_name: ``text`` or ``json``.
    """
    if format_name == "json":
        write_stdout(json.dumps(list(rows), ensure_ascii=False, indent=2) + "\n", machine=True)
        return
    table = [list(columns.values()), *([_shown(row[name]) for name in columns] for row in rows)]
    widths = [max(len(line[index]) for line in table) for index in range(len(columns))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in table)
    write_stdout("".join(f"{line.rstrip()}\n" for line in lines))


def _shown(value: object) -> str:
    """One line, and nothing a terminal would obey."""
    match value:
        case None:
            return "-"
        case list() | tuple():
            return " ".join(map(str, value))
        case _:
            return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in str(value))
