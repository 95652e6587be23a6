"""Files named on the command line, read with a limit and a clear error, and ``pagegrade.toml`` with ignore rules."""

from __future__ import annotations

import sys
import tomllib
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any, Final

import typer

from pagegrade.model.outcome import MAX_RULES, IgnoreRule
from pagegrade.parse.url import project_of

MAX_FILE_BYTES: Final = 250_000_000
"""More than any file this program writes."""
STDIN: Final = "-"
IGNORES_FILE: Final = "pagegrade.toml"
"""Read where it lies in the current folder."""
MAX_IGNORES_BYTES: Final = 1_000_000
_HINT: Final = "'--config'"
_TEXTS: Final = ("check", "selector", "url_pattern", "project", "reason", "state")
_MEMBERS: Final = (*_TEXTS, "places", "expires_at")


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


def read_ignores(path: str | None) -> tuple[IgnoreRule, ...]:
    """Read the ignore rules of a file; ``None``: of ``pagegrade.toml`` in the current folder, if there is one.

    Raises:
        typer.BadParameter: The file cannot be read, or a rule of it cannot be used; the message names the rule.
    """
    if path is None:
        if not Path(IGNORES_FILE).is_file():
            return ()
        path = IGNORES_FILE
    data = read_file(path, "--config")
    if len(data) > MAX_IGNORES_BYTES:
        raise typer.BadParameter(f"{path} is larger than {MAX_IGNORES_BYTES // 1_000_000} MB.", param_hint=_HINT)
    try:
        members = tomllib.loads(data.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise typer.BadParameter(f"{path} is not TOML: {error}.", param_hint=_HINT) from error
    unknown = [name for name in members if name != "ignore"]
    if unknown:
        raise typer.BadParameter(f"{path}: {unknown[0]!r} is unknown. It may hold [[ignore]].", param_hint=_HINT)
    tables = members.get("ignore", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise typer.BadParameter(f"{path}: write each rule below a line [[ignore]].", param_hint=_HINT)
    if len(tables) > MAX_RULES:
        raise typer.BadParameter(f"{path}: at most {MAX_RULES} rules.", param_hint=_HINT)
    return tuple(_read_rule(table, f"{path}, rule {number}") for number, table in enumerate(tables, start=1))


def _read_rule(table: dict[str, Any], place: str) -> IgnoreRule:
    # Its table of checks takes a moment to load, which only those who have rules need.
    from pagegrade.service.ignores.validation import find_violations

    for name, value in table.items():
        if name not in _MEMBERS:
            raise _refusal(place, f"{name!r} is unknown. A rule has {', '.join(_MEMBERS)}.")
        if name in _TEXTS and not isinstance(value, str):
            raise _refusal(place, f"{name} must be text.")
    places = table.get("places")
    if places is not None and (type(places) is not int or places < 1):
        raise _refusal(place, "places must be a whole number from 1.")
    project = table.get("project", "")
    if project and not project_of(project):
        raise _refusal(place, f"project: {project!r} is no host.")
    rule = IgnoreRule(
        check=table.get("check", ""),
        reason=table.get("reason", ""),
        selector=table.get("selector", ""),
        project=project_of(project) if project else "",
        url_pattern=table.get("url_pattern", ""),
        expires_at=_read_moment(table.get("expires_at"), place),
        state=table.get("state"),
        places=places,
    )
    violations = find_violations(rule)
    if violations:
        raise _refusal(place, f"{violations[0].field}: {violations[0].message}")
    return rule


def _read_moment(value: object, place: str) -> datetime | None:
    """A day ends with itself; a time without a zone is in UTC."""
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value) if len(value) > len("2026-01-01") else date.fromisoformat(value)
        except ValueError:
            value = None
    if isinstance(value, datetime):
        return value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime.combine(value, time.max, UTC)
    raise _refusal(place, "expires_at must be a day or a time, like 2026-12-31.")


def _refusal(place: str, message: str) -> typer.BadParameter:
    return typer.BadParameter(f"{place}: {message}", param_hint=_HINT)
