"""The relations of a crawl in a database of their own: their columns, how they are loaded, and how they are asked.

DuckDB reads the files of one folder and nothing else, loads no extension, and keeps to the memory and the threads that
it is given; what does not fit is written to that folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Final

from pagegrade.model.errors import PagegradeError

MEMORY_MB: Final = 512
THREADS: Final = 2
SPILL: Final = "spill"
"""Folder, below that of the audit, of what does not fit into memory."""
_COLUMNS: Final[Mapping[str, str]] = {
    "pages": """
        page_id BIGINT, url VARCHAR, host VARCHAR, path VARCHAR, pattern VARCHAR, depth INTEGER, state VARCHAR,
        status INTEGER, redirect_id BIGINT, redirect_url VARCHAR, hops INTEGER, content_type VARCHAR, bytes BIGINT,
        time_ms INTEGER, title VARCHAR, h1 VARCHAR, description VARCHAR, noindex BOOLEAN, nofollow BOOLEAN,
        canonical_id BIGINT, canonical_url VARCHAR, lang VARCHAR, next_id BIGINT, prev_id BIGINT, words INTEGER,
        digest UBIGINT, simhash UBIGINT, template USMALLINT[], types VARCHAR[], score INTEGER, in_sitemap BOOLEAN,
        lastmod VARCHAR, session_id BOOLEAN, trap VARCHAR, headers VARCHAR, carried_from INTEGER, page_kind VARCHAR
    """,
    "links": """
        from_id BIGINT, to_id BIGINT, kind VARCHAR, nofollow BOOLEAN, place VARCHAR, anchor VARCHAR, hreflang VARCHAR
    """,
    "found": "page_id BIGINT, check_id VARCHAR, state VARCHAR, lost DOUBLE, total INTEGER, signature UBIGINT",
    "evidence": "check_id VARCHAR, state VARCHAR, signature UBIGINT, page_id BIGINT, example VARCHAR",
    "assets": "asset_id BIGINT, url VARCHAR, kind VARCHAR, status INTEGER, bytes BIGINT",
    "outside": "target_id BIGINT, url VARCHAR, status INTEGER, error VARCHAR",
    "rendered": "page_id BIGINT, check_id VARCHAR, state VARCHAR, loss DOUBLE, value VARCHAR",
    "sitemap": "page_id BIGINT, lastmod VARCHAR, file VARCHAR",
    "site": "key VARCHAR, value VARCHAR",
}
RELATIONS: Final[Mapping[str, Mapping[str, str]]] = {
    name: dict(part.split() for part in text.split(",")) for name, text in _COLUMNS.items()
}
"""Relation -> column -> type of DuckDB. A file may lack columns and have further ones."""
Row = tuple[Any, ...]


class AnalysisNotInstalled(PagegradeError):
    """Audits of sites need DuckDB: install it with pip install 'pagegrade[audit]'."""

    code: ClassVar[str] = "audit_not_installed"


def is_installed() -> bool:
    """Return true if DuckDB is installed, which the extra ``pagegrade[audit]`` brings."""
    return find_spec("duckdb") is not None


class Relations:
    """An open database with the relations of one crawl."""

    def __init__(self, connection: Any) -> None:
        """Take a connection of DuckDB."""
        self._connection = connection

    def run(self, sql: str, values: Sequence[object] = ()) -> None:
        """Run one statement."""
        self._connection.execute(sql, list(values))

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """All rows of a query; for those whose number is known to be small."""
        found: list[Row] = self._connection.execute(sql, list(values)).fetchall()
        return found

    def row(self, sql: str, values: Sequence[object] = ()) -> Row:
        """The only row of a query."""
        (found,) = self.rows(sql, values)
        return found

    def each(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
        """Yield the rows of a query, a block at a time; no other statement may be run before the end."""
        self._connection.execute(sql, list(values))
        while block := self._connection.fetchmany(10_000):
            yield from block

    def insert(self, table: str, rows: Iterable[Mapping[str, object]], columns: Mapping[str, str]) -> None:
        """Add rows to a table, a block at a time; what a row lacks is NULL."""
        shape = json.dumps([columns])
        listed = ", ".join(columns)
        for block in _blocks(rows):
            self._connection.execute(
                f"INSERT INTO {table} SELECT {listed} FROM"
                " (SELECT UNNEST(one) FROM (SELECT unnest(from_json($1, $2)) AS one))",
                [json.dumps(block), shape],
            )


def _blocks(rows: Iterable[Mapping[str, object]], size: int = 5_000) -> Iterator[list[Mapping[str, object]]]:
    block: list[Mapping[str, object]] = []
    for row in rows:
        block.append(row)
        if len(block) == size:
            yield block
            block = []
    if block:
        yield block


@contextmanager
def open_relations(
    folder: Path | None = None, *, reads: Sequence[Path] = (), memory_mb: int = MEMORY_MB, threads: int = THREADS
) -> Iterator[Relations]:
    """Open an empty database with the tables of ``RELATIONS``.

    Args:
        folder: Where it may write while it is open; ``None``: a temporary folder.
        reads: Further folders that it may use.
        memory_mb: What it may hold; more is written to the folder.
        threads: That it may use.

    Raises:
        AnalysisNotInstalled: DuckDB is not there.
    """
    if not is_installed():
        raise AnalysisNotInstalled
    import duckdb

    with TemporaryDirectory(prefix=f"{SPILL}-", dir=folder) as spill:
        connection = duckdb.connect(
            config={
                "memory_limit": f"{memory_mb}MB",
                "threads": str(threads),
                "temp_directory": spill,
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "allow_community_extensions": "false",
                "preserve_insertion_order": "false",
            }
        )
        try:
            places = [spill, *map(str, reads if folder is None else (folder, *reads))]
            connection.execute("SET allowed_directories = $1", [places])
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
            for name, columns in RELATIONS.items():
                listed = ", ".join(f"{column} {kind}" for column, kind in columns.items())
                connection.execute(f"CREATE TABLE {name} ({listed})")
            yield Relations(connection)
        finally:
            connection.close()


def finding_pages(path: Path) -> Iterator[tuple[int, str, str | None, str | None]]:
    """Yield (number of the finding, page, target, value) of a file that an analysis has written."""
    with open_relations(path.parent) as relations:
        yield from relations.each(
            "SELECT number, page, target, value FROM read_parquet($1) ORDER BY ALL", values=[str(path)]
        )


def copy_rows(rows: Path, columns: Mapping[str, str], table: Path) -> None:
    """Write JSON lines as Parquet, in their order, into the same folder.

    Args:
        rows: The file with the lines.
        columns: Name -> type of DuckDB.
    """
    with open_relations(rows.parent, threads=1) as relations:
        lines = f"read_json($1, format = 'newline_delimited', columns = {_struct(columns)})"
        target = str(table).replace("'", "''")
        relations.run(f"COPY (SELECT * FROM {lines}) TO '{target}' (FORMAT parquet, COMPRESSION zstd)", [str(rows)])


def load_rows(relations: Relations, table: str, path: Path, columns: Mapping[str, str]) -> None:
    """Make a table of some columns of a file that a crawl or its analysis has written.

    Args:
        relations: Opened with the folder of the file.
        table: Name of the new table.
        path: Of JSON lines or Parquet.
        columns: Name -> type of DuckDB.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is damaged, or lacks a column.
    """
    import duckdb

    if not path.exists():
        raise FileNotFoundError(path)
    lines = f"read_json($1, format = 'newline_delimited', columns = {_struct(columns)})"
    reader = "read_parquet($1)" if path.suffix == ".parquet" else lines
    try:
        relations.run(f"CREATE TABLE {table} AS SELECT {', '.join(columns)} FROM {reader}", [str(path)])
    except duckdb.Error as error:
        raise ValueError(f"{path.name} cannot be read.") from error


def load_folder(relations: Relations, folder: Path) -> None:
    """Load ``NAME.parquet``, ``NAME.jsonl.gz`` or ``NAME.jsonl`` of each relation; one without a file stays empty."""
    for name, columns in RELATIONS.items():
        lines = f"read_json($1, format = 'newline_delimited', columns = {_struct(columns)})"
        for path, reader in (
            (folder / f"{name}.parquet", "read_parquet($1)"),
            (folder / f"{name}.jsonl.gz", lines),
            (folder / f"{name}.jsonl", lines),
        ):
            if not path.exists() or not path.stat().st_size:
                continue
            source = f"(SELECT * FROM {reader})"
            if path.suffix == ".parquet":
                there = {row[0] for row in relations.rows(f"DESCRIBE SELECT * FROM {reader}", [str(path)])}
                source = f"(SELECT {', '.join(column for column in columns if column in there)} FROM {reader})"
            relations.run(f"INSERT INTO {name} BY NAME {source}", [str(path)])
            break


def _struct(columns: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"'{column}': '{kind}'" for column, kind in columns.items()) + "}"
