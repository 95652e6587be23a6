"""Texts of pages in the reader's language: message catalogues (gettext), and dates and numbers as CLDR has them.

English is the language of the source; every other one is a catalogue in ``locales``. Pages alone are translated: what a
check found is stored in the language it was found in.

Catalogues are PO files of gettext (https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html), read instead
of compiled when the package is built: it takes some milliseconds and cannot be forgotten. Formats are those of CLDR
(https://cldr.unicode.org, release 48): the few values that pages need, instead of a library with those of all languages
(33 MB). The tests compare every format with Babel's.
"""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from pagegrade.render.english import Phrase

_STRING: Final = re.compile(r'(?:(msgid|msgid_plural|msgstr(?:\[\d\])?) )?"(.*)"')
_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r"}
_MAGIC: Final = 0x950412DE
_HEADER_BYTES: Final = 28
DOMAIN: Final = "pagegrade"
MAX_HEADER: Final = 1_000
"""Characters of an Accept-Language header that are read; a longer one counts as none."""
_MS: Final = 1000
_THRESHOLD: Final = 1.2
"""Units of time that must have passed before a time is written in them: 70 minutes are minutes, 72 are an hour."""


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
LOCALES: Final = tuple(FORMATS)
"""Languages that pages can be read in; the first one where a reader asks for none of them."""


class Texts:
    """One language: ``texts.gettext("Save")``."""

    def __init__(self, tag: str) -> None:
        """Load the catalogue of one of ``LOCALES``."""
        self.tag = tag
        """BCP 47, for the ``lang`` attribute."""
        self._formats = FORMATS[tag]
        self.direction = self._formats.direction
        """``ltr`` or ``rtl``, for the ``dir`` attribute."""
        self._symbols = str.maketrans({",": self._formats.group, ".": self._formats.decimal})
        self.catalogue: NullTranslations = _catalogue(tag)

    def gettext(self, message: str, /, **values: object) -> str:
        """The message with its values: ``gettext("%(count)s pages", count=3)``; ``%%`` is a percent sign."""
        return self.catalogue.gettext(message) % values

    def ngettext(self, one: str, many: str, number: int, /, **values: object) -> str:
        """The form for a number, which is ``%(num)s`` in it."""
        return self.catalogue.ngettext(one, many, number) % {"num": self.number(number), **values}

    def phrase(self, text: str | Phrase) -> str:
        """A phrase, or a message without values."""
        if isinstance(text, str):
            return text and self.catalogue.gettext(text)
        return self.catalogue.gettext(text.template).format(*map(self._value, text.values))

    def _value(self, value: object) -> str:
        if isinstance(value, Phrase):
            return self.phrase(value)
        return self.number(value, digits=1) if isinstance(value, float) else str(value)

    def number(self, value: float, *, digits: int = 0) -> str:
        """``1,234.5``; at most so many digits behind the point."""
        shown = f"{value:,}" if isinstance(value, int) else f"{Decimal(str(value)):,.{digits}f}"
        if "." in shown:
            shown = shown.rstrip("0").rstrip(".")
        return shown.translate(self._symbols)

    def hundredths(self, value: float) -> str:
        """``1,234.50``; always two digits behind the point, for columns of figures."""
        return f"{Decimal(str(value)):,.2f}".translate(self._symbols)

    def percent(self, ratio: float) -> str:
        """``98%`` for 0.98, as the language writes it."""
        return f"{Decimal(str(ratio)) * 100:,.0f}".translate(self._symbols) + self._formats.percent

    def moment(self, at_ms: int, timezone: str = "UTC") -> str:
        """Date and time to the minute, e.g. ``5 Jan 2026, 12:34``; in UTC where the zone is not known here."""
        when = _local(at_ms, timezone)
        return f"{self._day(when)}, {when:%H:%M}"

    def date(self, at_ms: int, timezone: str = "UTC") -> str:
        """The day, e.g. ``5 Jan 2026``."""
        return self._day(_local(at_ms, timezone))

    def axis_labels(self, moments_ms: Sequence[int], timezone: str = "UTC") -> tuple[str, ...]:
        """A label for each moment on an axis: its date, or its time where the label before it has the same date.

        Args:
            moments_ms: Oldest first.

        Returns:
            As many labels; empty where a label would repeat the one before it.
        """
        labels, day, last = [], "", ""
        for at_ms in moments_ms:
            when = _local(at_ms, timezone)
            label = f"{when:%H:%M}" if self._day(when) == day else self._day(when)
            labels.append("" if label == last else label)
            day, last = self._day(when), label
        return tuple(labels)

    def ago(self, at_ms: int, now_ms: int) -> str:
        """Format the time since a moment in one unit: ``3 hours ago``; the future counts as now."""
        past_s = -((at_ms - now_ms) // _MS)
        if past_s <= 0:
            return self._formats.now
        unit = next((index for index, unit_s in enumerate(UNITS_S) if past_s / unit_s >= _THRESHOLD), -1)
        count = max(1, round(past_s / UNITS_S[unit]))
        return self._formats.ago[unit][count != 1].format(count)

    def language_name(self, tag: str) -> str:
        """The name of one of ``LOCALES`` in that language, e.g. ``Deutsch``."""
        return FORMATS[tag].name

    def _day(self, when: datetime) -> str:
        return f"{when.day}{self._formats.after_day} {self._formats.months[when.month - 1]} {when.year}"


@cache
def texts_for(tag: str) -> Texts:
    """The texts in one of ``LOCALES``."""
    return Texts(tag)


def choose_locale(preferred: str | None, accept_language: str | None) -> str:
    """Return the best locale of ``LOCALES``.

    Args:
        preferred: BCP 47 tag of the account; ``None`` for visitors who are not signed in.
        accept_language: The header (RFC 9110 12.5.4); ``None`` when it was not sent.
    """
    if preferred is not None and (chosen := _known(preferred)) is not None:
        return chosen
    if not accept_language or len(accept_language) > MAX_HEADER:
        return LOCALES[0]
    preferences: list[tuple[float, int, str]] = []
    for place, element in enumerate(accept_language.split(",")):
        tag, *parameters = (part.strip() for part in element.split(";"))
        quality = 1.0
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip() == "q":
                try:
                    quality = float(value)
                except ValueError:
                    quality = 0.0
        if quality > 0:
            preferences.append((-quality, place, tag))
    for _, _, tag in sorted(preferences):
        if (chosen := _known(tag)) is not None:
            return chosen
    return LOCALES[0]


def _known(tag: str) -> str | None:
    """The catalogue for a language tag: that of its language, whatever its region."""
    language = tag.partition("-")[0].lower()
    return language if language in LOCALES else None


@cache
def _catalogue(tag: str) -> NullTranslations:
    if tag == LOCALES[0]:
        return NullTranslations()
    file = files("pagegrade.render").joinpath("locales", tag, "LC_MESSAGES", f"{DOMAIN}.po")
    return read_catalogue(file.read_text(encoding="utf-8"))


def _local(at_ms: int, timezone: str) -> datetime:
    """The moment in a time zone; in UTC where the zone is not known here."""
    return datetime.fromtimestamp(at_ms / _MS, UTC).astimezone(_zone(timezone))


@cache
def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC
