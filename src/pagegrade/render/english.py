"""English texts of the pages, as written in the source; used when no other language is requested.

``render.i18n`` has the other languages, and dates; it costs a tenth of a second to load, which no terminal waits for.
"""

from __future__ import annotations

from typing import Final, Protocol

import msgspec


class Words(Protocol):
    """One language, as far as sentences and numbers go; ``render.i18n.Texts`` is one."""

    def gettext(self, message: str, /, **values: object) -> str:
        """The message with its values: ``gettext("%(count)s pages", count=3)``."""
        ...

    def ngettext(self, one: str, many: str, number: int, /, **values: object) -> str:
        """The form for a number, which is ``%(num)s`` in it."""
        ...

    def number(self, value: float, *, digits: int = 0) -> str:
        """``1,234.5``; at most so many digits behind the point."""
        ...

    def percent(self, ratio: float) -> str:
        """``98%`` for 0.98."""
        ...


class English:
    """The messages themselves."""

    def gettext(self, message: str, /, **values: object) -> str:
        """The message with its values; ``%%`` is a percent sign."""
        return message % values

    def ngettext(self, one: str, many: str, number: int, /, **values: object) -> str:
        """The form for a number, which is ``%(num)s`` in it."""
        return (one if number == 1 else many) % {"num": self.number(number), **values}

    def number(self, value: float, *, digits: int = 0) -> str:
        """``1,234.5``; at most so many digits behind the point."""
        text = f"{value:,.{digits}f}"
        return text.rstrip("0").rstrip(".") if digits else text

    def percent(self, ratio: float) -> str:
        """``98%`` for 0.98."""
        return f"{ratio:.0%}"


ENGLISH: Final = English()


class Phrase(msgspec.Struct, frozen=True):
    """A message and its values; in English with ``str``, in other languages with ``render.i18n.Texts.phrase``."""

    template: str
    """A message of the catalogue, with ``{0}``, ``{1}`` ... for its values."""
    values: tuple[object, ...]
    """Phrases are translated, and a float is written with at most one digit behind the point; all others stay."""

    def __str__(self) -> str:
        return self.template.format(*map(str, self.values))


def phrase(template: str, *values: object) -> Phrase:
    """Mark a constant as a message, and give it values."""
    return Phrase(template, values)


def N_(message: str) -> str:  # noqa: N802 - the name that gettext's tools know
    """Mark a constant as a message; it is translated where it is shown."""
    return message
