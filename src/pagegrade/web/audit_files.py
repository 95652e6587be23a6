"""The result of a crawl as a file, in every form there is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, Literal

import msgspec

from pagegrade.clock import utc_now
from pagegrade.model.account import Brand
from pagegrade.render.audit import render_audit_csv, render_audit_html, render_audit_pages, render_sitemap
from pagegrade.render.csv import MEDIA_TYPE as CSV
from pagegrade.render.filename import audit_name, content_disposition
from pagegrade.render.prompt import render_audit_prompt
from pagegrade.render.sarif import render_site_sarif
from pagegrade.service.audits.exports import (
    Exported,
    export_findings,
    export_pages,
    export_result,
    export_sitemap,
)
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.schemas.audit import result_object
from pagegrade.web.schemas.audit_page import listed_page

FileName = Literal["json", "html", "findings", "pages", "sarif", "prompt", "sitemap"]
MEDIA_TYPES: Final[dict[FileName, str]] = {
    "json": "application/json",
    "html": "text/html; charset=utf-8",
    "findings": CSV,
    "pages": CSV,
    "sarif": "application/sarif+json",
    "prompt": "text/markdown; charset=utf-8",
    "sitemap": "application/xml",
}
"""File -> its media type."""
_EXTENSIONS: Final[dict[FileName, str]] = {"findings": "csv", "pages": "csv", "prompt": "md", "sitemap": "xml"}
"""Of files whose name is not their extension."""
_TABLES: Final[dict[FileName, Callable[..., Exported]]] = {
    "findings": export_findings,
    "pages": export_pages,
    "sitemap": export_sitemap,
}
"""Files that come in parts -> the use case that reads one."""


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
    part: int = 1,
    tag: str = "en",
    brand: Brand,
) -> AuditFile | None:
    """Make the file of a crawl.

    Args:
        work: Of the request.
        audit_id: Any number.
        name: Which.
        crawl: Number of the crawl; ``None``: the newest that was evaluated, or the newest of all.
        finding: Number of the only finding of a prompt; ``None``: all. Other files are whole.
        part: Of a table or a sitemap, from 1.
        tag: Language of the document, one of ``i18n.LOCALES``.
        brand: Look of the installation.

    Returns:
        ``None``: the crawl was not evaluated, or has no such finding.

    Raises:
        NotFound: There is no such audit, crawl or part.
    """
    if name in _TABLES:
        exported = await work.read(_TABLES[name], audit_id, crawl=crawl, part=part)
    else:
        exported = await work.read(export_result, audit_id, crawl=crawl)
    own = exported.brand.over(brand)
    return await write_audit_file(exported, name, finding=finding, part=part, tag=tag, brand=own)


async def write_audit_file(
    exported: Exported, name: FileName, *, finding: int | None = None, part: int = 1, tag: str = "en", brand: Brand
) -> AuditFile | None:
    """Write what was read of a crawl as a file, with the look as it is given.

    Other arguments and the value as of ``make_audit_file``.
    """
    body = await asyncio.to_thread(_written, exported, name, finding, tag, brand)
    if body is None:
        return None
    of = exported.crawl
    moment = utc_now() if of.finished_at_ms is None else datetime.fromtimestamp(of.finished_at_ms / 1_000, UTC)
    kind: list[str] = [name] if name in _EXTENSIONS else []
    kind += [f"{finding}"] if finding is not None and name == "prompt" else []
    kind += [f"part-{part}"] if part > 1 else []
    file = audit_name(exported.audit.project, moment, _EXTENSIONS.get(name, name), crawl=of.number, kind=kind)
    return AuditFile(
        body=body,
        media_type=MEDIA_TYPES[name],
        disposition=("Content-Disposition", content_disposition(file)),
        more=exported.more,
    )


def _written(exported: Exported, name: FileName, finding: int | None, tag: str, brand: Brand) -> bytes | None:
    result = exported.result
    if name == "pages":
        return render_audit_pages(msgspec.structs.asdict(listed_page(page)) for page in exported.pages).encode()
    if name == "sitemap":
        return render_sitemap(exported.listed).encode()
    if result is None:
        return None
    if name == "findings":
        rows = ((number, one.url, one.target, one.value) for number, one in exported.places)
        return render_audit_csv(result, rows).encode()
    if name == "prompt":
        written = render_audit_prompt(result, number=finding)
        return None if written is None else written.encode("utf-8", "replace")
    if name == "sarif":
        return render_site_sarif(result).encode()
    if name == "html":
        return render_audit_html(result, tag=tag, brand=brand).encode("utf-8", "replace")
    return result_object(exported.audit, exported.crawl, result)
