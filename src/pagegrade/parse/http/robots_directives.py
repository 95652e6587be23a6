"""Reads the indexing rules of ``<meta name="robots">`` and ``X-Robots-Tag``.

Source: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

MAX_DIRECTIVES: Final = 200
"""Directives read from one value; real values have fewer."""
MAX_VALUE_CHARACTERS: Final = 10_000
ALL_BOTS: Final = "*"
BOT_NAMES: Final = frozenset(
    {
        "applebot",
        "baiduspider",
        "bingbot",
        "duckduckbot",
        "googlebot",
        "googlebot-image",
        "googlebot-news",
        "googlebot-video",
        "msnbot",
        "naverbot",
        "petalbot",
        "seznambot",
        "slurp",
        "teoma",
        "yandex",
        "yandexbot",
        "yeti",
    }
)
"""Names of search crawlers whose rules are read, from the ``name`` of a meta tag and from a header alike."""
_WORDS: Final = frozenset(
    {
        "all",
        "follow",
        "index",
        "indexifembedded",
        "noarchive",
        "nocache",
        "nofollow",
        "noimageindex",
        "noindex",
        "none",
        "noodp",
        "nosnippet",
        "notranslate",
        "noydir",
    }
)
_WITH_VALUE: Final = frozenset({"max-image-preview", "max-snippet", "max-video-preview", "unavailable_after"})
_BOT: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,60}")
_WEEKDAY: Final = re.compile(r"[a-z]{3,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsDirective:
    """One rule for one crawler or all."""

    bot: str
    """Lower-case name, or ``*`` for all."""
    name: str
    """Lower case; ``none`` comes as its two parts, ``noindex`` and ``nofollow``."""
    value: str = ""
    """Text after the colon, as written."""


def parse_robots_meta(name: str, content: str) -> tuple[RobotsDirective, ...]:
    """Rules of a ``<meta name=... content=...>``; none when the name is not that of a robots meta tag.

    Args:
        name: Any case.
        content: As written.
    """
    bot = name.strip().lower()
    if bot == "robots":
        bot = ALL_BOTS
    elif bot not in BOT_NAMES:
        return ()
    return _parse(content, bot, may_name_bots=False)


def parse_x_robots_tag(value: str) -> tuple[RobotsDirective, ...]:
    """Rules of one ``X-Robots-Tag`` line, which may start with (and switch to) a crawler's name and a colon.

    Rules for a crawler that is no known search engine's are left out, as they are in a meta tag.
    """
    return _parse(value, ALL_BOTS, may_name_bots=True)


def parse_unavailable_after(value: str) -> datetime | None:
    """The aware UTC time of an ``unavailable_after`` rule in RFC 822, RFC 850 or ISO 8601; ``None`` for another form.

    A time without a zone counts as UTC.
    """
    text = value.strip()[:100]
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        # The second try is for a day without a time of day ("25 Jun 2010").
        found = _read_date(text) or _read_date(f"{text} 00:00:00 GMT")
        if found is None:
            return None
        moment = found
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _read_date(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _parse(value: str, bot: str, *, may_name_bots: bool) -> tuple[RobotsDirective, ...]:
    found: list[RobotsDirective] = []
    pieces = value[:MAX_VALUE_CHARACTERS].split(",")
    position = 0
    while position < len(pieces) and len(found) < MAX_DIRECTIVES:
        piece = pieces[position].strip()
        position += 1
        name, colon, rest = piece.partition(":")
        name = name.strip().lower()
        if may_name_bots and colon and name not in _WITH_VALUE and name not in _WORDS and _BOT.fullmatch(name):
            bot = name
            piece = rest.strip()
            name, colon, rest = piece.partition(":")
            name = name.strip().lower()
        rest = rest.strip()
        if name == "unavailable_after" and position < len(pieces) and _WEEKDAY.fullmatch(rest.lower()):
            # "Friday, 25-Jun-10 15:00:00 GMT": the comma belongs to the date.
            rest = f"{rest}, {pieces[position].strip()}"
            position += 1
        if name in _WITH_VALUE:
            found.append(RobotsDirective(bot=bot, name=name, value=rest[:100]))
        else:
            found += [RobotsDirective(bot=bot, name=word) for word in _words(name if not colon else piece.lower())]
    return tuple(one for one in found[:MAX_DIRECTIVES] if one.bot == ALL_BOTS or one.bot in BOT_NAMES)


def _words(text: str) -> list[str]:
    # Words without commas between them ("noindex nofollow") are read when each of them is a known rule.
    words = text.split() if " " in text else [text]
    if not all(word in _WORDS for word in words):
        return []
    return [part for word in words for part in (("noindex", "nofollow") if word == "none" else (word,))]
