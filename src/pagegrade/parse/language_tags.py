"""Reads BCP 47 language tags and knows which of their subtags are registered."""

from __future__ import annotations

from functools import cache
from typing import Final

import msgspec

from pagegrade.parse.data.language_subtags import (
    EXTENDED_LANGUAGES,
    GRANDFATHERED,
    NUMERIC_REGIONS,
    SCRIPTS,
    THREE_LETTER_LANGUAGES,
    TWO_LETTER_LANGUAGES,
    TWO_LETTER_REGIONS,
    VARIANTS,
)
from pagegrade.parse.data.territory_languages import TERRITORY_LANGUAGES

MAX_TAG_CHARACTERS: Final = 200
"""A longer value is not a language tag."""


class LanguageTag(msgspec.Struct, frozen=True, kw_only=True):
    """A well-formed language tag in the casing BCP 47 recommends (``zh-Hant-TW``)."""

    primary: str
    """Language subtag, lower case; ``x`` for a tag of private use alone, ``i`` and others for grandfathered tags."""
    extended: tuple[str, ...] = ()
    script: str | None = None
    region: str | None = None
    variants: tuple[str, ...] = ()
    registered: bool
    """The primary subtag is in the IANA registry (ranges for private use included)."""
    private_use: bool = False
    """The language itself is private: ``x-...`` or ``qaa`` to ``qtz``."""
    unregistered: tuple[str, ...] = ()
    """Language, script, region and variant subtags that the registry does not have."""

    @property
    def text(self) -> str:
        """Language, script and region put together again."""
        return "-".join(part for part in (self.primary, *self.extended, self.script, self.region) if part)


def parse_language_tag(value: str) -> LanguageTag | None:
    """Read a language tag.

    Args:
        value: As written; white space is part of it and makes it invalid, case does not matter.

    Returns:
        The tag, or ``None`` when it is not well-formed (``en_US``, ``english language``, "").

    Source: https://www.rfc-editor.org/rfc/rfc5646#section-2.1 and section 2.2.9
    """
    if not value or len(value) > MAX_TAG_CHARACTERS or not value.isascii():
        return None
    tag = value.lower()
    subtags = tag.split("-")
    if not all(subtag.isalnum() and len(subtag) <= 8 for subtag in subtags):
        return None
    if tag in _grandfathered():
        return LanguageTag(primary=subtags[0], registered=True)
    if subtags[0] == "x":
        return LanguageTag(primary="x", registered=False, private_use=True) if len(subtags) > 1 else None
    return _parse_regular(subtags)


def is_spoken_in(language: str, country: str) -> bool | None:
    """Return whether a language has speakers or a status in a country; ``None`` for a country that is not known.

    Args:
        language: Primary subtag, lower case.
        country: Two letters, upper case.
    """
    languages = _languages_of_countries().get(country)
    return None if languages is None else language in languages


def is_registered_language(subtag: str) -> bool:
    """Return whether a primary language subtag is in the registry or its range for private use. Any case."""
    subtag = subtag.lower()
    return subtag in _languages() or _is_private_language(subtag)


def is_registered_region(subtag: str) -> bool:
    """Return whether a region subtag (``DE``, ``419``) is in the registry or a range for private use. Any case."""
    subtag = subtag.lower()
    return subtag in _regions() or (len(subtag) == 2 and ("qm" <= subtag <= "qz" or "xa" <= subtag <= "xz"))


def is_registered_script(subtag: str) -> bool:
    """Return whether a script subtag (``Latn``) is in the registry or its range for private use. Any case."""
    subtag = subtag.lower()
    return subtag in _scripts() or (len(subtag) == 4 and "qaaa" <= subtag <= "qabx")


def _parse_regular(subtags: list[str]) -> LanguageTag | None:
    primary = subtags[0]
    if not (primary.isalpha() and len(primary) >= 2):
        return None
    position = 1
    extended: list[str] = []
    if len(primary) <= 3:
        while (
            position < len(subtags)
            and len(extended) < 3
            and len(subtags[position]) == 3
            and subtags[position].isalpha()
        ):
            extended.append(subtags[position])
            position += 1
    script = region = None
    if position < len(subtags) and len(subtags[position]) == 4 and subtags[position].isalpha():
        script = subtags[position].capitalize()
        position += 1
    if position < len(subtags) and _is_region_form(subtags[position]):
        region = subtags[position].upper()
        position += 1
    variants: list[str] = []
    while position < len(subtags) and _is_variant_form(subtags[position]):
        variants.append(subtags[position])
        position += 1
    if len(set(variants)) != len(variants) or not _is_rest_well_formed(subtags[position:]):
        return None
    registered = is_registered_language(primary)
    unknown = [] if registered else [primary]
    # The grammar allows three, but every registered one stands alone (section 2.2.2).
    unknown += [subtag for place, subtag in enumerate(extended) if place or subtag not in _extended_languages()]
    unknown += [script] if script and not is_registered_script(script) else []
    unknown += [region] if region and not is_registered_region(region) else []
    unknown += [subtag for subtag in variants if subtag not in _variants()]
    return LanguageTag(
        primary=primary,
        extended=tuple(extended),
        script=script,
        region=region,
        variants=tuple(variants),
        registered=registered,
        private_use=_is_private_language(primary),
        unregistered=tuple(unknown),
    )


def _is_region_form(subtag: str) -> bool:
    return (len(subtag) == 2 and subtag.isalpha()) or (len(subtag) == 3 and subtag.isdigit())


def _is_variant_form(subtag: str) -> bool:
    return len(subtag) >= 5 or (len(subtag) == 4 and subtag[0].isdigit())


def _is_rest_well_formed(subtags: list[str]) -> bool:
    """Extensions (each single letter once, each with a value), then private use to the end."""
    seen: set[str] = set()
    position = 0
    while position < len(subtags):
        singleton = subtags[position]
        if len(singleton) != 1 or singleton in seen:
            return False
        if singleton == "x":
            return position + 1 < len(subtags)
        seen.add(singleton)
        start = position = position + 1
        while position < len(subtags) and len(subtags[position]) > 1:
            position += 1
        if position == start:
            return False
    return True


def _is_private_language(subtag: str) -> bool:
    return len(subtag) == 3 and "qaa" <= subtag <= "qtz"


def _unpack(packed: str, stem_length: int) -> frozenset[str]:
    return frozenset(group[:stem_length] + last for group in packed.split() for last in group[stem_length:])


@cache
def _languages() -> frozenset[str]:
    return _unpack(TWO_LETTER_LANGUAGES, 1) | _unpack(THREE_LETTER_LANGUAGES, 2)


@cache
def _extended_languages() -> frozenset[str]:
    return _unpack(EXTENDED_LANGUAGES, 2)


@cache
def _scripts() -> frozenset[str]:
    return frozenset(SCRIPTS.split())


@cache
def _regions() -> frozenset[str]:
    return _unpack(TWO_LETTER_REGIONS, 1) | frozenset(NUMERIC_REGIONS.split())


@cache
def _variants() -> frozenset[str]:
    return frozenset(VARIANTS.split())


@cache
def _grandfathered() -> frozenset[str]:
    return frozenset(GRANDFATHERED.split())


@cache
def _languages_of_countries() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    country = ""
    for word in TERRITORY_LANGUAGES.split():
        if word.isupper():
            country = word
        else:
            found.setdefault(country, set()).add(word)
    return {country: frozenset(languages) for country, languages in found.items()}
