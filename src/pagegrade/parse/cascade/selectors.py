"""Selectors of CSS: read into compounds, matched against an element with "unknown" as a third answer.

A page is evaluated as it stands before anyone acts on it: ``:hover``, ``:focus`` and the like are false. What depends
on scripts or on what a visitor typed is unknown. Matching draws on one budget of a document.

Source: https://www.w3.org/TR/selectors-4/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from turbohtml import Element

from pagegrade.parse.cascade.conditions import Truth, conjunction, negate
from pagegrade.parse.cascade.states import STATES, Test, attribute_of, is_defined, is_root, never, unknown

MAX_STEPS: Final = 200_000
"""Compounds tested and nodes stepped over, for all selectors of a document together; beyond it, nothing is known."""
MAX_SELECTOR: Final = 2_000
"""Characters of a selector; a longer one is unknown."""
_MAX_NESTING: Final = 8
_MAX_INSIDE: Final = 2_000
"""Nodes looked at for one ``:has()``."""

_NAME: Final = r"(?:[-\w\u0080-\U0010ffff]|\\[0-9A-Fa-f]{1,6}[ \t\r\n\f]?|\\[^0-9A-Fa-f\r\n\f])+"
_TOKEN: Final = re.compile(
    rf"(?P<space>[ \t\r\n\f]*(?P<combinator>[>+~])[ \t\r\n\f]*|[ \t\r\n\f]+)"
    rf"|(?P<kind>[.#]|::?)?(?P<name>{_NAME})|(?P<any>\*)|(?P<attribute>\[)|(?P<nest>&)"
)
_ATTRIBUTE: Final = re.compile(
    rf"\[\s*(?:\*?\|)?(?P<name>{_NAME})\s*(?:(?P<relation>[~|^$*]?=)\s*"
    rf"(?:\"(?P<double>(?:[^\"\\]|\\[\s\S])*)\"|'(?P<single>(?:[^'\\]|\\[\s\S])*)'|(?P<bare>{_NAME}))"
    r"\s*(?P<flag>[iIsS])?\s*)?\]"
)
_LIST_MARK: Final = re.compile(r"[\\\"'()\[\],](?:(?<=\\)[\s\S])?")
"""Characters that part or keep together a list; an escape with the character that it escapes."""
_GROUPING: Final = re.compile(r"[(\[\"'\\]")
_ESCAPED: Final = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})[ \t\r\n\f]?|([\s\S]))")
_PLAIN_COMPOUND: Final = r"(?=[.#A-Za-z])(?:[A-Za-z][\w-]*+)?(?:[.#][A-Za-z_][\w-]*+)*"
_SPACES: Final = r"[ \t\r\n\f]"
_PLAIN: Final = re.compile(
    rf"{_SPACES}*+(?:{_PLAIN_COMPOUND}(?:{_SPACES}*+[>+~]{_SPACES}*+|{_SPACES}++))*({_PLAIN_COMPOUND}){_SPACES}*+",
    re.ASCII,
)
"""Types, classes and ids, and what combines them: nearly all of the selectors of real sheets."""
_TYPE: Final = re.compile(r"(?<![\w.#-])[A-Za-z]", re.ASCII)
_NTH: Final = re.compile(
    r"(?:(?P<step>[+-]?\d{0,9})n\s*(?:(?P<sign>[+-])\s*(?P<shift>\d{1,9}))?|(?P<one>[+-]?\d{1,9}))"
)
_AT_REST: Final = frozenset(
    (
        "hover focus focus-visible focus-within active target target-within visited fullscreen -webkit-full-screen "
        "modal popover-open picture-in-picture playing seeking buffering stalled current past future autofill "
        "-webkit-autofill user-valid user-invalid paused local-link active-view-transition xr-overlay"
    ).split()
)
"""States that nothing has before anyone acts."""
_UNKNOWN: Final = frozenset(
    (
        "valid invalid in-range out-of-range default indeterminate lang dir state muted volume-locked target-current "
        "heading active-view-transition-type"
    ).split()
)
_OLD_PSEUDO_ELEMENTS: Final = frozenset({"before", "after", "first-line", "first-letter"})
_FOLDED_ATTRIBUTES: Final = frozenset(
    (
        "accept accept-charset align alink axis bgcolor charset checked clear codetype color compact declare defer dir "
        "direction disabled enctype face frame hreflang http-equiv lang language link media method multiple nohref "
        "noresize noshade nowrap readonly rel rev rules scope scrolling selected shape target text type valign "
        "valuetype vlink"
    ).split()
)
"""Values of these match in any case. Source: https://html.spec.whatwg.org/multipage/semantics-other.html"""
_FAILS: Final = "fails"
"""No ancestor further up can match either."""

_Compound = tuple[str, frozenset[str], tuple[Test, ...]]
"""(tag or "", classes, other tests)."""


class Selector:
    """One complex selector."""

    __slots__ = ("compounds", "keys", "pseudo_element", "specificity")

    def __init__(self) -> None:
        self.compounds: list[tuple[_Compound, str]] = []
        """From left to right: (compound, combinator before it)."""
        self.specificity = (0, 0, 0)
        self.pseudo_element = False
        """It selects a part of an element, not the element."""
        self.keys: tuple[str, ...] = ("*",)
        """A condition that an element must meet to match: ``.class``, ``#id``, ``tag``, ``[attribute`` or ``*``."""


class InvalidSelectorError(ValueError):
    """A browser drops the rule."""


def parse_selectors(text: str) -> list[Selector]:
    """Read a selector list.

    Raises:
        InvalidSelectorError: One of them is no selector, so the whole list is none.
    """
    if len(text) > MAX_SELECTOR:
        raise InvalidSelectorError
    return [parse_selector(part) for part in split_list(text)]


def parse_selector(text: str) -> Selector:
    """Read one selector of a list.

    Raises:
        InvalidSelectorError: It is none.
    """
    return _parse(text, 0)


def read_plain(text: str) -> tuple[str, tuple[int, int, int]] | None:
    """(key, specificity) of a selector of types, classes and ids; ``None`` for any other, which may be valid, too.

    Reading those as a whole takes several times as long, and few of them are ever matched.
    """
    plain = _PLAIN.fullmatch(text)
    if plain is None:
        return None
    last = plain[1]
    if "#" in last:
        key = f"#{last.split('#', 2)[1].partition('.')[0]}"
    elif "." in last:
        key = f".{last.rpartition('.')[2]}"
    else:
        key = last.lower()
    return key, (text.count("#"), text.count("."), len(_TYPE.findall(text)))


def split_list(text: str) -> Iterator[str]:
    """The parts of a list between its commas, parentheses, brackets and strings kept whole."""
    if _GROUPING.search(text) is None:
        yield from text.split(",")
        return
    depth = start = 0
    quote = ""
    for match in _LIST_MARK.finditer(text):
        mark = match[0]
        if quote:
            quote = "" if mark == quote else quote
        elif mark == "," and not depth:
            at = match.start()
            yield text[start:at]
            start = at + 1
        elif mark in "\"'":
            quote = mark
        elif mark in "([":
            depth += 1
        elif mark in ")]":
            depth -= 1
    yield text[start:]


class _Reading:
    """The compound that is being read."""

    __slots__ = ("attribute", "classes", "empty", "id", "inner", "tag", "tests")

    def __init__(self) -> None:
        self.tag = self.id = self.attribute = ""
        self.classes: list[str] = []
        self.tests: list[Test] = []
        self.inner: tuple[str, ...] = ()
        self.empty = True

    def keys(self) -> tuple[str, ...]:
        """Return the conditions that an element must meet, the rarest first."""
        if self.id:
            return (f"#{self.id}",)
        if self.classes:
            return (f".{self.classes[-1]}",)
        if self.attribute:
            return (f"[{self.attribute}",)
        return (self.tag,) if self.tag else self.inner or ("*",)


def _parse(  # noqa: C901, PLR0912, PLR0915 - one case per token
    text: str, depth: int, *, relative: bool = False
) -> Selector:
    """One complex selector; ``relative`` ones may begin with a combinator."""
    if depth > _MAX_NESTING:
        raise InvalidSelectorError
    text = text.strip(" \t\r\n\f")
    found = Selector()
    ids = classes = types = 0
    reading = _Reading()
    combinator = " " if relative else ""
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise InvalidSelectorError
        at = token.end()
        if token["space"]:
            if reading.empty:
                if not (relative and not found.compounds and token["combinator"]):
                    raise InvalidSelectorError
            else:
                _close(found, reading, combinator)
                reading = _Reading()
            combinator = token["combinator"] or " "
            continue
        if found.pseudo_element:
            if token["kind"] == ":":
                _, at = _argument(text, at)
                continue
            raise InvalidSelectorError
        kind, name = token["kind"], token["name"]
        if kind is None and (name or token["any"]):
            if not reading.empty:
                raise InvalidSelectorError
            if name:
                reading.tag = _unescape(name).lower()
                types += 1
        elif kind == "#":
            reading.id = reading.id or _unescape(name)
            reading.tests.append(_has_id(_unescape(name)))
            ids += 1
        elif kind == ".":
            reading.classes.append(_unescape(name))
            classes += 1
        elif token["attribute"]:
            match = _ATTRIBUTE.match(text, token.start())
            if match is None:
                raise InvalidSelectorError
            at = match.end()
            reading.attribute = _unescape(match["name"]).lower()
            reading.tests.append(_attribute_test(match))
            classes += 1
        elif token["nest"]:
            # Nesting is resolved where rules are read; outside of any rule it is the root.
            reading.tests.append(is_root)
            classes += 1
        else:
            word = _unescape(name).lower()
            argument, at = _argument(text, at)
            if kind == "::" or word in _OLD_PSEUDO_ELEMENTS:
                found.pseudo_element = True
                types += 1
            else:
                one, two, three = _pseudo_class(word, argument, reading, depth)
                ids, classes, types = ids + one, classes + two, types + three
        reading.empty = False
    if reading.empty and not found.pseudo_element:
        raise InvalidSelectorError
    found.keys = reading.keys()
    _close(found, reading, combinator)
    found.specificity = (ids, classes, types)
    return found


def _close(found: Selector, reading: _Reading, combinator: str) -> None:
    found.compounds.append(((reading.tag, frozenset(reading.classes), tuple(reading.tests)), combinator))


def _argument(text: str, at: int) -> tuple[str | None, int]:
    """Return the content of the parentheses at ``at`` and their end; ``None`` if there are none."""
    if not text.startswith("(", at):
        return None, at
    depth = 0
    quote = ""
    for match in _LIST_MARK.finditer(text, at):
        mark = match[0]
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "\"'":
            quote = mark
        elif mark == "(":
            depth += 1
        elif mark == ")":
            depth -= 1
            if not depth:
                return text[at + 1 : match.start()], match.end()
    raise InvalidSelectorError


def _pseudo_class(  # noqa: PLR0912 - one case per kind
    word: str, argument: str | None, reading: _Reading, depth: int
) -> tuple[int, int, int]:
    """Add the test of a pseudo-class; returns its specificity."""
    if argument is not None and word in {"is", "where", "not", "matches", "-webkit-any", "-moz-any", "any", "has"}:
        if word == "-moz-any":
            raise InvalidSelectorError
        inner: list[Selector] = []
        for part in split_list(argument):
            try:
                inner.append(_parse(part, depth + 1, relative=word == "has"))
            except InvalidSelectorError:
                if word in {"not", "has"}:
                    raise
        weight = max((one.specificity for one in inner), default=(0, 0, 0))
        inner = [one for one in inner if not one.pseudo_element]
        if word == "has":
            reading.tests.append(lambda matcher, node: matcher.has(inner, node))
        elif word == "not":
            reading.tests.append(lambda matcher, node: negate(matcher.any(inner, node)))
        else:
            reading.tests.append(lambda matcher, node: matcher.any(inner, node))
            keys = tuple(key for one in inner for key in one.keys)
            reading.inner = () if "*" in keys else keys
        return (0, 0, 0) if word == "where" else weight
    if word.startswith(("-moz-", "-ms-", "-o-")):
        raise InvalidSelectorError
    if word.startswith("nth-") and argument is not None:
        reading.tests.append(_nth(word, argument, depth))
    elif word in _AT_REST or word in {"host", "host-context", "defined"}:
        reading.tests.append(is_defined if word == "defined" else never)
    elif word in _UNKNOWN or word not in STATES:
        reading.tests.append(unknown)
    else:
        reading.tests.append(STATES[word])
    return 0, 1, 0


class Matcher:
    """Matches selectors against the elements of one document, within one budget."""

    def __init__(self, *, quirks: bool = False) -> None:
        self._steps = MAX_STEPS
        self._quirks = quirks
        """Classes and ids match in any case."""

    @property
    def exhausted(self) -> bool:
        """The budget was used up: from then on every answer is unknown."""
        return self._steps <= 0

    def step(self) -> bool:
        """Take one step of the budget; false when none was left."""
        self._steps -= 1
        return self._steps > 0

    def matches(self, selector: Selector, node: Element) -> Truth:
        """Return whether the selector selects the element."""
        self._steps -= 1
        value = self._upwards(selector.compounds, len(selector.compounds) - 1, node)
        return False if value == _FAILS else value  # type: ignore[return-value]

    def any(self, selectors: list[Selector], node: Element) -> Truth:
        """Return whether one of them selects the element."""
        value: Truth = False
        for one in selectors:
            found = self.matches(one, node)
            if found is True:
                return True
            if found is None:
                value = None
        return value

    def _compound(self, compound: _Compound, node: Element) -> Truth:
        self._steps -= 1
        if self._steps <= 0:
            return None
        tag, classes, tests = compound
        if tag and node.tag != tag and node.tag.lower() != tag:
            return False
        if classes:
            own = node.attrs.get("class") or ()
            if type(own) is str:
                own = own.split()
            if not classes.issubset(own) and not (self._quirks and _folded(classes).issubset(_folded(own))):
                return False
        value: Truth = True
        for test in tests:
            found = test(self, node)
            if found is False:
                return False
            if found is None:
                value = None
        return value

    def _upwards(self, compounds: list[tuple[_Compound, str]], index: int, node: Element) -> Truth | str:
        """Match the compound at ``index`` and all before it; ``_FAILS`` when going further up cannot help."""
        compound, combinator = compounds[index]
        value = self._compound(compound, node)
        if value is False or not index:
            return value
        unknown = value is None
        if combinator in {" ", ">"}:
            at: Any = node.parent
            while isinstance(at, Element):
                found = self._upwards(compounds, index - 1, at)
                if found is True:
                    return None if unknown else True
                if found == _FAILS:
                    return _FAILS
                if combinator == ">":
                    return found
                if found is None:
                    return None
                at = at.parent
            return _FAILS
        before = node.previous_sibling
        while before is not None:
            self._steps -= 1
            if self._steps <= 0:
                return None
            if isinstance(before, Element):
                found = self._upwards(compounds, index - 1, before)
                if found is True:
                    return None if unknown else True
                if combinator == "+" or found is None or found == _FAILS:
                    return found
            before = before.previous_sibling
        return False

    def has(self, selectors: list[Selector], node: Element) -> Truth:
        """Return whether something relative to the element matches."""
        return max((self._has(one, node) for one in selectors), key=_by_truth, default=False)

    def _has(self, selector: Selector, node: Element) -> Truth:
        """One relative selector: candidates are looked for below the element or behind it."""
        combinator = selector.compounds[0][1]
        if combinator in {" ", ">"}:
            candidates: Iterator[Any] = iter(node.descendants)
        else:
            candidates = (one for start in node.next_siblings for one in _with_descendants(start))
        left = _MAX_INSIDE
        value: Truth = False
        for one in candidates:
            left -= 1
            self._steps -= 1
            if left <= 0 or self._steps <= 0:
                return None
            if not isinstance(one, Element):
                continue
            found = self._back_to(selector.compounds, len(selector.compounds) - 1, one, node)
            if found is True:
                return True
            if found is None:
                value = None
        return value

    def _back_to(self, compounds: list[tuple[_Compound, str]], index: int, node: Element, anchor: Element) -> Truth:
        """Return whether the compounds lead from ``node`` back to ``anchor``."""
        compound, combinator = compounds[index]
        value = self._compound(compound, node)
        if value is False:
            return False
        best: Truth = False
        for one in self._before(node, combinator):
            self._steps -= 1
            if self._steps <= 0:
                return None
            found = self._back_to(compounds, index - 1, one, anchor) if index else one == anchor
            best = max(best, conjunction(value, found), key=_by_truth)
            if best is True or (not index and found):
                break
        return best

    @staticmethod
    def _before(node: Element, combinator: str) -> Iterator[Element]:
        if combinator in {" ", ">"}:
            for one in node.ancestors:
                if isinstance(one, Element):
                    yield one
                    if combinator == ">":
                        return
        else:
            for sibling in node.previous_siblings:
                if isinstance(sibling, Element):
                    yield sibling
                    if combinator == "+":
                        return

    def position(self, node: Element, *, last: bool, of_type: bool, of: list[Selector] | None) -> int | None:
        """Place of the element among its siblings, from 1; ``None`` when that is unknown."""
        place = 1
        sibling: Any = node.next_sibling if last else node.previous_sibling
        while sibling is not None:
            self._steps -= 1
            if self._steps <= 0:
                return None
            if isinstance(sibling, Element) and (not of_type or sibling.tag == node.tag):
                counts: Truth = True if of is None else self.any(of, sibling)
                if counts is None:
                    return None
                place += counts
            sibling = sibling.next_sibling if last else sibling.previous_sibling
        return place

    def same_name(self, one: str, other: str) -> bool:
        """Return whether two ids are the same in this document."""
        return one == other or (self._quirks and one.lower() == other.lower())


def _with_descendants(node: Any) -> Iterator[Any]:
    yield node
    if isinstance(node, Element):
        yield from node.descendants


def _by_truth(value: Truth) -> int:
    return 1 if value is None else 2 if value else 0


def _folded(names: Any) -> set[str]:
    return {name.lower() for name in names}


def _unescape(text: str) -> str:
    return _ESCAPED.sub(_unescape_one, text) if "\\" in text else text


def _unescape_one(match: re.Match[str]) -> str:
    if match[1]:
        point = int(match[1], 16)
        return chr(point) if 0 < point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF else "\ufffd"
    return match[2]


def _has_id(name: str) -> Test:
    def test(matcher: Matcher, node: Element) -> Truth:
        own = attribute_of(node, "id")
        return own is not None and matcher.same_name(own, name)

    return test


def _attribute_test(match: re.Match[str]) -> Test:
    name = _unescape(match["name"]).lower()
    relation = match["relation"]
    if "cloak" in name:
        # Frameworks take the attribute away as soon as they run.
        return lambda _matcher, node: None if attribute_of(node, name) is not None else False
    if relation is None:
        return lambda _matcher, node: attribute_of(node, name) is not None
    raw = next(value for value in (match["double"], match["single"], match["bare"]) if value is not None)
    wanted = _unescape(raw)
    flag = (match["flag"] or "").lower()
    folded = flag == "i" or (not flag and name in _FOLDED_ATTRIBUTES)
    wanted = wanted.lower() if folded else wanted

    def test(_matcher: Matcher, node: Element) -> Truth:
        value = attribute_of(node, name)
        if value is None:
            return False
        value = value.lower() if folded else value
        match relation:
            case "=":
                return value == wanted
            case "~=":
                return bool(wanted) and wanted in value.split()
            case "|=":
                return value == wanted or value.startswith(f"{wanted}-")
            case "^=":
                return bool(wanted) and value.startswith(wanted)
            case "$=":
                return bool(wanted) and value.endswith(wanted)
            case _:
                return bool(wanted) and wanted in value

    return test


def _nth(word: str, argument: str, depth: int) -> Test:
    formula, _, of_text = argument.strip().lower().partition(" of ")
    of = None
    if of_text:
        of = [_parse(part, depth + 1) for part in split_list(argument.strip()[len(formula) + 4 :])]
    formula = {"odd": "2n+1", "even": "2n"}.get(formula.strip(), formula.strip())
    match = _NTH.fullmatch(formula)
    if match is None:
        raise InvalidSelectorError
    if match["one"] is not None:
        step, shift = 0, int(match["one"])
    else:
        step = {"": 1, "+": 1, "-": -1}.get(match["step"]) or int(match["step"] or 1)
        step = 0 if match["step"] == "0" else step
        shift = int((match["sign"] or "") + (match["shift"] or "0"))
    last, of_type = "last" in word, word.endswith("of-type")

    def test(matcher: Matcher, node: Element) -> Truth:
        own = True if of is None else matcher.any(of, node)
        place = matcher.position(node, last=last, of_type=of_type, of=of)
        if place is None or own is None:
            return None
        away = place - shift
        return own and (away == 0 if not step else away % step == 0 and away // step >= 0)

    return test
