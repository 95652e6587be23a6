"""Formats of numbers, dates and periods in the languages of the pages, as CLDR has them.

The few values that pages need, instead of a library with those of all languages (33 MB). The tests compare every
format with Babel's.

Source: https://cldr.unicode.org (release 48)
"""

from __future__ import annotations

from typing import Final

import msgspec


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
