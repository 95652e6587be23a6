"""Runs the evaluation of a crawl in a process of its own, which has limits and can be killed.

Started as ``python -m pagegrade.service.audits.analysis FOLDER MEMORY_MB THREADS``. It reads the relations in the
folder, and writes ``audit.json`` and ``finding_pages.parquet`` there; whatever ends it, the next start begins anew.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import ClassVar, Final

import msgspec

from pagegrade.model.audit_result import AuditResult
from pagegrade.model.errors import PagegradeError
from pagegrade.service.audits.evaluation import evaluate_crawl
from pagegrade.store.analysis.relations import (
    MEMORY_MB,
    THREADS,
    AnalysisNotInstalled,
    Relations,
    is_installed,
    load_folder,
    open_relations,
)

RESULT: Final = "audit.json"
PAGES: Final = "finding_pages.parquet"
SECONDS: Final = 1_800.0
"""For one analysis; a million pages take a few minutes."""
OVERHEAD_MB: Final = 1_536
"""Address space beside what DuckDB may hold: Python, the library, and what it maps without using."""
MAX_FILE_BYTES: Final = 64 << 30
"""Of what does not fit into memory."""


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
    if not is_installed():
        raise AnalysisNotInstalled
    result = folder / RESULT
    result.unlink(missing_ok=True)
    command = [sys.executable, "-m", __name__, str(folder), str(memory_mb), str(threads)]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command of ours
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise AnalysisFailed(f"The pages could not be evaluated together within {timeout_s:g} s.") from None
    if done.returncode or not result.exists():
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2][:300]
        raise AnalysisFailed(f"The pages could not be evaluated together: {said or f'status {done.returncode}'}")
    return read_result(folder)


def read_result(folder: Path) -> AuditResult:
    """The result that was written into a folder.

    Raises:
        FileNotFoundError: There is none.
        msgspec.DecodeError: It is damaged.
    """
    return msgspec.json.decode((folder / RESULT).read_bytes(), type=AuditResult)


def write_result(relations: Relations, folder: Path) -> AuditResult:
    """Evaluate loaded relations, and write the result and the pages of its findings into a folder."""
    result = evaluate_crawl(relations)
    pages = folder / PAGES
    relations.run(
        f"""
        COPY (
            SELECT number, source.url AS page, target.url AS target, value FROM finding_pages
            JOIN names AS source ON source.id = page_id LEFT JOIN names AS target ON target.id = target_id
            ORDER BY ALL
        ) TO '{str(pages).replace("'", "''")}' (FORMAT parquet, COMPRESSION zstd)
        """
    )
    unfinished = folder / f"{RESULT}.part"
    unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1))
    unfinished.replace(folder / RESULT)
    return result


def main(folder: Path, memory_mb: int, threads: int) -> None:
    """Evaluate a folder within limits of this process."""
    if sys.platform == "linux":  # macOS refuses every limit below what it maps itself.
        space = (memory_mb + OVERHEAD_MB) << 20
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE_BYTES, MAX_FILE_BYTES))
    with open_relations(folder, memory_mb=memory_mb, threads=threads) as relations:
        load_folder(relations, folder)
        write_result(relations, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
