"""The evaluation in a process of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pagegrade.model.audit import AuditSettings
from pagegrade.service.audits import analysis
from pagegrade.service.audits.analysis import PAGES, AnalysisFailed, analyze_folder, analyze_ids, read_result
from pagegrade.store.analysis.derive import RANK_SCALE, derive
from pagegrade.store.analysis.relations import AnalysisNotInstalled, load_folder, open_relations
from pagegrade.store.repositories.crawl_segments import add_blocks, each_standing
from pagegrade.store.repositories.crawls import add_crawl
from tests.site_builders import evaluated
from tests.site_world.relations import rows_of_world
from tests.site_world.world import make_world
from tests.startup import FACTS, at_startup
from tests.store_builders import make_database


def write(folder: Path, seed: int = 1) -> dict[str, list[dict[str, object]]]:
    """The relations of a site as files."""
    rows = rows_of_world(make_world(seed, faults=["broken-link", "duplicate-title"]))
    for name, some in rows.items():
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in some))
    return rows


def test_the_result_is_that_of_the_rows(tmp_path: Path) -> None:
    """The process writes what an evaluation here says, and a table of all pages of all findings."""
    rows = write(tmp_path)
    result = analyze_folder(tmp_path)
    query = "SELECT number, count(DISTINCT page) FROM read_parquet($1) GROUP BY ALL"
    table = duckdb.connect().execute(query, [str(tmp_path / PAGES)])

    assert result == evaluated(rows) == read_result(tmp_path)
    assert dict(table.fetchall()) == {one.number: one.pages for one in result.findings}
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_the_standings_of_pages_are_those_of_the_evaluation(tmp_path: Path) -> None:
    """Of every page of status 200: its template, its rank, the links to it, and whether search engines may show it.

    Nothing is said of files that are no HTML, which search engines show as well.
    """
    rows = write(tmp_path)
    file = len(rows["pages"]) + 1
    blank = dict.fromkeys(rows["pages"][0])
    rows["pages"].append({**blank, "page_id": file, "url": "https://e.test/a.pdf", "state": "fetched", "status": 200})
    rows["links"].append({**rows["links"][0], "to_id": file})
    for name in ("pages", "links"):
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows[name]))
    _, _, packed = asyncio.run(analyze_ids(tmp_path))
    database = make_database(tmp_path)
    database.write_here(lambda tx: add_crawl(tx, "https://example.com/", AuditSettings(), secret=bytes(16), now_ms=1))
    database.write_here(lambda tx: add_blocks(tx, 1, "standing", packed))
    found = {row.page_id: row for row in database.read_here(lambda tx: list(each_standing(tx, 1, len(rows["pages"]))))}
    database.close()
    with open_relations(tmp_path) as relations:
        load_folder(relations, tmp_path)
        derive(relations)
        templates: dict[Any, Any] = dict(relations.rows("SELECT page_id, template_id FROM templates"))
        ranks = {one: tuple(some) for one, *some in relations.rows("SELECT page_id, pagerank, inlinks FROM ranks")}
        indexable = {one for (one,) in relations.rows("SELECT page_id FROM indexable")}
    pages = {row["page_id"] for row in rows["pages"] if row["status"] == 200 and row.get("words") is not None}

    assert found.keys() == pages
    assert {one: row.template for one, row in found.items() if row.template is not None} == templates
    assert {one: (round(row.pagerank * RANK_SCALE), row.inlinks) for one, row in found.items() if row.inlinks} == {
        one: each for one, each in ranks.items() if each[1]
    }
    assert {one for one, row in found.items() if row.indexable} == indexable
    assert len(set(templates.values())) > 1


def test_an_analysis_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    """The error says so, and no result of an earlier one stays."""
    write(tmp_path)
    (tmp_path / analysis.RESULT).write_text("{}")
    with pytest.raises(AnalysisFailed, match=r"within 0\.01 s"):
        analyze_folder(tmp_path, timeout_s=0.01)

    assert not (tmp_path / analysis.RESULT).exists()


def test_an_analysis_without_memory_fails_with_the_reason(tmp_path: Path) -> None:
    """The limit of the process holds, and the next start begins anew."""
    write(tmp_path)
    with pytest.raises(AnalysisFailed, match="together: "):
        analyze_folder(tmp_path, memory_mb=1)
    result = analyze_folder(tmp_path)

    assert result.score is not None


def test_the_process_has_no_secret_of_this_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor the code of the folder that this one was started in, nor the signals of its terminal."""
    write(tmp_path)
    at_startup(tmp_path, monkeypatch, "pagegrade.service.audits.analysis")
    monkeypatch.setenv("PAGEGRADE_DATABASE_URL", "secret-value-1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "msgspec.py").write_text("raise SystemExit(3)")
    starts: tuple[Callable[[], object], ...] = (
        lambda: analyze_folder(tmp_path),
        lambda: asyncio.run(analyze_ids(tmp_path)),
    )
    for start in starts:
        start()
        facts = json.loads((tmp_path / FACTS).read_text())
        (tmp_path / FACTS).unlink()

        assert "PAGEGRADE_DATABASE_URL" not in facts["names"]
        assert facts["leads"]


def test_without_duckdb_nothing_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names what to install."""
    monkeypatch.setattr(analysis, "is_installed", lambda: False)
    with pytest.raises(AnalysisNotInstalled, match="audit"):
        analyze_folder(tmp_path)
