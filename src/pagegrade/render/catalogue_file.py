"""Read the message catalogue of a language (a PO file of gettext) at start.

Read instead of compiled when the package is built: it takes some milliseconds and cannot be forgotten.

Source: https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html
"""

from __future__ import annotations

import io
import re
import struct
from gettext import GNUTranslations
from typing import Final

_STRING: Final = re.compile(r'(?:(msgid|msgid_plural|msgstr(?:\[\d\])?) )?"(.*)"')
_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r"}
_MAGIC: Final = 0x950412DE
_HEADER_BYTES: Final = 28


def read_catalogue(source: str) -> GNUTranslations:
    """Return the translations of a PO file.

    Messages are found by their text alone: a message with a context (``msgctxt``) is refused, and a translation that is
    marked as uncertain is used, because ``devtools.catalogues`` reports those.

    Raises:
        ValueError: A line is none of a PO file, or has a part that is not supported.
    """
    return GNUTranslations(io.BytesIO(_compiled(read_messages(source))))


def read_messages(source: str) -> dict[str, str]:
    """Return message -> translation of a PO file; the forms of a plural are joined by NUL, as in a compiled catalogue.

    Raises:
        ValueError: As ``read_catalogue``.
    """
    found: dict[str, str] = {}
    entry: dict[str, str] = {}
    field = ""
    for number, line in enumerate([*source.splitlines(), ""], start=1):
        if not line or line.startswith("#"):
            if entry:
                found.update([_pair(entry)])
                entry = {}
            continue
        match = _STRING.fullmatch(line)
        if match is None:
            raise ValueError(f"Line {number} of the catalogue cannot be read.")
        field = match[1] or field
        entry[field] = entry.get(field, "") + _ESCAPE.sub(lambda each: _ESCAPED.get(each[1], each[1]), match[2])
    return found


def _pair(entry: dict[str, str]) -> tuple[str, str]:
    """Return the message and its translation of one entry."""
    message = "\0".join(entry[field] for field in ("msgid", "msgid_plural") if field in entry)
    return message, "\0".join(text for field, text in sorted(entry.items()) if field.startswith("msgstr"))


def _compiled(messages: dict[str, str]) -> bytes:
    """Return the messages in the form that gettext reads.

    Source: https://www.gnu.org/software/gettext/manual/html_node/MO-Files.html
    """
    rows = sorted((message.encode(), text.encode()) for message, text in messages.items() if text.strip("\0"))
    texts = bytearray()
    tables: tuple[list[int], list[int]] = ([], [])
    start = _HEADER_BYTES + 16 * len(rows)
    for row in rows:
        for table, text in zip(tables, row, strict=True):
            table.extend((len(text), start + len(texts)))
            texts += text + b"\0"
    header = (_MAGIC, 0, len(rows), _HEADER_BYTES, _HEADER_BYTES + 8 * len(rows), 0, start)
    return struct.pack(f"<{7 + 4 * len(rows)}I", *header, *tables[0], *tables[1]) + bytes(texts)
