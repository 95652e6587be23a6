"""Runs the evaluation of a crawl in a process of its own, which has limits and can be killed.

Started as ``python -m pagegrade.service.audits.analysis FOLDER MEMORY_MB THREADS PAGES``. It reads the relations in the
folder, and writes ``audit.json`` and ``finding_pages.parquet`` there; whatever ends it, the next start begins anew.
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
from pathlib import Path
from typing import ClassVar, Final

import msgspec

from pagegrade.model.audit_result import AuditResult
from pagegrade.model.errors import PagegradeError
from pagegrade.sandbox.pool import child_environment
from pagegrade.service.audits.evaluation import evaluate_crawl
from pagegrade.store.analysis.derive import RANK_SCALE
from pagegrade.store.analysis.relations import (
    MEMORY_MB,
    THREADS,
    AnalysisNotInstalled,
    Relations,
    is_installed,
    load_folder,
    open_relations,
)
from pagegrade.store.repositories.crawl_segments import (
    FindingPage,
    StandingRow,
    pack_findings,
    pack_standings,
)

RESULT: Final = "audit.json"
PAGES: Final = "finding_pages.parquet"
SEGMENTS: Final = "segments.msgpack"
SECONDS: Final = 1_800.0
"""For one analysis; a million pages take a few minutes."""
OVERHEAD_MB: Final = 1_536
"""Address space beside what DuckDB may hold: Python, the library, and what it maps without using."""
MAX_FILE_BYTES: Final = 64 << 30
"""Of what does not fit into memory."""

_STANDINGS: Final = f"""
    SELECT page_id, template_id, coalesce(pagerank, 0) / {RANK_SCALE}, coalesce(inlinks, 0),
        indexable.page_id IS NOT NULL
    FROM pages LEFT JOIN templates USING (page_id) LEFT JOIN ranks USING (page_id)
    LEFT JOIN indexable USING (page_id)
    WHERE pages.state = 'fetched' AND pages.status = 200 AND pages.words IS NOT NULL ORDER BY page_id
"""
"""Columns of ``StandingRow``."""
_TOO_LONG: Final = "The pages could not be evaluated together within {:g} s."


class AnalysisFailed(PagegradeError):
    """The pages could not be evaluated together; what was crawled is kept."""

    code: ClassVar[str] = "analysis_failed"
    retryable = True


def analyze_folder(
    folder: Path, *, memory_mb: int = MEMORY_MB, threads: int = THREADS, timeout_s: float = SECONDS
) -> AuditResult:
    """Evaluate the relations in a folder; blocks.

    Args:
        folder: With ``NAME.parquet`` or ``NAME.jsonl`` of ``store.analysis.relations.RELATIONS``.
        memory_mb: What DuckDB may hold; more is written below the folder.
        threads: That it may use.
        timeout_s: Time after which the process is killed.

    Raises:
        AnalysisNotInstalled: DuckDB is not there.
        AnalysisFailed: The process ended without a result; the message says how.
    """
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command of ours
            _prepare(folder, memory_mb, threads, "parquet"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=child_environment(),
            start_new_session=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise AnalysisFailed(_TOO_LONG.format(timeout_s)) from None
    return _outcome(folder, done.returncode, done.stderr)


async def analyze_ids(folder: Path) -> tuple[AuditResult, dict[int, bytes], dict[int, bytes]]:
    """Evaluate the relations in a folder as ``analyze_folder``; beside the result the pages of its findings.

    These are known by their ids, and packed as ``pack_findings`` does it: some bytes for each. The last value has the
    standings of the pages, packed by ``pack_standings``. The child is killed where the task is cancelled.

    Raises:
        AnalysisNotInstalled: DuckDB is not there.
        AnalysisFailed: The process ended without a result; the message says how.
    """
    child = await asyncio.create_subprocess_exec(
        *_prepare(folder, MEMORY_MB, THREADS, "segments"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=child_environment(),
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(SECONDS):
            _, said = await child.communicate()
    except TimeoutError:
        raise AnalysisFailed(_TOO_LONG.format(SECONDS)) from None
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    result = _outcome(folder, child.returncode or 0, said)
    packed = (folder / SEGMENTS).read_bytes()
    return result, *msgspec.msgpack.decode(packed, type=tuple[dict[int, bytes], dict[int, bytes]])


def _prepare(folder: Path, memory_mb: int, threads: int, pages: str) -> list[str]:
    """The command of the child, in a folder without the result of another.

    Raises:
        AnalysisNotInstalled: DuckDB is not there.
    """
    if not is_installed():
        raise AnalysisNotInstalled
    (folder / RESULT).unlink(missing_ok=True)
    return [sys.executable, "-P", "-m", __name__, str(folder), str(memory_mb), str(threads), pages]


def _outcome(folder: Path, status: int, stderr: bytes) -> AuditResult:
    if status or not (folder / RESULT).exists():
        said = stderr.decode(errors="replace").strip().rpartition("\n")[2][:300]
        raise AnalysisFailed(f"The pages could not be evaluated together: {said or f'status {status}'}")
    return read_result(folder)


def read_result(folder: Path) -> AuditResult:
    """The result that was written into a folder.

    Raises:
        FileNotFoundError: There is none.
        msgspec.DecodeError: It is damaged.
    """
    return msgspec.json.decode((folder / RESULT).read_bytes(), type=AuditResult)


def write_result(relations: Relations, folder: Path, *, ids: bool = False) -> AuditResult:
    """Evaluate loaded relations, and write the result and the pages of its findings into a folder.

    Args:
        relations: Of one crawl.
        folder: The folder.
        ids: Pack the pages by their ids, instead of writing a table of URLs.
    """
    result = evaluate_crawl(relations)
    if ids:
        rows = relations.each("SELECT number, page_id, target_id, value FROM finding_pages ORDER BY ALL")
        found = pack_findings((number, FindingPage(*row)) for number, *row in rows)
        standings = pack_standings(StandingRow(*row) for row in relations.each(_STANDINGS))
        (folder / SEGMENTS).write_bytes(msgspec.msgpack.encode((found, standings)))
    else:
        target = str(folder / PAGES).replace("'", "''")
        relations.run(
            f"""
            COPY (
                SELECT number, source.url AS page, target.url AS target, value FROM finding_pages
                JOIN names AS source ON source.id = page_id LEFT JOIN names AS target ON target.id = target_id
                ORDER BY ALL
            ) TO '{target}' (FORMAT parquet, COMPRESSION zstd)
            """
        )
    unfinished = folder / f"{RESULT}.part"
    unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1))
    unfinished.replace(folder / RESULT)
    return result


def main(folder: Path, memory_mb: int, threads: int, pages: str) -> None:
    """Evaluate a folder within limits of this process."""
    if sys.platform == "linux":  # macOS refuses every limit below what it maps itself.
        space = (memory_mb + OVERHEAD_MB) << 20
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE_BYTES, MAX_FILE_BYTES))
    with open_relations(folder, memory_mb=memory_mb, threads=threads) as relations:
        load_folder(relations, folder)
        write_result(relations, folder, ids=pages == "segments")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
