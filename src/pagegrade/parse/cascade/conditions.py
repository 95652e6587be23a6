"""Media queries for the two screens that pages are evaluated for, and ``@supports`` conditions.

Sources: https://www.w3.org/TR/mediaqueries-5/ and https://www.w3.org/TR/css-conditional-3/
"""

from __future__ import annotations

import re
from typing import Final, Protocol

import msgspec

BOTH_SCREENS: Final = 3
"""Every screen as a bit set: bit 0 is the narrow screen, bit 1 the wide one."""
Truth = bool | None
"""Three values: ``None`` is unknown."""
MAX_CONDITION: Final = 2_000
"""Characters of a condition; a longer one is unknown."""
_MAX_NESTING: Final = 20


class _Screen(msgspec.Struct, frozen=True):
    width_px: int
    height_px: int
    features: dict[str, str]


_COMMON: Final = {
    "prefers-reduced-motion": "no-preference",
    "prefers-reduced-transparency": "no-preference",
    "prefers-contrast": "no-preference",
    "prefers-color-scheme": "light",
    "forced-colors": "none",
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
        "video-dynamic-range device-posture nav-controls shape environment-blending inverted-colors "
        "prefers-reduced-data -moz-device-pixel-ratio"
    ).split()
)
"""Features that differ between devices of the same width, or that not every browser knows."""
_LENGTH: Final = re.compile(r"([+-]?(?:\d{1,9}(?:\.\d{0,50})?|\.\d{1,50}))(px|em|rem|ch|ex|cm|mm|in|pt|pc)?")
_SUM: Final = re.compile(r"calc\(\s*([^\s()]+)\s+([+-])\s+([^\s()]+)\s*\)")
_UNITS_PX: Final = {
    "px": 1.0,
    "em": 16.0,
    "rem": 16.0,
    "ch": 8.0,
    "ex": 7.0,
    "in": 96.0,
    "cm": 37.795,
    "mm": 3.7795,
    "pt": 4 / 3,
    "pc": 16.0,
}
"""Those of a font are of the one that browsers begin with."""
_RANGE: Final = re.compile(r"\s*(<=|>=|<|>|=)\s*")
_WORD: Final = re.compile(r"[a-z-]+")
_MET: Final = frozenset("width height device-width device-height aspect-ratio color -webkit-transform-3d".split())
"""Features that every screen has."""
_JOINTS: Final = frozenset({"and", "or", "not", "only", "layer"})
"""Words that are no media type."""
_ANYWHERE: Final = frozenset({"and", "or"})
_AFTER_A_TYPE: Final = frozenset({"and"})
"""Behind a media type conditions are only joined by ``and``."""
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
            if word is None or word[0] == "not":
                return False
    value: Truth = True
    if word is not None and word[0] != "not":
        if word[0] in _JOINTS:
            return False
        value = word[0] in {"all", "screen"}
        query = query[word.end() :].strip()
        if query:
            conditions = query.removeprefix("and").strip()
            if conditions == query:
                return False
            value = conjunction(value, _features(conditions, screen, joints=_AFTER_A_TYPE))
    elif query:
        value = _features(query, screen)
    return negate(value) if negated else value


def _features(text: str, screen: _Screen, *, joints: frozenset[str] = _ANYWHERE) -> Truth:
    def evaluate(inner: str, *, negated: bool) -> Truth:
        try:
            value = _feature(inner, screen)
        except _UnknownFeatureError:
            # What no browser understands is not met, and neither is its negation.
            return False
        return negate(value) if negated else value

    return _condition(text, evaluate, 0, joints)


class _UnknownFeatureError(ValueError):
    """No browser knows the feature, or its value."""


class _Evaluate(Protocol):
    def __call__(self, inner: str, *, negated: bool) -> Truth: ...


def _condition(  # noqa: PLR0912 - one for each token
    text: str, evaluate: _Evaluate, depth: int, joints: frozenset[str] = _ANYWHERE
) -> Truth:
    """A condition of parentheses, all of them joined by ``and`` or all by ``or``, or one of them after ``not``.

    ``evaluate`` reads what is in the innermost. Whatever mixes the three without parentheses is invalid: not met.
    """
    if depth > _MAX_NESTING:
        return None
    value: Truth | str = "start"
    negated = False
    joint = ""
    waits = True
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        word = _WORD.match(text, at)
        called = ""
        if word is not None:
            at = word.end()
            called = word[0]
            if called == "not":
                if negated or not isinstance(value, str):
                    return False
                negated = True
                continue
            if called in joints:
                if waits or negated or joint not in {"", called} or not text[at : at + 1].isspace():
                    return False
                joint = called
                waits = True
                continue
        if not waits or text[at : at + 1] != "(":
            return False
        waits = False
        end = _closing(text, at)
        inner = text[at + 1 : end].strip()
        if not called and (inner.startswith("(") or (inner.startswith("not") and inner[3:].lstrip().startswith("("))):
            part = _condition(inner, evaluate, depth + 1)
            part = negate(part) if negated else part
        else:
            part = evaluate(f"{called}({inner})" if called else inner, negated=negated)
        at = end + 1
        if isinstance(value, str):
            value = part
        else:
            value = conjunction(value, part) if joint == "and" else disjunction(value, part)
    return False if waits or isinstance(value, str) else value


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
        if name.startswith(f"-webkit-{prefix}"):
            # Every browser takes it; that there are pixels at all is how style sheets recognized some.
            is_met = relation == ">=" and _length_px(value) == 0 and name.endswith("device-pixel-ratio")
            return True if is_met else _compare(f"-webkit-{name[12:]}", relation, value, screen)
    if name in screen.features:
        return screen.features[name] == value
    return _compare(name, "=", value, screen)


def _boolean(name: str, screen: _Screen) -> Truth:
    if name in screen.features:
        return screen.features[name] not in {"", "0", "none", "no-preference"}
    if name in _UNTOLD:
        return None
    if name not in _MET:
        raise _UnknownFeatureError
    return True


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
    raise _UnknownFeatureError


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
        if name not in _UNTOLD:
            raise _UnknownFeatureError
        return None
    if wanted is None:
        if "(" not in value:
            raise _UnknownFeatureError
        return None
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
    added = _SUM.fullmatch(value)
    if added is not None:
        one, other = _length_px(added[1]), _length_px(added[3])
        return None if one is None or other is None else one + other if added[2] == "+" else one - other
    match = _LENGTH.fullmatch(value)
    return None if match is None else float(match[1]) * _UNITS_PX[match[2] or "px"]


def _supports(inner: str, *, negated: bool) -> Truth:
    value = _is_usable(inner)
    return negate(value) if negated else value


def _is_usable(text: str) -> Truth:
    """One declaration, or a ``selector()``."""
    name, colon, _ = (part.strip() for part in text.partition(":"))
    if text.startswith("selector("):
        return None if ":-" in text else True
    if not colon or "(" in name:
        return None
    if name.startswith(("-moz-", "-ms-", "-o-", "-khtml-")):
        return False
    return None if name.startswith("-webkit-") or name in {"margin-trim", "zoom", "overflow-anchor"} else True
