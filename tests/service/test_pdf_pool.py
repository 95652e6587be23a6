from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from pagegrade.gather.temporary import sweep_folders
from pagegrade.model.errors import PDFNotInstalled, QuotaExceeded, Unavailable
from pagegrade.render.conformance import conformance_sheet
from pagegrade.report.serialize import report_to_dict
from pagegrade.sandbox.pool import TaskFailed
from pagegrade.service import pdf_pool as module
from pagegrade.service.pdf_pool import CONCURRENT, MAX_ASKED, Documents
from pagegrade.store.analysis import tables
from tests.report_builders import make_report
from tests.startup import FACTS, at_startup

ROWS = b'{"id": 1}\n'
WRITER = """
import asyncio
from pagegrade.service.pdf_pool import Documents
asyncio.run(Documents().parquet({"id": "BIGINT"}, b'{"id": 1}'))
"""
REPORT = json.dumps(report_to_dict(make_report())).encode()


def test_a_report_becomes_a_pdf_in_a_process_of_its_own() -> None:
    """And none is left behind: the next one starts anew."""
    documents = Documents()

    async def twice() -> list[bytes]:
        return [await documents.pdf(REPORT), await documents.pdf(REPORT)]

    first, second = asyncio.run(twice())

    assert first.startswith(b"%PDF-")
    assert first == second


def test_a_report_becomes_a_card_in_a_process_of_its_own() -> None:
    """With the same limits."""
    assert asyncio.run(Documents().card(REPORT)).startswith(b"\x89PNG")


def test_a_conformance_report_becomes_a_pdf_in_a_process_of_its_own() -> None:
    """With the same limits; the same values give the same bytes."""
    values = json.dumps(conformance_sheet([make_report()])).encode()
    first, second = (asyncio.run(Documents().sheet("conformance", values, at_s=1_764_400_000)) for _ in range(2))

    assert first.startswith(b"%PDF-")
    assert first == second


def test_requests_over_the_limit_are_refused_with_a_time_to_retry() -> None:
    """As many are made or waited for as there may be; places are given back."""
    documents = Documents()

    async def requests() -> tuple[list[bytes | BaseException], bytes]:
        answers = await asyncio.gather(*(documents.pdf(REPORT) for _ in range(MAX_ASKED + 2)), return_exceptions=True)
        return answers, await documents.pdf(REPORT)

    answers, later = asyncio.run(requests())
    refused = [answer for answer in answers if isinstance(answer, Unavailable)]

    assert [answer.retry_after_s for answer in refused] == [module.RETRY_AFTER_S] * 2
    assert later.startswith(b"%PDF-")


def test_an_account_gets_one_zip_or_pdf_at_a_time() -> None:
    """A second one is refused with a time to retry, and so are more accounts than there is room for.

    The place is given back, also after a fault.
    """
    documents = Documents()

    with pytest.raises(KeyError), documents.only_one(1):
        raise KeyError
    with documents.only_one(1), pytest.raises(QuotaExceeded) as own, documents.only_one(1):
        pass
    with ExitStack() as others:
        for account_id in range(CONCURRENT):
            others.enter_context(documents.only_one(account_id))
        with pytest.raises(Unavailable) as full, documents.only_one(CONCURRENT):
            pass
    with documents.only_one(CONCURRENT):
        pass

    assert "one ZIP or PDF" in str(own.value)
    assert own.value.retry_after_s == full.value.retry_after_s == module.RETRY_AFTER_S


def test_a_document_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process is killed."""
    monkeypatch.setattr(module, "SECONDS", 0.001)

    with pytest.raises(Unavailable, match="take another format"):
        asyncio.run(Documents().pdf(REPORT))


def test_what_is_no_report_is_a_mistake_of_ours() -> None:
    """It is logged as one, and not reported as temporary."""
    with pytest.raises(TaskFailed):
        asyncio.run(Documents().pdf(b"[]"))


def test_without_typst_no_process_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra that brings it."""
    monkeypatch.setitem(sys.modules, "typst", None)  # as where it is not installed

    with pytest.raises(PDFNotInstalled, match=r"install pagegrade\[pdf\]"):
        asyncio.run(Documents().pdf(REPORT))


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files of this test alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_table_is_written_by_a_process_without_the_secrets_of_this_one(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor with the code of the folder that this one was started in, nor with the signals of its terminal."""
    at_startup(tmp_path, monkeypatch, "pagegrade.store.analysis.tables")
    monkeypatch.setenv("PAGEGRADE_DATABASE_URL", "secret-value-1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "msgspec.py").write_text("raise SystemExit(3)")
    table = asyncio.run(Documents().parquet({"id": "BIGINT"}, ROWS))
    facts = json.loads((tmp_path / FACTS).read_text())

    assert table.startswith(b"PAR1")
    assert "PAGEGRADE_DATABASE_URL" not in facts["names"]
    assert facts["leads"]
    assert list(temporary.iterdir()) == []


def test_a_table_that_fails_or_takes_too_long_is_logged_with_the_reason(
    temporary: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the administrator; the client may take another format, and nothing of the rows stays."""
    with pytest.raises(Unavailable, match="take another format"):
        asyncio.run(Documents().parquet({"id": "BIGINT"}, b"{no json"))

    assert "Malformed JSON" in caplog.text
    assert list(temporary.iterdir()) == []

    monkeypatch.setattr(tables, "SECONDS", 0.01)
    with pytest.raises(Unavailable, match="take another format"):
        asyncio.run(Documents().parquet({"id": "BIGINT"}, ROWS))

    assert "within 0.01 s" in caplog.text
    assert list(temporary.iterdir()) == []


def test_a_table_that_does_not_fit_on_the_disk_is_not_made(temporary: Path, tmp_path: Path) -> None:
    """As one that fails for another reason, also where there is no folder at all."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, limits[1]))
    try:
        with pytest.raises(Unavailable, match="take another format"):
            asyncio.run(Documents().parquet({"id": "BIGINT"}, ROWS * 200_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert list(temporary.iterdir()) == []
    temporary.rename(tmp_path / "elsewhere")
    with pytest.raises(Unavailable, match="take another format"):
        asyncio.run(Documents().parquet({"id": "BIGINT"}, ROWS))


def test_rows_of_a_process_that_was_killed_are_deleted_by_the_next_start(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are of customers."""
    at_startup(tmp_path, monkeypatch, "pagegrade.store.analysis.tables", "os.kill(os.getppid(), 9); os._exit(0)")
    ended = subprocess.run(
        [sys.executable, "-c", WRITER], env={**os.environ, "TMPDIR": str(temporary)}, check=False
    ).returncode
    left = list(temporary.glob("*/rows.jsonl"))

    assert (ended, len(left)) == (-signal.SIGKILL, 1)
    assert sweep_folders() == 1
    assert list(temporary.iterdir()) == []
