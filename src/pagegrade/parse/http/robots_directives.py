"""Reads the indexing rules of ``<meta name="robots">`` and ``X-Robots-Tag``.

Source: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Final, Literal

import msgspec

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
PRODUCT_BOTS: Final = frozenset({"googlebot-image", "googlebot-news", "googlebot-video"})
"""Those of one service of a search engine: rules for them have no effect on web search."""
_WORDS: Final = frozenset(
    {
        "all",
        "follow",
        "index",
        "indexifembedded",
        "noarchive",
        "noai",
        "nocache",
        "nofollow",
        "noimageai",
        "noimageindex",
        "noindex",
        "none",
        "noodp",
        "nopagereadaloud",
        "nositelinkssearchbox",
        "nosnippet",
        "notranslate",
        "noydir",
    }
)
_DEFAULTS: Final = frozenset({"archive", "cache", "imageindex", "odp", "snippet", "translate", "ydir"})
"""Words that no search engine documents and that say what holds anyway."""
_NUMBER: Final = re.compile(r"-1|[0-9]{1,9}")
_SIZE: Final = re.compile(r"none|standard|large", re.IGNORECASE)
_WITH_VALUE: Final[dict[str, Callable[[str], bool]]] = {
    "max-image-preview": lambda value: _SIZE.fullmatch(value) is not None,
    "max-snippet": lambda value: _NUMBER.fullmatch(value) is not None,
    "max-video-preview": lambda value: _NUMBER.fullmatch(value) is not None,
    "unavailable_after": lambda value: parse_unavailable_after(value) is not None,
}
"""Rule -> whether it is understood with that value."""
_RESTRICTING: Final = frozenset(word for word in _WORDS if word.startswith("no"))
_SEPARATORS: Final = re.compile(r"[,;|\s]+")
_MAX_NAME: Final = 200
MAX_SHOWN: Final = 100
"""Characters kept of a value or of a rule that is skipped."""
_BOT: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,60}")
_WEEKDAY: Final = re.compile(r"[a-z]{3,9}")


class RobotsDirective(msgspec.Struct, frozen=True, kw_only=True):
    """One rule for one crawler or all."""

    bot: str
    """Lower-case name, or ``*`` for all."""
    name: str
    """Lower case; ``none`` comes as its two parts, ``noindex`` and ``nofollow``."""
    value: str = ""
    """Text after the colon, as written."""


class IgnoredRule(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a declaration that search engines skip."""

    text: str
    """As written, at most 100 characters."""
    why: Literal["unknown", "value", "name"]
    """``unknown``: no rule is called so; ``value``: the rule is not understood with this value; ``name``: the tag
    is read by no crawler, because none has its name."""


class RobotsRules(msgspec.Struct, frozen=True, kw_only=True):
    """Rules that search engines take from one declaration, and those that they skip."""

    directives: tuple[RobotsDirective, ...] = ()
    ignored: tuple[IgnoredRule, ...] = ()


def parse_robots_meta(name: str, content: str) -> RobotsRules:
    """Rules of a ``<meta name=... content=...>``; none when the name is not that of a robots meta tag.

    Args:
        name: Any case.
        content: As written.
    """
    bot = name.strip().lower()
    if bot == "robots":
        bot = ALL_BOTS
    elif bot not in BOT_NAMES:
        return _for_no_crawler(bot, content)
    return _parse(content, bot, may_name_bots=False)


def parse_x_robots_tag(value: str) -> RobotsRules:
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


def _for_no_crawler(name: str, content: str) -> RobotsRules:
    """Read the rules of a tag with another name, if it looks as if it were meant for crawlers and restricts them."""
    if not name or len(name) > _MAX_NAME:
        return RobotsRules()
    if not _is_meant_for_crawlers(name):
        return RobotsRules()
    held = _parse(content, ALL_BOTS, may_name_bots=False)
    if held.ignored or not any(one.name in _RESTRICTING or one.value for one in held.directives):
        return RobotsRules()
    return RobotsRules(ignored=(IgnoredRule(text=f"{name}: {content}"[:MAX_SHOWN], why="name"),))


@lru_cache(1_000)
def _is_meant_for_crawlers(name: str) -> bool:
    """Return whether a name is nearly a known one, or several in one; pages share most of their names."""
    names = {"robots", *BOT_NAMES}
    return any(_nearly(one, name) for one in names) or names.issuperset(_SEPARATORS.split(name))


def _nearly(known: str, name: str) -> bool:
    """Return whether a name is a known one with one letter or sign more, less or other."""
    if known == name or abs(len(known) - len(name)) > 1:
        return False
    shorter, longer = sorted((known, name), key=len)
    start = next((at for at, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    rest = shorter[start + (len(shorter) == len(longer)) :]
    return longer[start + 1 :] == rest


def _parse(value: str, bot: str, *, may_name_bots: bool) -> RobotsRules:
    found: list[RobotsDirective] = []
    ignored: list[IgnoredRule] = []
    pieces = value[:MAX_VALUE_CHARACTERS].split(",")
    position = 0
    while position < len(pieces) and len(found) + len(ignored) < MAX_DIRECTIVES:
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
        counts = bot == ALL_BOTS or bot in BOT_NAMES
        if not counts or not piece:
            continue
        if name in _WITH_VALUE:
            if _WITH_VALUE[name](rest):
                found.append(RobotsDirective(bot=bot, name=name, value=rest[:MAX_SHOWN]))
            else:
                ignored.append(IgnoredRule(text=f"{name}: {rest}"[:MAX_SHOWN], why="value"))
        elif words := _words(piece.lower()):
            found += [RobotsDirective(bot=bot, name=word) for word in words if word not in _DEFAULTS]
        else:
            ignored.append(IgnoredRule(text=piece[:MAX_SHOWN], why="unknown"))
    return RobotsRules(directives=tuple(found[:MAX_DIRECTIVES]), ignored=tuple(ignored))


def _words(text: str) -> list[str]:
    # Words without commas between them ("noindex nofollow") are read when each of them is a known rule.
    words = text.split() if " " in text else [text]
    if not all(word in _WORDS or word in _DEFAULTS for word in words):
        return []
    return [part for word in words for part in (("noindex", "nofollow") if word == "none" else (word,))]
