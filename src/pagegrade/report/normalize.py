"""Takes out of addresses and texts what changes by itself between two runs: hashes, tokens, times.

What is taken out becomes ``*``. The rules err towards keeping: two things that differ for a person must not become
one, so a name that is nothing but a number or a hash stays, and so does a query that may choose what is shown.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

_TOKEN: Final = re.compile(r"[0-9A-Za-z]{8,}")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_TIME: Final = re.compile(
    r"\b[12][0-9]{3}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
    r"|\b[0-9]{1,2}[ -](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ -][0-9]{4}(?: [0-9]{2}:[0-9]{2}:[0-9]{2})?"
    r"|\b1[0-9]{9}(?:[0-9]{3})?\b"
)
"""ISO 8601, the dates of HTTP, and seconds or milliseconds since 1970."""
_NUMBER: Final = re.compile(r"[0-9][0-9.,]*")
_UNITS: Final = re.compile(r"#\s?(?:ms|s|B|kB|KB|KiB|MB|MiB|bytes?|calls?|times?)\b")
_LIST: Final = re.compile(r"#(?:, #){1,200}")
_ASSETS: Final = frozenset(
    "avif bmp css eot gif ico jpeg jpg js json m4a map mjs mov mp3 mp4 ogg otf pdf png svg ttf wasm webm webmanifest "
    "webp woff woff2 xml".split()
)
_CODE: Final = frozenset({"css", "eot", "js", "map", "mjs", "otf", "ttf", "wasm", "woff", "woff2"})
"""Files whose whole name may be a hash: people know them by what includes them."""
_VERSIONS: Final = frozenset(
    "_ _v b bust build cache cachebust cachebuster cb h hash mtime nocache r rev t time timestamp ts v ver "
    "version".split()
)
"""Names in the query of a file that only make browsers fetch it anew."""
_SESSIONS: Final = frozenset(
    "_csrf _token authenticity_token csrf csrf_token csrfmiddlewaretoken jsessionid nonce phpsessid sess session "
    "session_id sessionid sid token xsrf".split()
)
_BUILD: Final = re.compile(r"([-.])([0-9A-Za-z_]{8,12})(\.(?:css|m?js))$")
_MIN_BUILD_SWITCHES: Final = 3
_MIN_SWITCHES: Final = 4
_MIN_SESSION: Final = 8
_LONG_HASH: Final = 16
"""Hexadecimal digits of a made-up address, such as that of the probe for missing pages."""
_MAX_CHARACTERS: Final = 4096


def settle_url(url: str, *, is_file: bool = False) -> str:
    """The address with ``*`` for what a new build, a new session or a new probe puts into it.

    Args:
        url: Absolute or relative.
        is_file: It is known to name a script, style, font or image, whatever its ending.
    """
    if url[:5].lower() == "data:":
        return url[:_MAX_CHARACTERS]
    head, mark, fragment = url[:_MAX_CHARACTERS].partition("#")
    address, question, query = head.partition("?")
    address = _without_session(address)
    is_file = is_file or _ending(address) in _ASSETS
    pairs = [pair for pair in query.split("&") if pair and not _is_passing(pair, is_file=is_file)]
    # Some servers join several files at one address: ``/combo?a/one.js&b/two.js``.
    shown = [_settle_path(pair, is_file=True) if "." in pair and _ending(pair) in _CODE else pair for pair in pairs]
    path = _settle_path(address, is_file=is_file)
    return path + (question + "&".join(shown) if shown else "") + mark + fragment


def settle_text(text: str) -> str:
    """The text with single spaces, and ``*`` for hashes, tokens and times."""
    text = " ".join(text[:_MAX_CHARACTERS].split())
    text = _TIME.sub("*", _UUID.sub("*", text))
    return _TOKEN.sub(lambda match: "*" if _looks_random(match[0]) else match[0], text)


def without_numbers(text: str) -> str:
    """The text with ``#`` for every number and list of numbers, with the unit behind it."""
    return _LIST.sub("#", _UNITS.sub("#", _NUMBER.sub("#", settle_text(text))))


def _without_session(address: str) -> str:
    """Without ``;jsessionid=...``."""
    path, semicolon, parameter = address.rpartition(";")
    name, equals, value = parameter.partition("=")
    if not (semicolon and equals and name.lower() in _SESSIONS and "/" not in value):
        return address
    return path


def _is_passing(pair: str, *, is_file: bool) -> bool:
    """Return whether a member of the query says nothing of what is asked for."""
    name, equals, value = pair.partition("=")
    if is_file and (name.lower() in _VERSIONS if equals else _TOKEN.fullmatch(name) and any(map(str.isdigit, name))):
        return True
    # The cheapest first: an address may have hundreds of members.
    return len(value) >= _MIN_SESSION and name.lower() in _SESSIONS and any(map(str.isdigit, value))


def _ending(path: str) -> str:
    """Return the lower-case extension of the last path segment; empty if it has none."""
    last = path.rpartition("/")[2]
    return last.rpartition(".")[2].lower() if "." in last else ""


def _settle_path(path: str, *, is_file: bool) -> str:
    parts = path.split("/")
    is_code = _ending(path) in _CODE
    # Scheme and host stay.
    first = 3 if "//" in path[:8] else 0
    parts[first:] = [_settle_part(part, is_file=is_file, is_code=is_code) for part in parts[first:]]
    return "/".join(parts)


def _settle_part(part: str, *, is_file: bool, is_code: bool) -> str:
    """One part of a path."""
    if not is_file:
        return _TOKEN.sub(lambda match: "*" if _is_long_hash(match[0]) and match[0] != part else match[0], part)
    settled = _UUID.sub("*", part)
    if is_code:
        settled = _TIME.sub("*", _BUILD.sub(_settle_build, settled))
    settled = _TOKEN.sub(
        lambda match: "*" if _looks_random(match[0]) or (is_code and match[0].isdigit()) else match[0], settled
    )
    stem = settled.partition(".")[0] if "." in settled else settled
    # A name without any other letter is the name; it is all that distinguishes one picture from the next.
    return settled if is_code or any(map(str.isalpha, stem)) else part


def _settle_build(match: re.Match[str]) -> str:
    """The end of a script's name, without what may be the hash of its build: ``-DiwrgTda.js``."""
    kinds = [(character.isdigit(), character.isupper()) for character in match[2]]
    switches = sum(one != other for one, other in pairwise(kinds))
    return f"{match[1]}*{match[3]}" if switches >= _MIN_BUILD_SWITCHES else match[0]


def _is_long_hash(token: str) -> bool:
    return len(token) >= _LONG_HASH and _is_hexadecimal(token)


def _is_hexadecimal(token: str) -> bool:
    """Digits and letters up to ``f``, both of them: a word is no hash, and neither is a number."""
    lower = token.lower()
    return set(lower) <= set("0123456789abcdef") and not lower.isdigit() and not lower.isalpha()


def _looks_random(token: str) -> bool:
    """A hash, or letters and digits that change places as no name does."""
    if _is_hexadecimal(token):
        return True
    kinds = [character.isdigit() for character in token]
    return sum(one != other for one, other in pairwise(kinds)) >= _MIN_SWITCHES
