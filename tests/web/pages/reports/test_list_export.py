"""The list as a file for spreadsheets."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import httpx
import pytest

from tests.store_builders import add_owner
from tests.web.calling import Instance, with_instance


def rows(answer: httpx.Response) -> list[dict[str, str]]:
    """The rows as a spreadsheet reads them."""
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def test_the_file_has_what_the_list_finds(tmp_path: Path) -> None:
    """All pages of it, in its order; Bob's has his own, Charlie's none."""

    async def script(instance: Instance) -> None:
        for number in range(12):
            await instance.create(f"https://a.example/{number:02}")
        await instance.create("https://b.example/")
        bob = add_owner(instance.services.database, "Bob")[0]
        found = await instance.page("GET", "/reports/export.csv?search=a.example&sort_by=url&sort=asc&page=2")
        of_bob = await instance.page("GET", "/reports/export.csv", account=bob)
        charlie = await instance.call("GET", "/reports/export.csv", key=None)

        assert [row["url"] for row in rows(found)] == [f"https://a.example/{number:02}" for number in range(12)]
        assert found.headers["content-type"].startswith("text/csv")
        assert found.headers["content-disposition"].startswith('attachment; filename="pagegrade-reports-')
        assert rows(of_bob) == []
        assert charlie.status_code == 303

    with_instance(tmp_path, script)


def test_the_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many rows, read a part at a time."""
    monkeypatch.setattr("pagegrade.web.pages.reports.list_export.MAX_ROWS", 6)
    monkeypatch.setattr("pagegrade.service.reports.operations.READ_AT_ONCE", 2)

    async def script(instance: Instance) -> None:
        for number in range(8):
            await instance.create(f"https://a.example/{number}")
        found = await instance.page("GET", "/reports/export.csv")

        assert [row["id"] for row in rows(found)] == ["8", "7", "6", "5", "4", "3"]

    with_instance(tmp_path, script)


def test_a_wrong_filter_is_left_out(tmp_path: Path) -> None:
    """As on the page that leads here."""

    async def script(instance: Instance) -> None:
        await instance.create()

        assert len(rows(await instance.page("GET", "/reports/export.csv?result=best"))) == 1

    with_instance(tmp_path, script)
