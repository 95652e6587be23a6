from __future__ import annotations

import json

import pytest
import typer

from pagegrade.cli.tables import check_format, write_list

ROWS = [
    {"id": 1, "name": "Žofie\x1b[31m", "tags": ["a", "b"], "at": None},
    {"id": 10, "name": "B", "tags": [], "at": "2026-01-01T00:00:00.000Z"},
]


def test_a_table_stands_in_columns(capfd: pytest.CaptureFixture[str]) -> None:
    """As wide as what is in them, one line a row; nothing a terminal would obey."""
    write_list(ROWS, {"id": "ID", "name": "NAME", "tags": "TAGS", "at": "AT"}, "text")

    assert capfd.readouterr().out == (
        "ID  NAME        TAGS  AT\n"
        "1   Žofie\N{REPLACEMENT CHARACTER}[31m  a b   -\n"
        "10  B                 2026-01-01T00:00:00.000Z\n"
    )


def test_programs_get_everything(capfd: pytest.CaptureFixture[str]) -> None:
    """Also what the table leaves out, and an empty list for nothing."""
    write_list(ROWS, {"id": "ID"}, "json")
    full = capfd.readouterr().out
    write_list([], {"id": "ID"}, "json")

    assert json.loads(full) == ROWS
    assert json.loads(capfd.readouterr().out) == []


def test_an_empty_table_has_its_headings(capfd: pytest.CaptureFixture[str]) -> None:
    """The command visibly worked."""
    write_list([], {"id": "ID", "name": "NAME"}, "text")

    assert capfd.readouterr().out == "ID  NAME\n"


def test_a_format_must_exist() -> None:
    """Said before anything is done."""
    check_format("json")

    with pytest.raises(typer.BadParameter, match="'xml' is no format here"):
        check_format("xml")
