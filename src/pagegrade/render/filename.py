"""Names of files with a report: its page, moment, run and format, harmless on every system and in a header."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote

import ada_url

from pagegrade.model.report import Report
from pagegrade.render.escape import safe_href, unicode_host

MAX_CHARS: Final = 100
"""Of a name with its extension."""
MAX_BYTES: Final = 240
"""Of a name in UTF-8; file systems end at 255, and a browser may add `` (1)``."""
_EXTENSION: Final = re.compile(r"[a-z0-9]{1,8}(\.gz)?")
_HASH_DIGITS: Final = 8
_RUN: Final = re.compile(r"[-.]{2,}")


def export_name(report: Report, extension: str, *, run: int | None = None, kind: Sequence[str] = ()) -> str:
    """``pagegrade-example.com-pricing-2026-01-05-123456-run-3-a4.pdf``; the host in its own script, the time in UTC.

    An address that is not written out to its last character brings a hash, so that no two pages share a name.

    Args:
        report: The report.
        extension: Without its first dot: one to eight small letters and digits, and ``.gz`` where it is compressed.
        run: Number of the run on its server; ``None`` where it has none.
        kind: What the extension does not say: the size of the paper, the check of a single finding.
    """
    host = unicode_host(f"https://{report.project}/") or report.project
    href = safe_href(report.url)
    path = "" if href is None else f"{(parts := ada_url.URL(href)).pathname}{parts.search}".removeprefix("/")
    run_parts = () if run is None else ("run", f"{run}")
    end = "-".join(("", _moment(report.generated_at), *run_parts, *(_clean(part, MAX_CHARS) for part in kind)))
    page = f"pagegrade-{host}-{path}" if path else f"pagegrade-{host}"
    # A name that stands for other addresses too: cut, changed, or of plain http.
    whole = href is not None and href.startswith("https:") and _clean(path, MAX_CHARS) == path.lower()
    mark = f"-{hashlib.sha256(report.url.encode('utf-8', 'replace')).hexdigest()[:_HASH_DIGITS]}"
    name = _name(page, end, extension)
    if whole and name == _name(page, end, extension, max_chars=4 * MAX_CHARS):
        return name
    return _name(page, f"{mark}{end}", extension)


def list_name(moment: datetime, extension: str, *, of: str = "reports") -> str:
    """``pagegrade-reports-2026-01-05-123456.csv``, for a list made at ``moment``."""
    return _name(f"pagegrade-{of}", f"-{_moment(moment)}", extension)


def audit_name(project: str, moment: datetime, extension: str, *, crawl: int, kind: Sequence[str] = ()) -> str:
    """``pagegrade-audit-example.com-2026-01-05-123456-crawl-3-pages.csv``, for what a crawl of a site found.

    Args:
        project: Host of the site, with its port where it has one.
        moment: When the crawl ended.
        extension: As of ``export_name``.
        crawl: Number of the crawl.
        kind: What the extension does not say.
    """
    host = unicode_host(f"https://{project}/") or project
    end = "-".join(("", _moment(moment), "crawl", f"{crawl}", *(_clean(part, MAX_CHARS) for part in kind)))
    return _name(f"pagegrade-audit-{host}", end, extension)


def content_disposition(name: str) -> str:
    """The value of a ``Content-Disposition`` header that has an answer saved under ``name``.

    Whatever ``name`` is, the header is one line of ASCII: an old browser reads ``filename`` with ``_`` for every letter
    it does not know, all others read ``filename*``.
    Sources: https://www.rfc-editor.org/rfc/rfc6266 and https://www.rfc-editor.org/rfc/rfc8187
    """
    clean = _clean(name, MAX_CHARS) or "pagegrade"
    plain = "".join(character if character.isascii() else "_" for character in clean)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(clean, safe='')}"


def _moment(moment: datetime) -> str:
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return f"{aware.astimezone(UTC):%Y-%m-%d-%H%M%S}"


def _name(stem: str, end: str, extension: str, *, max_chars: int = MAX_CHARS) -> str:
    if _EXTENSION.fullmatch(extension) is None:
        raise ValueError(f"{extension!r} is no extension of ours")
    whole_end = f"{end[: MAX_CHARS // 2]}.{extension}"
    return _clean(stem, max_chars - len(whole_end), MAX_BYTES - len(whole_end)) + whole_end


def _clean(name: str, max_chars: int, max_bytes: int = MAX_BYTES) -> str:
    """Letters, marks, digits, single dots and dashes of ``name``; none at its ends."""
    kept = "".join(character if _is_harmless(character) else "-" for character in name[: 4 * MAX_CHARS])
    clean = _RUN.sub(lambda run: "." if "." in run[0] else "-", kept).strip("-.")[:max_chars]
    while len(clean.encode()) > max_bytes:
        clean = clean[:-1]
    return clean.rstrip("-.")


def _is_harmless(character: str) -> bool:
    return character in "-." or unicodedata.category(character)[0] in "LMN"
