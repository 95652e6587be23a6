"""Finds features of CSS in a style sheet that are not Baseline widely available, by tokens that mean nothing else.

A feature inside ``@supports``, and a property whose prefixed form stands in the same sheet, has a fallback and is left
out. Values and functions are recognized only in declarations, pseudo-classes only in selectors.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Final

from pagegrade.parse.byte_search import ByteSearch
from pagegrade.parse.data.baseline import AT_RULES, FUNCTIONS, PROPERTIES, PSEUDOS, VALUES

MAX_PLACES: Final = 2_000
"""Tokens looked at in one sheet."""
MAX_BLOCKS: Final = 2_000
"""Blocks of ``@supports`` that are read; behind the last one everything counts as guarded."""
_NAME_BYTES: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_\\")
_SUPPORTS: Final = re.compile(rb"@supports\b", re.IGNORECASE)
_BRACE: Final = re.compile(rb"[{}]")
_PRELUDE: Final = re.compile(rb"[^{};]{0,1000}\{")
_DECLARED: Final = re.compile(rb"(?:^|[{};])\s*(-?[A-Za-z-]{1,60})\s*:[^{};]*\Z")
_UNREAD: Final = re.compile(rb"""/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]++|\\.)*"?|'(?:[^'\\\n]++|\\.)*'?""", re.DOTALL)
"""Comments and strings, which may lack their end."""
_COLON: Final = re.compile(rb"\s*:(?!:)")
_PREFIXES: Final = (b"-webkit-", b"-moz-", b"-ms-")
_NEAR: Final = 400
"""Bytes before a value or function in which its property stands."""
Reader = Callable[[bytes, int, bytes], bool]


def find_newer_features(sheet: bytes) -> tuple[str, ...]:
    """The ids of the features (``parse.data.baseline``) that a style sheet uses without a fallback, sorted.

    Never raises; linear in the sheet.
    """
    if next(_SEARCH.places(sheet, 1), None) is None:
        return ()
    text = _UNREAD.sub(b" ", sheet)
    places = list(_SEARCH.places(text, MAX_PLACES))
    guards = _guards(text) if places and _SUPPORTS.search(text) else []
    found: set[str] = set()
    prefixed: dict[bytes, bool] = {}
    for index, start in places:
        mark, feature, is_used = _TOKENS[index]
        if feature in found or _is_guarded(guards, start):
            continue
        if not is_used(text, start, mark):
            continue
        if is_used is _property and mark not in prefixed:
            prefixed[mark] = any(prefix + mark in text for prefix in _PREFIXES)
        if not prefixed.get(mark):
            found.add(feature)
    return tuple(sorted(found))


def _guards(text: bytes) -> list[int]:
    """Offsets at which blocks of ``@supports`` begin and end in turn; nested ones are part of the outer one."""
    found: list[int] = []
    at = 0
    while (match := _SUPPORTS.search(text, at)) is not None:
        found.append(match.start())
        if len(found) >= 2 * MAX_BLOCKS:
            return found
        depth = 0
        at = len(text)
        for brace in _BRACE.finditer(text, match.end()):
            depth += 1 if brace[0] == b"{" else -1
            if depth <= 0:
                at = brace.end()
                break
        found.append(at)
    return found


def _is_guarded(guards: list[int], start: int) -> bool:
    return bisect_right(guards, start) % 2 == 1


def _ends(text: bytes, end: int) -> bool:
    """No letter of a longer name follows."""
    return end >= len(text) or text[end] not in _NAME_BYTES


def _at_rule(text: bytes, start: int, mark: bytes) -> bool:
    return _ends(text, start + len(mark))


def _pseudo(text: bytes, start: int, mark: bytes) -> bool:
    """In a selector: an opening brace comes before the end of a declaration."""
    end = start + len(mark)
    # Names of classes may contain an escaped colon.
    if start and text[start - 1] == ord("\\"):
        return False
    return _ends(text, end) and _PRELUDE.match(text, end) is not None


def _property(text: bytes, start: int, mark: bytes) -> bool:
    """Declared."""
    if (start and text[start - 1] not in b"{}; \t\r\n\f") or _COLON.match(text, start + len(mark)) is None:
        return False
    # A colon may also follow the name of an element in a selector.
    return _PRELUDE.match(text, start + len(mark)) is None


def _value(text: bytes, start: int, mark: bytes) -> bool:
    """The keyword of one of its properties."""
    if (start and text[start - 1] in _NAME_BYTES) or not _ends(text, start + len(mark)):
        return False
    declared = _DECLARED.search(text, max(0, start - _NEAR), start)
    return declared is not None and declared[1].lower() in _PROPERTIES_OF_VALUES[mark]


def _function(text: bytes, start: int, _mark: bytes) -> bool:
    """Called in a declaration."""
    if start and text[start - 1] in _NAME_BYTES:
        return False
    return _DECLARED.search(text, max(0, start - _NEAR), start) is not None


_PROPERTIES_OF_VALUES: Final[dict[bytes, set[bytes]]] = {}
for _name, _keyword in VALUES:
    _PROPERTIES_OF_VALUES.setdefault(_keyword.encode(), set()).add(_name.encode())
_TOKENS: Final[tuple[tuple[bytes, str, Reader], ...]] = tuple(
    sorted(
        (
            *((f"@{name}".encode(), feature, _at_rule) for name, feature in AT_RULES.items()),
            *((f":{name}".encode(), feature, _pseudo) for name, feature in PSEUDOS.items()),
            *((name.encode(), feature, _property) for name, feature in PROPERTIES.items()),
            *((f"{name}(".encode(), feature, _function) for name, feature in FUNCTIONS.items()),
            *(
                (keyword, next(feature for (_, value), feature in VALUES.items() if value.encode() == keyword), _value)
                for keyword in _PROPERTIES_OF_VALUES
            ),
        ),
        # Of two tokens that begin alike the longer one has to be tried first.
        key=lambda token: (-len(token[0]), token[0]),
    )
)
"""(token, its feature, the reader that knows whether it is used at a place)."""
_SEARCH: Final = ByteSearch([mark for mark, _, _ in _TOKENS])
