from __future__ import annotations

import asyncio
import json
import sys

import pytest

from pagegrade.model.errors import PDFNotInstalled, Unavailable
from pagegrade.render.conformance import conformance_sheet
from pagegrade.report.serialize import report_to_dict
from pagegrade.sandbox.pool import TaskFailed
from pagegrade.service import pdf_pool as module
from pagegrade.service.pdf_pool import MAX_ASKED, Documents
from tests.report_builders import make_report

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


def test_one_zip_is_made_at_a_time() -> None:
    """A second one is refused with a time to retry; the place is given back, also after a fault."""
    documents = Documents()

    with pytest.raises(KeyError), documents.only_zip():
        raise KeyError
    with documents.only_zip(), pytest.raises(Unavailable) as refused, documents.only_zip():
        pass
    with documents.only_zip():
        pass

    assert refused.value.retry_after_s == module.RETRY_AFTER_S


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
