"""Texts of pages in the reader's language: message catalogues (gettext), and dates and numbers as CLDR has them.

English is the language of the source; every other one is a catalogue in ``locales``. Pages alone are translated: what a
check found is stored in the language it was found in.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from functools import cache
from gettext import NullTranslations
from importlib.resources import files
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pagegrade.render.english import Phrase
from pagegrade.render.languages import FORMATS, UNITS_S, read_catalogue

LOCALES: Final = tuple(FORMATS)
"""Languages that pages can be read in; the first one where a reader asks for none of them."""
DOMAIN: Final = "pagegrade"
MAX_HEADER: Final = 1_000
"""Characters of an Accept-Language header that are read; a longer one counts as none."""
_MS: Final = 1000
_THRESHOLD: Final = 1.2
"""Units of time that must have passed before a time is written in them: 70 minutes are minutes, 72 are an hour."""


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
            timezone: Of the reader.

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
