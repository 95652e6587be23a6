"""Names of files that are downloaded: made of the host and the date, harmless on every system and in a header."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote

from pagegrade.model.report import Report
from pagegrade.render.escape import unicode_host

MAX_CHARS: Final = 100
"""Of a name with its extension."""
MAX_BYTES: Final = 240
"""Of a name in UTF-8; file systems end at 255, and a browser may add `` (1)``."""
_EXTENSION: Final = re.compile(r"[a-z0-9]{1,8}")
_RUN: Final = re.compile(r"[-.]{2,}")


def export_name(report: Report, extension: str) -> str:
    """``pagegrade-example.com-2026-01-05.pdf``; the host in its own script, the day in UTC.

    Args:
        report: The report.
        extension: Without its dot: one to eight small letters and digits.
    """
    host = unicode_host(f"https://{report.project}/") or report.project
    return _name(f"pagegrade-{host}", report.generated_at, extension)


def list_name(moment: datetime, extension: str) -> str:
    """``pagegrade-reports-2026-01-05.csv``, for a list of reports made at ``moment``."""
    return _name("pagegrade-reports", moment, extension)


def content_disposition(name: str) -> str:
    """The value of a ``Content-Disposition`` header that has an answer saved under ``name``.

    Whatever ``name`` is, the header is one line of ASCII: an old browser reads ``filename`` with ``_`` for every letter
    it does not know, all others read ``filename*``.
    Sources: https://www.rfc-editor.org/rfc/rfc6266 and https://www.rfc-editor.org/rfc/rfc8187
    """
    clean = _clean(name, MAX_CHARS) or "pagegrade"
    plain = "".join(character if character.isascii() else "_" for character in clean)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(clean, safe='')}"


def _name(stem: str, moment: datetime, extension: str) -> str:
    if _EXTENSION.fullmatch(extension) is None:
        raise ValueError(f"{extension!r} is no extension of ours")
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    end = f"-{aware.astimezone(UTC):%Y-%m-%d}.{extension}"
    return _clean(stem, MAX_CHARS - len(end), MAX_BYTES - len(end)) + end


def _clean(name: str, max_chars: int, max_bytes: int = MAX_BYTES) -> str:
    """Letters, marks, digits, single dots and dashes of ``name``; none at its ends."""
    kept = "".join(character if _is_harmless(character) else "-" for character in name[: 4 * MAX_CHARS])
    clean = _RUN.sub(lambda run: "." if "." in run[0] else "-", kept).strip("-.")[:max_chars]
    while len(clean.encode()) > max_bytes:
        clean = clean[:-1]
    return clean.rstrip("-.")


def _is_harmless(character: str) -> bool:
    return character in "-." or unicodedata.category(character)[0] in "LMN"
