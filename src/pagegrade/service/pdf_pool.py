"""Documents that take long to set, made a few at a time in processes that can be killed.

Each gets a process of its own, which starts in less than half a second: documents are asked for now and then, and
nothing is kept in memory between them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from pagegrade.gather.context import OffloadFailed
from pagegrade.gather.temporary import own_folder
from pagegrade.model.account import Brand
from pagegrade.model.errors import PDFNotInstalled, QuotaExceeded, Unavailable
from pagegrade.render.account import NO_BRAND
from pagegrade.render.history import RunPoint
from pagegrade.render.pdf import Paper, SheetName, is_installed, render_pdf, render_reports_pdf, render_sheet_pdf
from pagegrade.render.shared_pictures import render_card
from pagegrade.sandbox.pool import Children, TaskFailed, child_environment
from pagegrade.store.analysis.relations import is_installed as is_duckdb_installed
from pagegrade.store.analysis.tables import TableFailed, write_parquet

CONCURRENT: Final = 2
"""Made at the same time; and so many ZIPs and PDFs of many reports, which are a document at their end besides."""
MAX_ASKED: Final = 8
"""Documents in progress and waiting; further clients get a 503 with Retry-After."""
SECONDS: Final = 20.0
"""For one document; an ordinary one takes a tenth of a second."""
RETRY_AFTER_S: Final = 5
GROWTH_BYTES: Final = 1 << 30
"""Address space that typesetting may use beside its libraries."""
logger = logging.getLogger(__name__)


def writes_parquet() -> bool:
    """Return true if tables can be written as Parquet, which the extra ``pagegrade[audit]`` brings."""
    return is_duckdb_installed()


class Documents:
    """``await documents.pdf(report)``; for one event loop."""

    def __init__(self) -> None:
        self._room = asyncio.Semaphore(CONCURRENT)
        self._asked = 0
        self._together: set[int] = set()

    async def pdf(
        self,
        report_json: bytes,
        *,
        tag: str = "en",
        paper: Paper = "a4",
        history: tuple[RunPoint, ...] = (),
        brand: Brand = NO_BRAND,
    ) -> bytes:
        """A completed report as PDF.

        Args:
            report_json: The JSON object of the HTTP interface.
            history: Runs of the same report, newest first.
            brand: Look of whose document it is.

        Raises:
            PDFNotInstalled: The extra ``pagegrade[pdf]`` is not installed.
            Unavailable: Too many are being made, or this one is too large to be made.
            TaskFailed: A mistake of ours.
        """
        return await self._made(render_pdf, report_json, tag, paper, history, brand)

    async def pdf_of_several(self, reports_json: bytes, *, tag: str = "en", brand: Brand = NO_BRAND) -> bytes:
        """Completed reports as one PDF; arguments as of ``render_reports_pdf``, errors as for ``pdf``."""
        return await self._made(render_reports_pdf, reports_json, tag, brand)

    async def sheet(self, template: SheetName, values: bytes, *, at_s: int) -> bytes:
        """A document as PDF whose values are made already; errors as for ``pdf``.

        Args:
            template: Which document.
            values: JSON of what stands in it, of ``conformance_sheet`` or ``audit_sheet``.
            at_s: The time of the document, in seconds.
        """
        return await self._made(render_sheet_pdf, template, values, at_s)

    async def card(self, report_json: bytes, *, tag: str = "en", brand: Brand = NO_BRAND) -> bytes:
        """The score card of a completed report with a score, as PNG; arguments and errors as for ``pdf``."""
        return await self._made(render_card, report_json, tag, brand)

    async def parquet(self, columns: Mapping[str, str], rows: bytes) -> bytes:
        """A table as Parquet; arguments as of ``tables.write_parquet``.

        Raises:
            AnalysisNotInstalled: The extra ``pagegrade[audit]`` is not installed.
            Unavailable: Too many are being made, or this one cannot be made, also where the disk is full.
        """

        def write() -> bytes:
            with own_folder("table") as folder:
                return write_parquet(columns, (rows,), folder, child_environment()).read_bytes()

        try:
            return await self._in_turn(write)
        except (TableFailed, OSError) as error:
            raise _not_made(error) from None

    @contextmanager
    def only_one(self, account_id: int) -> Iterator[None]:
        """For the time in which reports become a ZIP or one PDF, one at a time for an account, read in this process.

        Raises:
            QuotaExceeded: Another one is being made for the account; there is no queue for them.
            Unavailable: As many are being made for others as there may be.
        """
        if account_id in self._together:
            raise QuotaExceeded(
                "An account gets one ZIP or PDF of many reports at a time; wait for it.", retry_after_s=RETRY_AFTER_S
            )
        if len(self._together) >= CONCURRENT:
            raise _too_many()
        self._together.add(account_id)
        try:
            yield
        finally:
            self._together.remove(account_id)

    async def _made(self, function: Callable[..., bytes], *arguments: object) -> bytes:
        if not is_installed():
            raise PDFNotInstalled
        try:
            # With a loop of its own: starting a process takes the one that answers requests some milliseconds.
            return await self._in_turn(lambda: asyncio.run(_in_child(function, arguments)))
        except TaskFailed:
            raise
        except OffloadFailed as error:
            raise _not_made(error) from None

    async def _in_turn(self, make: Callable[[], bytes]) -> bytes:
        if self._asked >= MAX_ASKED:
            raise _too_many()
        self._asked += 1
        try:
            async with self._room:
                return await asyncio.to_thread(make)
        finally:
            self._asked -= 1


def _too_many() -> Unavailable:
    return Unavailable("Too many documents are being made right now; try again soon.", retry_after_s=RETRY_AFTER_S)


def _not_made(error: Exception) -> Unavailable:
    logger.warning("document_failed", exc_info=error)
    return Unavailable("The document could not be made; take another format.", retry_after_s=RETRY_AFTER_S)


async def _in_child(function: Callable[..., bytes], arguments: tuple[object, ...]) -> bytes:
    async with Children(1, growth_bytes=GROWTH_BYTES, shared_bytes=None) as children:
        return await children.run(function, *arguments, timeout_s=SECONDS)
