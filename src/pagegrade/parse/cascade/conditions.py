"""Media queries for the two screens that pages are evaluated for, and ``@supports`` conditions.

Sources: https://www.w3.org/TR/mediaqueries-5/ and https://www.w3.org/TR/css-conditional-3/
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

BOTH_SCREENS: Final = 3
"""Every screen as a bit set: bit 0 is the narrow screen, bit 1 the wide one."""
Truth = bool | None
"""Three values: ``None`` is unknown."""
MAX_CONDITION: Final = 2_000
"""Characters of a condition; a longer one is unknown."""
_MAX_NESTING: Final = 20


@dataclass(frozen=True, slots=True)
class _Screen:
    width_px: int
    height_px: int
    features: dict[str, str]


_COMMON: Final = {
    "prefers-reduced-motion": "no-preference",
    "prefers-reduced-transparency": "no-preference",
    "prefers-reduced-data": "no-preference",
    "prefers-contrast": "no-preference",
    "prefers-color-scheme": "light",
    "forced-colors": "none",
    "inverted-colors": "none",
    "scripting": "enabled",
    "display-mode": "browser",
    "update": "fast",
    "overflow-block": "scroll",
    "overflow-inline": "scroll",
    "scan": "",
    "grid": "0",
    "monochrome": "0",
}
_SCREENS: Final = (
    _Screen(
        412,
        915,
        {
            **_COMMON,
            "orientation": "portrait",
            "hover": "none",
            "any-hover": "none",
            "pointer": "coarse",
            "any-pointer": "coarse",
        },
    ),
    _Screen(
        1280,
        720,
        {
            **_COMMON,
            "orientation": "landscape",
            "hover": "hover",
            "any-hover": "hover",
            "pointer": "fine",
            "any-pointer": "fine",
        },
    ),
)
"""A phone and a laptop, each as browsers with default settings describe it."""
_UNTOLD: Final = frozenset(
    (
        "resolution -webkit-device-pixel-ratio device-pixel-ratio color-gamut dynamic-range color-index "
        "video-dynamic-range device-posture nav-controls shape environment-blending"
    ).split()
)
"""Features that differ between devices of the same width."""
_LENGTH: Final = re.compile(r"([+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}))(px|em|rem|cm|mm|in|pt|pc)?")
_UNITS_PX: Final = {"px": 1.0, "em": 16.0, "rem": 16.0, "in": 96.0, "cm": 37.795, "mm": 3.7795, "pt": 4 / 3, "pc": 16.0}
_RANGE: Final = re.compile(r"\s*(<=|>=|<|>|=)\s*")
_WORD: Final = re.compile(r"[a-z-]+")
_FLIPPED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}


def negate(value: Truth) -> Truth:
    """Kleene's negation."""
    return None if value is None else not value


def conjunction(one: Truth, other: Truth) -> Truth:
    """Kleene's conjunction: false decides."""
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def disjunction(one: Truth, other: Truth) -> Truth:
    """Kleene's disjunction: true decides."""
    return negate(conjunction(negate(one), negate(other)))


def screens_of(query_list: str) -> tuple[int, int]:
    """Evaluate a media query list.

    Returns:
        (screens on which it is certainly true, screens on which it may be true), as bit sets; the first is part of the
        second. An empty list is true everywhere.
    """
    text = query_list.strip().lower()
    if not text or text in {"all", "screen", "only screen"}:
        return BOTH_SCREENS, BOTH_SCREENS
    if text == "print":
        return 0, 0
    if len(text) > MAX_CONDITION:
        return 0, BOTH_SCREENS
    certain = possible = 0
    for number, screen in enumerate(_SCREENS):
        value: Truth = False
        for query in text.split(","):
            value = disjunction(value, _query(query.strip(), screen))
        if value is True:
            certain |= 1 << number
        if value is not False:
            possible |= 1 << number
    return certain, possible


def is_supported(condition: str) -> Truth:
    """Evaluate an ``@supports`` condition for a current browser; ``None`` where browsers differ."""
    text = condition.strip().lower()
    if len(text) > MAX_CONDITION:
        return None
    return _condition(text, _supports, 0)


def _query(query: str, screen: _Screen) -> Truth:
    """One media query: an optional type, then features."""
    negated = False
    word = _WORD.match(query)
    if word is not None and word[0] in {"not", "only"}:
        rest = query[word.end() :].strip()
        if not rest.startswith("("):
            negated, query = word[0] == "not", rest
            word = _WORD.match(query)
    value: Truth = True
    if word is not None and word[0] not in {"not", "only"}:
        value = word[0] in {"all", "screen"}
        query = query[word.end() :].strip()
        if query:
            conditions = query.removeprefix("and").strip()
            if conditions == query:
                return False
            value = conjunction(value, _features(conditions, screen))
    elif query:
        value = _features(query, screen)
    return negate(value) if negated else value


def _features(text: str, screen: _Screen) -> Truth:
    return _condition(text, lambda inner: _feature(inner, screen), 0)


def _condition(text: str, evaluate: object, depth: int) -> Truth:
    """A condition of parentheses joined by ``and``, ``or`` and ``not``; ``evaluate`` reads what is in the innermost."""
    if depth > _MAX_NESTING:
        return None
    value: Truth | str = "start"
    negated = False
    joint = "and"
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        word = _WORD.match(text, at)
        if word is not None:
            at = word.end()
            if word[0] == "not":
                negated = not negated
                continue
            if word[0] in {"and", "or"}:
                joint = word[0]
                continue
            if not text.startswith("(", at):
                return False
            end = _closing(text, at)
            part: Truth = evaluate(f"{word[0]}({text[at + 1 : end]})")  # type: ignore[operator]
        elif text[at] == "(":
            end = _closing(text, at)
            inner = text[at + 1 : end].strip()
            nested = inner.startswith("(") or (inner.startswith("not") and inner[3:].lstrip().startswith("("))
            part = _condition(inner, evaluate, depth + 1) if nested else evaluate(inner)  # type: ignore[operator]
        else:
            return False
        at = end + 1
        part = negate(part) if negated else part
        negated = False
        if isinstance(value, str):
            value = part
        else:
            value = conjunction(value, part) if joint == "and" else disjunction(value, part)
    return False if isinstance(value, str) else value


def _closing(text: str, at: int) -> int:
    """Return the position of the parenthesis that closes the one at ``at``; the end of the text if there is none."""
    depth = 0
    for position in range(at, len(text)):
        if text[position] == "(":
            depth += 1
        elif text[position] == ")":
            depth -= 1
            if not depth:
                return position
    return len(text)


def _feature(text: str, screen: _Screen) -> Truth:
    """One feature without its parentheses: boolean, with a value, or as a range."""
    name, colon, value = (part.strip() for part in text.partition(":"))
    if not colon:
        pieces = _RANGE.split(text.strip())
        return _range(pieces, screen) if len(pieces) > 1 else _boolean(name, screen)
    for prefix, relation in (("min-", ">="), ("max-", "<=")):
        if name.startswith(prefix):
            return _compare(name[len(prefix) :], relation, value, screen)
    if name in screen.features:
        return screen.features[name] == value
    return _compare(name, "=", value, screen)


def _boolean(name: str, screen: _Screen) -> Truth:
    if name in screen.features:
        return screen.features[name] not in {"", "0", "none", "no-preference"}
    if name in _UNTOLD:
        return None
    return name in {"width", "height", "device-width", "device-height", "aspect-ratio", "color"}


def _range(pieces: list[str], screen: _Screen) -> Truth:
    """``width >= 600px``, ``600px <= width`` and ``400px <= width <= 600px``."""
    pieces = [piece.strip() for piece in pieces]
    if len(pieces) == 3:
        left, relation, right = pieces
        if _WORD.fullmatch(left):
            return _compare(left, relation, right, screen)
        return _compare(right, _FLIPPED[relation], left, screen)
    if len(pieces) == 5:
        low, first, name, second, high = pieces
        return conjunction(_compare(name, _FLIPPED[first], low, screen), _compare(name, second, high, screen))
    return False


def _compare(name: str, relation: str, value: str, screen: _Screen) -> Truth:
    name = name.removeprefix("device-") if name != "device-pixel-ratio" else name
    if name in {"width", "height"}:
        wanted = _length_px(value)
        actual = float(screen.width_px if name == "width" else screen.height_px)
    elif name == "aspect-ratio":
        wide, _, high = value.partition("/")
        wanted, height = _length_px(wide.strip()), _length_px(high.strip() or "1")
        wanted = None if wanted is None or not height else wanted / height
        actual = screen.width_px / screen.height_px
    elif name == "color":
        wanted, actual = _length_px(value), 8.0
    else:
        return None if name in _UNTOLD else False
    if wanted is None:
        return None if "(" in value else False
    match relation:
        case "<":
            return actual < wanted
        case "<=":
            return actual <= wanted
        case ">":
            return actual > wanted
        case ">=":
            return actual >= wanted
        case _:
            return actual == wanted


def _length_px(value: str) -> float | None:
    match = _LENGTH.fullmatch(value)
    return None if match is None else float(match[1]) * _UNITS_PX[match[2] or "px"]


def _supports(text: str) -> Truth:
    """One declaration, or a ``selector()``."""
    name, colon, _ = (part.strip() for part in text.partition(":"))
    if text.startswith("selector("):
        return None if ":-" in text else True
    if not colon or "(" in name:
        return None
    if name.startswith(("-moz-", "-ms-", "-o-", "-khtml-")):
        return False
    return None if name.startswith("-webkit-") or name in {"margin-trim", "zoom", "overflow-anchor"} else True
