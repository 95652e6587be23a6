"""Text of pages made harmless for people's eyes and terminals, beside the escaping that prevents XSS, and file names.

Every renderer passes what a page can reach through here before it applies the escaping of its own format. The name of a
file with a report says its page, moment, run and format, and is harmless on every system and in a header.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote, unquote

import ada_url
from markupsafe import Markup, escape

from pagegrade.model.report import Report

MAX_SHOWN_CHARS: Final = 200
"""Longest piece of page text in a report for people."""
BLOCK_CHARS: Final = 4_000
"""Longest block of several lines."""
_SPACES: Final = re.compile(r"[ \t\r\n\f\v]+")
_HIDDEN: Final = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL and C1: they move the cursor and start escape sequences
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"  # invisible letters and marks
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"  # zero width, bidi marks, embeddings, overrides and isolates
    "\u2028\u2029"  # line and paragraph separators
    "\u3164\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff"  # fillers, byte order mark, annotations, non-characters
    "\ud800-\udfff"  # lone surrogates
    "\U000e0000-\U000e0fff"  # tags
    "]"
    # Joiners are invisible too, but Persian and emoji need them: only beside ASCII they have no business.
    "|(?<=[\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?=[\x00-\x7f])|^[\u200c\u200d]|[\u200c\u200d]$"
)
_ENCODED: Final = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")
"""Escapes of one run of characters beyond ASCII."""
_DELIMITER: Final = re.compile(r"([/?&=])")
MAX_CHARS: Final = 100
"""Of a name with its extension."""
MAX_BYTES: Final = 240
"""Of a name in UTF-8; file systems end at 255, and a browser may add `` (1)``."""
_EXTENSION: Final = re.compile(r"[a-z0-9]{1,8}(\.gz)?")
_HASH_DIGITS: Final = 8
_RUN: Final = re.compile(r"[-.]{2,}")


def visible(text: object, limit: int = MAX_SHOWN_CHARS) -> str:
    r"""``text`` on one line, at most ``limit`` characters, with every invisible character shown as an escape.

    Runs of white space become one space; ESC becomes ``\x1b``, U+202E becomes ``\u202e``. What was cut off is
    marked by an ellipsis.
    """
    # Cut before the work: a title of ten megabytes must not cost ten megabytes of regex.
    head = str(text)[: 4 * limit + 64]
    # Nearly all text is plain, and a report has thousands of pieces: to look takes a fiftieth of the search.
    plain = head.isascii() and head.isprintable() and "  " not in head
    line = head.strip(" ") if plain else _HIDDEN.sub(_escape, _SPACES.sub(" ", head).strip())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def visible_block(text: object) -> str:
    """The same for text whose line breaks matter, up to ``BLOCK_CHARS``: they stay, tabs become four spaces."""
    lines = str(text)[: 4 * BLOCK_CHARS + 64].replace("\r\n", "\n").replace("\t", "    ").split("\n")
    block = "\n".join(_HIDDEN.sub(_escape, line.rstrip()) for line in lines)
    return block if len(block) <= BLOCK_CHARS else block[: BLOCK_CHARS - 1] + "…"


def address(url: object, limit: int = MAX_SHOWN_CHARS) -> Markup:
    """``visible`` of a URL as HTML, with the letters of all scripts that it escapes; the escapes of the rest stay.

    What lies between slashes and between parameters is isolated, so that names written from right to left stay in
    their order.
    """
    shown = visible(_ENCODED.sub(_letters, str(url)), limit)
    if shown.isascii():
        return escape(shown)
    parts = (part if part.isascii() else Markup("<bdi>{}</bdi>").format(part) for part in _DELIMITER.split(shown))
    return Markup("").join(parts)


def _letters(match: re.Match[str]) -> str:
    try:
        text = unquote(match[0], errors="strict")
    except UnicodeDecodeError:
        return match[0]
    return text if all(unicodedata.category(each)[0] in "LMN" for each in text) else match[0]


def safe_href(url: str | None) -> str | None:
    """``url`` as something a person may click, or ``None``: only http and https after a re-parse, no credentials.

    An ellipsis stands where something was cut off or masked, so what holds one leads nowhere.
    """
    if not url or len(url) > 2 * 2048 or "…" in url:
        return None
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return None
    if parsed.protocol not in {"http:", "https:"} or parsed.username or parsed.password:
        return None
    return parsed.href


def unicode_host(url: str | None) -> str:
    """The host of ``url`` in its own script, to be shown beside the ASCII form; empty when there is no difference."""
    href = safe_href(url)
    if href is None:
        return ""
    host = ada_url.URL(href).hostname
    shown = ada_url.idna_to_unicode(host) if "xn--" in host else ""
    return visible(shown, 100) if shown != host else ""


def _escape(match: re.Match[str]) -> str:
    return "".join(_escape_character(ord(character)) for character in match[0])


def _escape_character(point: int) -> str:
    if point <= 0xFF:  # noqa: PLR2004 - the widest two-digit escape
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"  # noqa: PLR2004 - the widest four-digit one


def export_name(report: Report, extension: str, *, run: int | None = None, kind: Sequence[str] = ()) -> str:
    """``pagegrade-example.com-pricing-2026-01-05-123456-run-3-a4.pdf``; the host in its own script, the time in UTC.

    An address that is not written out to its last character brings a hash, so that no two pages share a name.

    Args:
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
        extension: As of ``export_name``.
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
