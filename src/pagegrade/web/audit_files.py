"""The result of a crawl as a file, in every form there is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, Literal

import msgspec

from pagegrade.clock import utc_now
from pagegrade.model.account import Brand
from pagegrade.model.audit import Crawl
from pagegrade.model.audit_result import AuditResult
from pagegrade.render.audit import (
    LINK_COLUMNS,
    PAGE_COLUMNS,
    SITE_COLUMNS,
    finding_rows,
    render_audit_csv,
    render_audit_html,
    render_audit_table,
    render_sitemap,
)
from pagegrade.render.audit_pdf import audit_sheet
from pagegrade.render.csv import MEDIA_TYPE as CSV
from pagegrade.render.escape import audit_name, content_disposition
from pagegrade.render.pdf import is_installed as sets_pdf
from pagegrade.render.prompt import render_audit_prompt
from pagegrade.render.sarif import render_site_sarif
from pagegrade.service.audits.exports import (
    Exported,
    export_findings,
    export_links,
    export_pages,
    export_result,
    export_sitemap,
)
from pagegrade.service.audits.links import LinkFilter
from pagegrade.service.pdf_pool import Documents, writes_parquet
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.schemas.audit import result_object
from pagegrade.web.schemas.crawl import listed_link, listed_page

FileName = Literal[
    "json",
    "html",
    "pdf",
    "findings",
    "findings-parquet",
    "pages",
    "pages-parquet",
    "links",
    "links-parquet",
    "sarif",
    "prompt",
    "sitemap",
]
PARQUET: Final = "application/vnd.apache.parquet"
MEDIA_TYPES: Final[dict[FileName, str]] = {
    "json": "application/json",
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
    "findings": CSV,
    "findings-parquet": PARQUET,
    "pages": CSV,
    "pages-parquet": PARQUET,
    "links": CSV,
    "links-parquet": PARQUET,
    "sarif": "application/sarif+json",
    "prompt": "text/markdown; charset=utf-8",
    "sitemap": "application/xml",
}
"""File -> its media type."""
_COLUMNS: Final[dict[str, Mapping[str, str]]] = {
    "findings": PAGE_COLUMNS,
    "pages": SITE_COLUMNS,
    "links": LINK_COLUMNS,
}
"""Table -> its columns."""
_EXTENSIONS: Final[dict[FileName, str]] = {
    "findings": "csv",
    "findings-parquet": "parquet",
    "pages": "csv",
    "pages-parquet": "parquet",
    "links": "csv",
    "links-parquet": "parquet",
    "prompt": "md",
    "sitemap": "xml",
}
"""Of files whose name is not their extension."""
_TABLES: Final[dict[FileName, Callable[..., Exported]]] = {
    "findings": export_findings,
    "findings-parquet": export_findings,
    "pages": export_pages,
    "pages-parquet": export_pages,
    "links": export_links,
    "links-parquet": export_links,
    "sitemap": export_sitemap,
}
"""Files that come in parts -> the use case that reads one."""


def is_offered(name: FileName) -> bool:
    """Return whether a file can be made here: PDF needs the extra ``pagegrade[pdf]``, Parquet ``pagegrade[audit]``."""
    needed = {"application/pdf": sets_pdf, PARQUET: writes_parquet}.get(MEDIA_TYPES[name])
    return needed is None or needed()


class AuditFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file, and the headers that name it."""

    body: bytes
    media_type: str
    disposition: tuple[str, str]
    more: bool
    """There is a part after this one."""


async def make_audit_file(
    work: UnitOfWork,
    audit_id: int,
    name: FileName,
    *,
    crawl: int | None = None,
    finding: int | None = None,
    links: LinkFilter = LinkFilter(),  # noqa: B008 - frozen
    part: int = 1,
    tag: str = "en",
    documents: Documents,
    brand: Brand,
) -> AuditFile | None:
    """Make the file of a crawl.

    Args:
        crawl: Number of the crawl; ``None``: the newest that was evaluated, or the newest of all.
        finding: Number of the only finding of a prompt or a table of findings; ``None``: all. Other files are whole.
        links: Which of them, of a table of links.
        part: Of a table or a sitemap, from 1.
        tag: Language of the document, one of ``i18n.LOCALES``.
        documents: Makes PDF and Parquet.

    Returns:
        ``None``: the crawl was not evaluated, or has no such finding.

    Raises:
        NotFound: There is no such audit, crawl or part.
        PDFNotInstalled: The extra ``pagegrade[pdf]`` is not installed.
        AnalysisNotInstalled: The extra ``pagegrade[audit]`` is not installed.
        Unavailable: Too many documents are being made, or this one is too large to be made.
    """
    if name in _TABLES:
        exported = await work.search(
            _TABLES[name], audit_id, crawl=crawl, part=part, **_chosen(name, finding=finding, links=links)
        )
    else:
        exported = await work.read(export_result, audit_id, crawl=crawl)
    own = exported.brand.over(brand)
    return await write_audit_file(exported, name, finding=finding, part=part, tag=tag, documents=documents, brand=own)


def _chosen(name: FileName, *, finding: int | None, links: LinkFilter) -> dict[str, Any]:
    """Arguments that limit a table."""
    if name in {"findings", "findings-parquet"}:
        return {"finding": finding}
    return {"which": links} if name in {"links", "links-parquet"} else {}


async def write_audit_file(
    exported: Exported,
    name: FileName,
    *,
    finding: int | None = None,
    part: int = 1,
    tag: str = "en",
    documents: Documents,
    brand: Brand,
) -> AuditFile | None:
    """Write what was read of a crawl as a file, with the look as it is given.

    Other arguments, the value and errors as of ``make_audit_file``.
    """
    moment = _ended_at(exported.crawl)
    body = await asyncio.to_thread(_written, exported, name, finding, tag, brand)
    if body is None:
        return None
    if name == "pdf":
        body = await documents.sheet("audit", body, at_s=int(moment.timestamp()))
    elif MEDIA_TYPES[name] == PARQUET:
        body = await documents.parquet(_COLUMNS[name.removesuffix("-parquet")], body)
    kind = [name.removesuffix("-parquet")] if name in _EXTENSIONS else []
    kind += [f"{finding}"] if finding is not None and name in {"prompt", "findings", "findings-parquet"} else []
    kind += [f"part-{part}"] if part > 1 else []
    of, extension = exported.crawl, _EXTENSIONS.get(name, name)
    file = audit_name(exported.audit.project, moment, extension, crawl=of.number, kind=kind)
    return AuditFile(
        body=body,
        media_type=MEDIA_TYPES[name],
        disposition=("Content-Disposition", content_disposition(file)),
        more=exported.more,
    )


def _ended_at(crawl: Crawl) -> datetime:
    return utc_now() if crawl.finished_at_ms is None else datetime.fromtimestamp(crawl.finished_at_ms / 1_000, UTC)


def _written(exported: Exported, name: FileName, finding: int | None, tag: str, brand: Brand) -> bytes | None:
    """The file; of one that ``documents`` makes, what it is made of."""
    if name in {"pages", "pages-parquet", "links", "links-parquet"}:
        table = name.removesuffix("-parquet")
        documents = map(listed_page, exported.pages) if table == "pages" else map(listed_link, exported.links)
        rows = map(msgspec.structs.asdict, documents)
        return render_audit_table(_COLUMNS[table], rows).encode() if name == table else _lines(rows)
    if name == "sitemap":
        return render_sitemap(exported.listed).encode()
    result = exported.result
    return None if result is None else _of_result(exported, result, name, finding=finding, tag=tag, brand=brand)


def _of_result(
    exported: Exported, result: AuditResult, name: FileName, *, finding: int | None, tag: str, brand: Brand
) -> bytes | None:
    rows = ((number, one.url, one.target, one.value) for number, one in exported.places)
    if name == "findings":
        return "".join(render_audit_csv(result, rows)).encode()
    if name == "findings-parquet":
        return _lines(finding_rows(result, rows))
    if name == "prompt":
        written = render_audit_prompt(result, number=finding)
        return None if written is None else written.encode("utf-8", "replace")
    if name == "sarif":
        return render_site_sarif(result).encode()
    if name == "html":
        return render_audit_html(result, tag=tag, brand=brand).encode("utf-8", "replace")
    if name == "pdf":
        at_ms = int(_ended_at(exported.crawl).timestamp() * 1_000)
        return msgspec.json.encode(audit_sheet(result, at_ms, tag=tag, brand=brand))
    return result_object(exported.audit, exported.crawl, result)


def _lines(rows: Iterable[Mapping[str, object]]) -> bytes:
    return msgspec.json.Encoder().encode_lines(rows)
