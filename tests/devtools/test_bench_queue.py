"""The bench of the queue runs, on both kinds of database."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devtools.bench_queue import main


def test_it_prints_what_each_verb_costs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Verbs at an empty and at a long queue, and the chores; many clients at once are left out here."""
    file = tmp_path / "figures.json"
    status = main(["--count", "8", "--deep", "300", "--accounts", "20", "--clients", "--json", str(file)])
    printed = capsys.readouterr().out
    figures = json.loads(file.read_text())

    assert status == 0
    assert [
        name for name in ("claim, 4 at once, each", "put in line, each of 300", "SQLite: chores") if name not in printed
    ] == []
    assert figures["PostgreSQL: empty queue"]["finish"]["log_kb"] > 1
    assert (
        figures["PostgreSQL: empty queue"]["claim"]["exchanges"]
        > figures["PostgreSQL: unit"]["bare commit of one row"]["exchanges"]
    )
