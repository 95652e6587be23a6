"""Languages of the pages: the message catalogue of each, read at start, and its formats of numbers and dates.

Catalogues are PO files of gettext (https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html), read instead
of compiled when the package is built: it takes some milliseconds and cannot be forgotten. Formats are those of CLDR
(https://cldr.unicode.org, release 48): the few values that pages need, instead of a library with those of all languages
(33 MB). The tests compare every format with Babel's.
"""

from __future__ import annotations

import io
import re
import struct
from gettext import GNUTranslations
from typing import Final

import msgspec

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


class Formats(msgspec.Struct, frozen=True, kw_only=True):
    """Formats of one language. Digits are grouped by three, and a number has one plural, for all but 1."""

    name: str
    """Name of the language in the language itself, capitalized."""
    direction: str
    """``ltr`` or ``rtl``, for the ``dir`` attribute."""
    group: str
    """Between groups of three digits."""
    decimal: str
    """Before the fraction."""
    percent: str
    """After the number of percent."""
    after_day: str
    """After the number of a day, in front of the space before the month."""
    months: tuple[str, ...]
    """The twelve abbreviated months inside of a date."""
    now: str
    ago: tuple[tuple[str, str], ...]
    """Time since a moment, for 1 and for other numbers (``{0}``), by the units of ``UNITS_S``."""


UNITS_S: Final = (31_536_000, 2_592_000, 604_800, 86_400, 3_600, 60, 1)
"""Seconds of a year, month, week, day, hour, minute and second, as relative times count them."""

FORMATS: Final = {
    # The source is British where CLDR's plain "en" is American: the day precedes the month.
    "en": Formats(
        name="English",
        direction="ltr",
        group=",",
        decimal=".",
        percent="%",
        after_day="",
        months=("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
        now="now",
        ago=(
            ("{0} year ago", "{0} years ago"),
            ("{0} month ago", "{0} months ago"),
            ("{0} week ago", "{0} weeks ago"),
            ("{0} day ago", "{0} days ago"),
            ("{0} hour ago", "{0} hours ago"),
            ("{0} minute ago", "{0} minutes ago"),
            ("{0} second ago", "{0} seconds ago"),
        ),
    ),
    "de": Formats(
        name="Deutsch",
        direction="ltr",
        group=".",
        decimal=",",
        percent="\N{NO-BREAK SPACE}%",
        after_day=".",
        months=("Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."),
        now="jetzt",
        ago=(
            ("vor {0} Jahr", "vor {0} Jahren"),
            ("vor {0} Monat", "vor {0} Monaten"),
            ("vor {0} Woche", "vor {0} Wochen"),
            ("vor {0} Tag", "vor {0} Tagen"),
            ("vor {0} Stunde", "vor {0} Stunden"),
            ("vor {0} Minute", "vor {0} Minuten"),
            ("vor {0} Sekunde", "vor {0} Sekunden"),
        ),
    ),
}
