"""A report as a file, in every format there is."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Sequence
from datetime import UTC
from itertools import islice
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec

from pagegrade.clock import utc_now
from pagegrade.model.account import Brand
from pagegrade.model.report import Report
from pagegrade.render.account import NO_BRAND
from pagegrade.render.conformance import (
    conformance_sheet,
    render_conformance,
    render_criteria,
    render_earl,
    render_statement,
)
from pagegrade.render.csv import MEDIA_TYPE as CSV
from pagegrade.render.csv import render_csv
from pagegrade.render.escape import content_disposition, export_name, list_name
from pagegrade.render.har import render_har
from pagegrade.render.history import RunPoint
from pagegrade.render.html import render_html
from pagegrade.render.markdown import render_finding, render_markdown
from pagegrade.render.pdf import Paper, is_installed
from pagegrade.render.prompt import render_finding_prompt, render_prompt
from pagegrade.render.sarif import render_sarif
from pagegrade.report.serialize import report_to_dict
from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.views import Viewed, shown_report
from pagegrade.web.schemas.report import report_object, share_url

MEDIA_TYPES: Final = {
    "json": "application/json",
    "csv": CSV,
    "md": "text/markdown; charset=utf-8",
    "prompt": "text/markdown; charset=utf-8",
    "sarif": "application/sarif+json",
    "pdf": "application/pdf",
    "pdf-letter": "application/pdf",
    "html": "text/html; charset=utf-8",
    "conformance": "text/html; charset=utf-8",
    "conformance-pdf": "application/pdf",
    "statement": "text/html; charset=utf-8",
    "criteria": CSV,
    "earl": "application/ld+json",
    "har": "application/har+json",
}
PAPERS: Final[dict[str, Paper]] = {"pdf": "a4", "pdf-letter": "us-letter"}
"""Formats that are documents in pages -> the size of the pages."""
_EXTENSIONS: Final = {
    "prompt": "md",
    "pdf-letter": "pdf",
    "conformance": "html",
    "conformance-pdf": "pdf",
    "statement": "html",
    "criteria": "csv",
    "earl": "jsonld",
}
"""Of files whose format is not their extension."""
_RENDERERS: Final[dict[str, Callable[[tuple[Report, ...]], str]]] = {
    "md": render_markdown,
    "prompt": render_prompt,
    "sarif": render_sarif,
    "criteria": render_criteria,
    "earl": render_earl,
}
_DOCUMENTS: Final[dict[str, Callable[..., str]]] = {
    "html": render_html,
    "conformance": render_conformance,
    "statement": render_statement,
}
"""Formats in the language of the reader."""
OF_SEVERAL: Final = ("conformance", "conformance-pdf", "statement", "criteria", "earl")
"""Formats in which one file has several reports."""
ZIPPED: Final = ("html", "csv", "json", "md", "sarif")
"""Formats in which a ZIP has a file of each of several reports; a PDF takes too long to be made a hundred times."""
MAX_ZIPPED_BYTES: Final = 64 * 1024 * 1024
"""Of the files in a ZIP together, before they are compressed: the ZIP is made in memory, and they cost the time. Of the
reports in one PDF, as JSON, as well."""
_ZIP_BEGINS: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time of a file in a ZIP."""
CONFORMANCE_PDF: Final = "conformance-pdf"
FINDING_FORMATS: Final[dict[str, Callable[[Report, str], str | None]]] = {
    "md": render_finding,
    "prompt": render_finding_prompt,
}
"""Formats of a single finding -> how it is written."""


def is_offered(name: str) -> bool:
    """Return whether files of a format can be made here: PDFs need the extra ``pagegrade[pdf]``."""
    return MEDIA_TYPES[name] != MEDIA_TYPES["pdf"] or is_installed()


async def make_finding_file(viewed: Viewed, name: str, check: str) -> tuple[Report, bytes] | None:
    """A report and the file of one of its findings; ``None`` if there is no such finding, or not in this format."""
    shown = await asyncio.to_thread(shown_report, viewed)
    if shown is None or name not in FINDING_FORMATS:
        return None
    written = await asyncio.to_thread(FINDING_FORMATS[name], shown, check)
    return None if written is None else (shown, written.encode("utf-8", "replace"))


async def make_file(
    services: Services, viewed: Viewed, name: str, *, tag: str = "en", history: tuple[RunPoint, ...] = ()
) -> tuple[Report, bytes] | None:
    """A report and its file.

    Args:
        viewed: The report as they may see it.
        name: One of ``MEDIA_TYPES``.
        tag: Language of formats for people, one of ``i18n.LOCALES``.
        history: Runs of the report for a document that shows them, newest first.

    Returns:
        ``None``: there are no results yet, or not in this format: a HAR has only what a browser saw.

    Raises:
        Unavailable: Too many documents are being made.
    """
    shown = await asyncio.to_thread(shown_report, viewed)
    if shown is None or (name in PAPERS and shown.state != "completed"):
        return None
    if name == "har":
        return None if shown.rendered is None else (shown, (await asyncio.to_thread(render_har, shown)).encode())
    if name in PAPERS:
        encoded = await asyncio.to_thread(encoded_report, shown)
        brand = viewed.brand.over(services.options.brand)
        paper = PAPERS[name]
        return shown, await services.documents.pdf(encoded, tag=tag, paper=paper, history=history, brand=brand)
    if name == CONFORMANCE_PDF:
        return shown, await _conformance_pdf(services, [shown], tag, viewed.brand.over(services.options.brand))
    return shown, await asyncio.to_thread(_written, viewed, shown, name, services.options, tag)


async def make_file_of_several(
    services: Services, viewed: Sequence[Viewed], name: str, tag: str
) -> tuple[str, bytes] | None:
    """One file with several reports.

    Args:
        viewed: The reports, as the reader may see them, one at least.
        name: One of ``OF_SEVERAL``.
        tag: Language of formats for people, one of ``i18n.LOCALES``.

    Returns:
        Its name and its bytes; ``None``: one of the reports has no results yet.

    Raises:
        PDFNotInstalled: The extra ``pagegrade[pdf]`` is not installed.
        Unavailable: Too many documents are being made, or this one is too large to be made.
    """
    shown = await asyncio.to_thread(lambda: [report for report in map(shown_report, viewed) if report is not None])
    if len(shown) < len(viewed):
        return None
    file, brand = list_name(utc_now(), _EXTENSIONS[name], of=name), viewed[0].brand.over(services.options.brand)
    if name == CONFORMANCE_PDF:
        return file, await _conformance_pdf(services, shown, tag, brand)
    if name in _DOCUMENTS:
        text = await asyncio.to_thread(_DOCUMENTS[name], shown, tag=tag, brand=brand)
    else:
        text = await asyncio.to_thread(_RENDERERS[name], tuple(shown))
    return file, text.encode("utf-8", "replace")


class Joined:
    """Reports that become one PDF."""

    def __init__(self) -> None:
        """Begin with none."""
        self._encoded: list[bytes] = []
        self._size = 0
        self._brand = NO_BRAND

    def add(self, viewed: Viewed) -> bool | None:
        """Add a report; false if they had more than ``MAX_ZIPPED_BYTES``, ``None`` if it has no results."""
        shown = shown_report(viewed)
        if shown is None or shown.state != "completed":
            return None
        encoded = encoded_report(shown)
        self._size += len(encoded)
        if self._size > MAX_ZIPPED_BYTES:
            return False
        self._encoded.append(encoded)
        self._brand = viewed.brand
        return True

    async def close(self, services: Services, tag: str) -> bytes:
        """Return the document.

        Raises:
            PDFNotInstalled: The extra ``pagegrade[pdf]`` is not installed.
            Unavailable: Too many documents are being made, or this one takes too long.
        """
        # In one piece at once: there may be 64 MB of them.
        between = (part for encoded in self._encoded for part in (b",", encoded))
        together = b"".join((b"[", *islice(between, 1, None), b"]"))
        return await services.documents.pdf_of_several(
            together, tag=tag, brand=self._brand.over(services.options.brand)
        )


class Archive:
    """A ZIP of files of reports that all have the same format, made in memory."""

    def __init__(self, name: str) -> None:
        """Make an empty one.

        Args:
            name: The format, one of ``ZIPPED``.
        """
        self.name = name
        self._bytes = io.BytesIO()
        self._zip = ZipFile(self._bytes, "w", ZIP_DEFLATED)
        self._names: set[str] = set()
        self._size = 0

    def add(self, viewed: Viewed, report: Report, body: bytes) -> bool:
        """Add the file of a report; false, and nothing is added, if the files had more than ``MAX_ZIPPED_BYTES``."""
        self._size += len(body)
        if self._size > MAX_ZIPPED_BYTES:
            return False
        name = file_name(report, self.name, run=viewed.shown_number)
        # Two reports on one URL may end in the same second; file systems of Windows and macOS ignore case.
        if name.casefold() in self._names:
            name = file_name(report, self.name, run=viewed.shown_number, kind=(f"report-{viewed.report.id}",))
        self._names.add(name.casefold())
        entry = ZipInfo(name, max(_ZIP_BEGINS, report.generated_at.astimezone(UTC).timetuple()[:6]))
        entry.compress_type = ZIP_DEFLATED
        entry.external_attr = 0o644 << 16
        self._zip.writestr(entry, body)
        return True

    def close(self) -> bytes:
        """Return the ZIP."""
        self._zip.close()
        return self._bytes.getvalue()


async def _conformance_pdf(services: Services, shown: Sequence[Report], tag: str, brand: Brand) -> bytes:
    values = await asyncio.to_thread(lambda: msgspec.json.encode(conformance_sheet(shown, tag=tag, brand=brand)))
    return await services.documents.sheet("conformance", values, at_s=int(utc_now().timestamp()))


def file_header(report: Report, name: str, *, run: int | None, check: str = "") -> tuple[str, str]:
    """The header that has an answer in the format ``name`` saved under a name of its own.

    Args:
        name: One of ``MEDIA_TYPES``.
        run: Its number.
        check: Of the only finding in it; empty for the whole report.
    """
    kind = [part for part in (check, PAPERS.get(name) or (name if name in _EXTENSIONS else "")) if part]
    return "Content-Disposition", content_disposition(file_name(report, name, run=run, kind=kind))


def file_name(report: Report, name: str, *, run: int | None, kind: Sequence[str] = ()) -> str:
    """The name of a file with the report in the format ``name``; ``run`` and ``kind`` as of ``export_name``."""
    return export_name(report, _EXTENSIONS.get(name, name), run=run, kind=kind)


def encoded_report(shown: Report) -> bytes:
    """The report as the JSON object that ``services.documents`` takes."""
    return msgspec.json.encode(report_to_dict(shown))


def _written(viewed: Viewed, shown: Report, name: str, options: ServiceOptions, tag: str) -> bytes:
    if name == "json":
        return msgspec.json.format(_exported_object(viewed, shown, options.base_url), indent=2)
    if name == "csv":
        return render_csv((shown,), ids=() if viewed.masked else (viewed.report.id,)).encode()
    if name in _DOCUMENTS:
        brand = viewed.brand.over(options.brand)
        return _DOCUMENTS[name]((shown,), tag=tag, brand=brand).encode("utf-8", "replace")
    return _RENDERERS[name]((shown,)).encode("utf-8", "replace")


def _exported_object(viewed: Viewed, shown: Report, base_url: str) -> bytes:
    """The JSON object of what is shown, as the API sends it; for others than the owner only what they may know."""
    stored = viewed.report
    if not viewed.masked and viewed.run is None:
        return report_object(stored, base_url=base_url, detail=viewed.detail)
    members = report_to_dict(shown)
    members["share_url"] = share_url(base_url, stored.slug)
    members["run"]["number"] = viewed.shown_number
    if not viewed.masked:
        members |= {
            "id": stored.id,
            "privacy": stored.privacy,
            "password": stored.password_hash is not None,
            "render": stored.render,
            "device": stored.device,
        }
    return msgspec.json.encode(members)
