"""The bench of lists runs, and its databases are like those of a service."""

from __future__ import annotations

from pathlib import Path

import pytest

from devtools import bench_store
from devtools.bench_store import LARGE, main, make_rows


def test_it_prints_the_cost_of_every_list_as_the_account_grows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each filter in each order at the beginning, in the middle and at the end, and the verdict."""
    monkeypatch.setattr(bench_store, "REAL_PAGES", tmp_path)
    status = main(["--sizes", "30", "60", "--repeat", "1"])
    printed = capsys.readouterr().out
    names = (
        "a stored run, median of 3 pages",
        "all by id, first page",
        "state=failed by result, last page",
        "search rare by url",
        "one report",
    )

    assert status == 0
    assert [name for name in names if name not in printed] == []
    assert "worst ratio of first pages, last pages and rare searches" in printed
    assert str(LARGE) not in printed


def test_made_up_reports_are_consistent() -> None:
    """Only completed ones have results, and every call gets the same ones."""
    rows = list(make_rows(500, 1))

    assert {row["state"] for row in rows} == {"completed", "failed", "queued", "running"}
    assert all((row["state"] == "completed") == (row["generated_at_ms"] is not None) for row in rows)
    assert {row["rating"] for row in rows} == {None, 1, 2, 3}
    assert len({row["url"] for row in rows}) == 500
    assert rows == list(make_rows(500, 1))
