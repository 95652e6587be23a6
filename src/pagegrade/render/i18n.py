"""The words of pages in the reader's language: message catalogues (gettext), and dates and numbers as CLDR has them.

English is the language of the source; every other one is a catalogue in ``locales``. Pages alone are translated: what a
check found is stored in the words it was found in.
"""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel import Locale
from babel.dates import format_datetime, format_timedelta
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, format_percent, get_decimal_symbol, get_group_symbol

LOCALES: Final = ("en", "de")
"""Languages that pages can be read in; the first one where a reader asks for none of them."""
DOMAIN: Final = "pagegrade"
MAX_HEADER: Final = 1_000
"""Characters of an Accept-Language header that are read; a longer one counts as none."""
_MS: Final = 1000
_EXACT: Final = 1e15
"""Larger numbers are whole, and may have more digits than decimals are rounded to."""


class Texts:
    """One language: ``texts.gettext("Save")``."""

    def __init__(self, tag: str) -> None:
        """Load the catalogue of one of ``LOCALES``."""
        self.tag = tag
        """BCP 47, for the ``lang`` attribute."""
        self._locale = Locale.parse(tag, sep="-")
        self.direction: str = self._locale.text_direction
        """``ltr`` or ``rtl``, for the ``dir`` attribute."""
        # The source is British where CLDR's plain "en" is American; other languages have their own marks ("5. Jan.").
        self._day: str = "d MMM y" if tag == LOCALES[0] else str(self._locale.datetime_skeletons["yMMMd"])
        self._symbols = str.maketrans({",": get_group_symbol(self._locale), ".": get_decimal_symbol(self._locale)})
        self.catalogue: NullTranslations = _catalogue(tag)

    def gettext(self, message: str, /, **values: object) -> str:
        """The message with its values: ``gettext("%(count)s pages", count=3)``; ``%%`` is a percent sign."""
        return self.catalogue.gettext(message) % values

    def ngettext(self, one: str, many: str, number: int, /, **values: object) -> str:
        """The form for a number, which is ``%(num)s`` in it."""
        return self.catalogue.ngettext(one, many, number) % {"num": self.number(number), **values}

    def number(self, value: float, *, digits: int = 0) -> str:
        """``1,234.5``; at most so many digits behind the point."""
        # Groups of three in every one of ``LOCALES``; Babel takes twenty times as long, and a report has hundreds.
        if isinstance(value, int):
            shown = f"{value:,}"
        elif abs(value) < _EXACT:
            shown = f"{round(Decimal(str(value)), digits):,f}"
        else:
            return str(format_decimal(value, format="#,##0", locale=self._locale))
        if "." in shown:
            shown = shown.rstrip("0").rstrip(".")
        return shown.translate(self._symbols)

    def hundredths(self, value: float) -> str:
        """``1,234.50``; always two digits behind the point, for columns of figures."""
        return str(format_decimal(value, format="#,##0.00", locale=self._locale))

    def percent(self, ratio: float) -> str:
        """``98 %`` for 0.98, as the language writes it."""
        return str(format_percent(ratio, format="#,##0%" if self.tag == "en" else None, locale=self._locale))

    def moment(self, at_ms: int, timezone: str = "UTC") -> str:
        """Date and time to the minute, e.g. ``5 Jan 2026, 12:34``; in UTC where the zone is not known here."""
        when = datetime.fromtimestamp(at_ms / _MS, UTC).astimezone(_zone(timezone))
        return str(format_datetime(when, f"{self._day}, HH:mm", locale=self._locale))

    def date(self, at_ms: int, timezone: str = "UTC") -> str:
        """The day, e.g. ``5 Jan 2026``."""
        when = datetime.fromtimestamp(at_ms / _MS, UTC).astimezone(_zone(timezone))
        return str(format_datetime(when, self._day, locale=self._locale))

    def ago(self, at_ms: int, now_ms: int) -> str:
        """Format the time since a moment in one unit: ``3 hours ago``; the future counts as now."""
        past = timedelta(milliseconds=min(0, at_ms - now_ms))
        return str(format_timedelta(past, add_direction=True, threshold=1.2, locale=self._locale))

    def language_name(self, tag: str) -> str:
        """A language in its own words, e.g. ``Deutsch``."""
        return str(Locale.parse(tag, sep="-").get_display_name()).capitalize()


@cache
def texts_for(tag: str) -> Texts:
    """The words in one of ``LOCALES``."""
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
    source = files("pagegrade.render").joinpath("locales", tag, "LC_MESSAGES", f"{DOMAIN}.po").read_bytes()
    # Compiled at start instead of at build time: it takes some milliseconds and cannot be forgotten.
    compiled = io.BytesIO()
    write_mo(compiled, read_po(io.BytesIO(source), locale=tag, domain=DOMAIN))
    compiled.seek(0)
    return GNUTranslations(compiled)


@cache
def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC
