"""The relations of a crawl are loaded from files, and DuckDB keeps to its place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import duckdb
import pytest

from pagegrade.store.analysis import relations as module
from pagegrade.store.analysis.relations import (
    RELATIONS,
    AnalysisNotInstalled,
    load_folder,
    load_rows,
    open_relations,
)
from tests.site_builders import page

pytestmark = pytest.mark.backend("sqlite")  # none is used here: the relations have an engine of their own


def test_lines_of_json_are_loaded_as_rows(tmp_path: Path) -> None:
    """Missing columns and files are NULL and empty, further ones are passed over, and 64 bits keep each bit."""
    large = (1 << 64) - 1
    rows = [page(1, digest=large, template=list(range(16)), types=["Product"], more=1), {"page_id": 2}]
    (tmp_path / "pages.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (tmp_path / "links.jsonl").write_text("")
    with open_relations(tmp_path) as relations:
        load_folder(relations, tmp_path)
        found = relations.rows("SELECT page_id, digest, template, types FROM pages ORDER BY page_id")
        links = relations.rows("SELECT * FROM links")

    assert found == [(1, large, list(range(16)), ["Product"]), (2, None, None, None)]
    assert links == []
    assert list(tmp_path.iterdir()) != []


def test_compressed_lines_are_loaded_as_rows(tmp_path: Path) -> None:
    """As those of the links of a crawl."""
    (tmp_path / "links.jsonl.gz").write_bytes(gzip.compress(b'{"from_id": 1, "to_id": 2, "kind": "a"}\n'))
    with open_relations(tmp_path) as relations:
        load_folder(relations, tmp_path)

        assert relations.rows("SELECT from_id, to_id, kind FROM links") == [(1, 2, "a")]


def test_parquet_files_are_loaded_as_rows(tmp_path: Path) -> None:
    """A file may lack columns and have further ones."""
    path = tmp_path / "links.parquet"
    duckdb.sql(f"COPY (SELECT 1 AS from_id, 2 AS to_id, 'a' AS kind, 3 AS more) TO '{path}' (FORMAT parquet)")
    with open_relations(tmp_path) as relations:
        load_folder(relations, tmp_path)

        assert relations.rows("SELECT from_id, to_id, kind, anchor FROM links") == [(1, 2, "a", None)]


def test_nothing_outside_its_folder_is_read(tmp_path: Path) -> None:
    """Neither a file elsewhere nor a setting that would allow it."""
    inside, outside = tmp_path / "inside", tmp_path / "outside.csv"
    inside.mkdir()
    outside.write_text("a\n1\n")
    with open_relations(inside) as relations:
        with pytest.raises(duckdb.PermissionException):
            relations.rows("SELECT * FROM read_csv($1)", [str(outside)])
        with pytest.raises(duckdb.InvalidInputException):
            relations.run("SET enable_external_access = true")


@pytest.mark.parametrize("name", ["pages.jsonl", "pages.parquet"])
def test_a_file_that_is_damaged_is_told_from_one_that_is_missing(tmp_path: Path, name: str) -> None:
    """Of several folders that may be read."""
    path = tmp_path / name
    with open_relations(reads=[tmp_path / "other", tmp_path]) as relations:
        with pytest.raises(FileNotFoundError):
            load_rows(relations, "urls", path, {"url": "VARCHAR"})
        path.write_text('{"url": ')
        with pytest.raises(ValueError, match=name):
            load_rows(relations, "urls", path, {"url": "VARCHAR"})
        other = tmp_path / "other.jsonl"
        other.write_text('{"url": "a", "more": 1}\n{"more": 2}\n')
        load_rows(relations, "urls", other, {"url": "VARCHAR"})

        assert relations.rows("SELECT url FROM urls ORDER BY url") == [("a",), (None,)]


def test_rows_are_inserted_in_blocks() -> None:
    """More rows than one block holds, with columns that are missing."""
    with open_relations() as relations:
        relations.insert("sitemap", ({"page_id": at} for at in range(12_001)), RELATIONS["sitemap"])

        assert relations.row("SELECT count(*), count(lastmod), max(page_id) FROM sitemap") == (12_001, 0, 12_000)
        assert sum(1 for _ in relations.each("SELECT page_id FROM sitemap")) == 12_001


def test_without_duckdb_the_error_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation of the base alone learns what to install."""
    monkeypatch.setattr(module, "is_installed", lambda: False)
    with pytest.raises(AnalysisNotInstalled, match=r"pip install 'pagegrade\[audit\]'"), open_relations():
        raise AssertionError("a database was opened")
