"""Rows become a table of the types that are asked for, in their order, and a process that fails is no table."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pagegrade.store.analysis import tables as module
from pagegrade.store.analysis.relations import AnalysisNotInstalled
from pagegrade.store.analysis.tables import TableFailed, write_parquet

COLUMNS = {"id": "BIGINT", "url": "VARCHAR", "noindex": "BOOLEAN", "score": "INTEGER"}


def lines(*rows: dict[str, Any]) -> bytes:
    """Rows as JSON lines."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def written(rows: bytes, folder: Path, **more: Any) -> bytes:
    """The table, written in a folder of its own."""
    (folder / "table").mkdir()
    return write_parquet(COLUMNS, rows.splitlines(keepends=True), folder / "table", os.environ, **more).read_bytes()


def read(table: bytes, folder: Path) -> list[tuple[Any, ...]]:
    """All rows of a table."""
    (folder / "read.parquet").write_bytes(table)
    return duckdb.connect().execute("FROM read_parquet($1)", [str(folder / "read.parquet")]).fetchall()


def test_rows_keep_their_order_and_their_types(tmp_path: Path) -> None:
    """A lacking member is null, one without a column is left out, and text is only text."""
    evil = "'); DROP TABLE x; -- =1+1 \u0000\U0001f600"
    table = written(lines({"id": 2, "url": evil, "other": 1}, {"id": 1, "noindex": True, "score": 7}), tmp_path)

    assert read(table, tmp_path) == [(2, evil, None, None), (1, None, True, 7)]


def test_a_large_table_keeps_its_order(tmp_path: Path) -> None:
    """As many rows as a part of an export has."""
    table = written(lines(*({"id": number} for number in range(50_000))), tmp_path)

    assert [row[0] for row in read(table, tmp_path)] == list(range(50_000))


def test_no_rows_are_an_empty_table(tmp_path: Path) -> None:
    """With its columns."""
    assert read(written(b"", tmp_path), tmp_path) == []


def test_a_process_that_fails_or_takes_too_long_makes_no_table(tmp_path: Path) -> None:
    """The failure says how it ended, in one line that is not too long."""
    with pytest.raises(TableFailed, match=r"could not be written: .*Malformed JSON") as failed:
        written(b"{no json" + b"x" * 1_000, tmp_path)

    assert len(str(failed.value)) < 400
    assert "\n" not in str(failed.value)

    (tmp_path / "slow").mkdir()
    with pytest.raises(TableFailed, match=r"within 0\.01 s"):
        written(lines({"id": 1}), tmp_path / "slow", timeout_s=0.01)


def test_without_the_library_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No process is started."""
    monkeypatch.setattr(module, "is_installed", lambda: False)

    with pytest.raises(AnalysisNotInstalled, match=r"pagegrade\[audit\]"):
        written(b"", tmp_path)
