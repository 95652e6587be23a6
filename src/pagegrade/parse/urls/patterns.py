"""Patterns of addresses: the shape that the pages of one template have in common, and dates in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import Final

from pagegrade.parse.page_links import path_and_query

MAX_PATTERNS: Final = 20_000
"""Patterns of one crawl; addresses of further shapes are of pattern 0."""
MAX_LITERALS: Final = 50
"""Different names in one place up to which each makes a pattern of its own."""
MAX_PATTERN_TEXT: Final = 300
OTHERS: Final = 0
_NUMBER: Final = re.compile(r"[0-9]{1,40}")
_YEAR: Final = re.compile(r"(?:19|20)[0-9]{2}")
_DATE: Final = re.compile(r"((?:19|20)[0-9]{2})-?(0[1-9]|1[0-2])(?:-?(?:0[1-9]|[12][0-9]|3[01]))?")
_PART_OF_DATE: Final = re.compile(r"0?[1-9]|[12][0-9]|3[01]")
_ID: Final = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{8,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_CLASS: Final = re.compile(r"\{[dnsx]\}")
"""Stands in the text of a pattern for what differs."""
_EXTENSION: Final = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}")
_FAR_DATE: Final = re.compile(r"((?:19|20|21)[0-9]{2})(?:-?(?:0[1-9]|1[0-2])(?:-?(?:0[1-9]|[12][0-9]|3[01]))?)?")
_YEAR_NAMES: Final = frozenset({"annee", "anno", "ano", "jahr", "y", "year", "yr"})
_MAX_AHEAD_YEARS: Final = 3
_MAX_BACK_YEARS: Final = 10


class Patterns:
    """The patterns of a crawl, numbered in order of discovery from 1."""

    def __init__(self, known: Iterable[tuple[int, str]] = ()) -> None:
        """Take those that are known, with their numbers, in order."""
        self._numbers: dict[str, int] = {}
        self._texts: list[str] = [""]
        self._literals: dict[str, set[str]] = {}
        for number, text in known:
            if number != OTHERS:
                self._numbers[text] = number
                self._texts.append(text)
                self._learn(text)

    def __len__(self) -> int:
        """Return how many there are, without that of all others."""
        return len(self._numbers)

    def number(self, url: str) -> int:
        """Return the number of the pattern of a canonical URL; a new one gets the next number."""
        text = self._text(url)
        found = self._numbers.get(text)
        if found is None:
            if len(self._numbers) >= MAX_PATTERNS:
                return OTHERS
            found = self._numbers[text] = len(self._texts)
            self._texts.append(text)
        return found

    def text(self, number: int) -> str:
        """Return the text of a pattern; empty for that of all others."""
        return self._texts[number]

    def _text(self, url: str) -> str:
        path, query = path_and_query(url)
        text = url.split("/", 3)[2]
        after_date = False
        for segment in path.split("/")[1:]:
            stem, extension = _split(segment)
            kind = _kind(stem, after_date=after_date)
            after_date = kind == "{d}"
            if not kind:
                literals = self._literals.setdefault(text, set()) if len(self._literals) < MAX_PATTERNS else set()
                if stem in literals or len(literals) < MAX_LITERALS:
                    literals.add(stem)
                    kind = stem
                else:
                    kind = "{s}"
            text = f"{text}/{kind}{extension}"
        if query:
            names = sorted({parameter.partition("=")[0] for parameter in query.split("&")})
            text = f"{text}?{'&'.join(names)}"
        return text[:MAX_PATTERN_TEXT]

    def _learn(self, text: str) -> None:
        """Remember the names in a pattern, so that the next address in their place is told apart as before."""
        before, *segments = text.partition("?")[0].split("/")
        for segment in segments:
            stem, _ = _split(segment)
            if not stem.startswith("{"):
                self._literals.setdefault(before, set()).add(stem)
            before = f"{before}/{segment}"


def excluding(text: str) -> str | None:
    """The pattern of robots.txt for the addresses of a pattern, which others may fit as well.

    Args:
        text: Of the pattern.

    Returns:
        ``None``: it would fit any first folder, rules cannot say its letters, or the pattern is that of all others.
    """
    path, _, query = text.partition("/")[2].partition("?")
    names = query.split("&") if query else []
    first = path.partition("/")[0]
    if "$" in text or (not names and (not first or _CLASS.search(first))):
        return None
    wild = _CLASS.sub("*", f"/{path}")
    if names:
        # In which order they come is not known of several.
        return f"{wild}?{names[0]}" if len(names) == 1 else f"{wild}?*&"
    return wild if "*" in wild or len(text) == MAX_PATTERN_TEXT else f"{wild}$"


def is_far_date(url: str, today: date) -> bool:
    """Return whether an address names only dates that pages hardly have: over three years ahead, or ten back."""
    years = _years(url)
    first, last = today.year - _MAX_BACK_YEARS, today.year + _MAX_AHEAD_YEARS
    return bool(years) and not any(first <= year <= last for year in years)


def _years(url: str) -> list[int]:
    path, query = path_and_query(url)
    dates = [_FAR_DATE.fullmatch(_split(segment)[0]) for segment in path.split("/")]
    for parameter in query.split("&"):
        name, _, value = parameter.partition("=")
        found = _FAR_DATE.fullmatch(value)
        if found is not None and (len(value) > len(found[1]) or name.lower() in _YEAR_NAMES):
            dates.append(found)
    return [int(found[1]) for found in dates if found is not None]


def _split(segment: str) -> tuple[str, str]:
    """(name, extension with its dot or "")."""
    stem, dot, rest = segment.rpartition(".")
    return (stem, f".{rest}") if stem and dot and _EXTENSION.fullmatch(f".{rest}") else (segment, "")


def _kind(stem: str, *, after_date: bool) -> str:
    """The class of a segment; empty for a name."""
    if _DATE.fullmatch(stem) or _YEAR.fullmatch(stem) or (after_date and _PART_OF_DATE.fullmatch(stem)):
        return "{d}"
    if _NUMBER.fullmatch(stem):
        return "{n}"
    return "{x}" if _ID.fullmatch(stem) else ""
