"""Decides which elements of a document are rendered, on a narrow and on a wide screen.

The walk asks for every element; what a style sheet, a style attribute or the browser itself hides is noted, for those
who look around later. An element counts as hidden when it is hidden on both screens, for certain. Where a sheet was not
read, or a selector cannot be answered without a browser, visibility is unknown.

Left out: animations and transitions, shadow trees, and what has no size or lies off the screen, because the keyboard
still reaches that.

Source: https://www.w3.org/TR/css-cascade-5/ and https://html.spec.whatwg.org/multipage/rendering.html#hidden-elements
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from turbohtml import Element

from pagegrade.parse.aria.subtree_flags import (
    CLOSED,
    INVISIBLE,
    OFF_NARROW,
    OFF_WIDE,
    SHUT,
    VEILED_NARROW,
    VEILED_WIDE,
)
from pagegrade.parse.cascade.conditions import BOTH_SCREENS, Truth
from pagegrade.parse.cascade.rule_index import NO_NAMES, NO_RULES, DocumentNames, Does, Rule, RuleIndex
from pagegrade.parse.cascade.rules import FIELD, MAX_LAYERS, read_declarations, verdict_of
from pagegrade.parse.cascade.selectors import InvalidSelectorError, Matcher, Selector, parse_selectors
from pagegrade.parse.cascade.states import attribute_of, is_closed, is_details_summary

MAX_SHEETS: Final = 200
"""Sheets of one document, imported ones included; beyond, the rest is unknown."""
_MAX_IMPORT_DEPTH: Final = 10
_MAX_REFERENCES: Final = 8
"""Custom properties followed from one to the next."""
_INLINE: Final = re.compile(
    r"display|visibility|--|\ball\s*:|clip|overflow|scale|translate|-\d{3}|:\s*\d{4}", re.IGNORECASE
)
_SCREENS: Final = ((1, OFF_NARROW, VEILED_NARROW), (2, OFF_WIDE, VEILED_WIDE))
_STATES: Final = OFF_NARROW | OFF_WIDE | VEILED_NARROW | VEILED_WIDE
_OFF: Final = OFF_NARROW | OFF_WIDE
_VEILED: Final = VEILED_NARROW | VEILED_WIDE
_INLINE_TAGS: Final = frozenset(
    "a abbr b bdi bdo cite code em i kbd label mark q s samp small span strong sub sup u".split()
)
"""``content-visibility`` does nothing to boxes within a line of text."""
_SCREEN_PAIRS: Final = {f"{certain}{possible}": (certain, possible) for certain in range(4) for possible in range(4)}
"""Screens of a kept rule as they are written -> the two bit sets."""
_MAX_INLINES: Final = 1_000
_INFINITY: Final = 1 << 30

Order = tuple[Any, ...]
"""Precedence of a declaration; the greater one wins."""


class Visibility:
    """Rendering state of the elements of one document."""

    def __init__(self, names: DocumentNames = NO_NAMES, *, quirks: bool = False) -> None:
        self.off: set[Element] = set()
        """Not rendered with all their content, for a reason of their own."""
        self.veiled: set[Element] = set()
        """``visibility: hidden`` where what is around them is visible; something inside may be visible again."""
        self.unveiled: set[Element] = set()
        """The other way round."""
        self.shut: set[Element] = set()
        """Their content is not rendered, they are: closed ``details``, ``content-visibility: hidden``."""
        self.partly: dict[Element, int] = {}
        """Element -> flags of the one screen on which it is not rendered or veiled, unlike what is around it."""
        self.hides_page = False
        """A rule hides ``html`` or ``body``; only a script can show what is in them."""
        self.unknown_sheets: list[str] = []
        """Sheets that were not read, by address."""
        self._uncertain: set[Element] = set()
        self._known: dict[Any, bool] = {}
        self._names = names
        self._hiding = RuleIndex()
        self._showing = RuleIndex()
        self._clipping = RuleIndex()
        self._folding = RuleIndex()
        self._properties: dict[str, RuleIndex] = {}
        self._layers: dict[str, tuple[int, ...]] = {}
        self._count = 0
        self._sheets = 0
        self._matcher = Matcher(quirks=quirks)
        self._quirks = quirks
        self._resolved: dict[tuple[Any, str], str] = {}
        self._selectors: dict[int, Selector] = {}
        self._inlines: dict[str, str] = {}
        """Style attribute -> what it decides."""
        self._codes: dict[str, Does] = {}
        self._orders: dict[int, tuple[Order, Order]] = {}

    # What the sheets say.

    def add_sheet(
        self,
        rules: Iterable[str] | None,
        sheets: Mapping[str, Sequence[str] | None],
        *,
        url: str = "",
        certain: int = BOTH_SCREENS,
        possible: int = BOTH_SCREENS,
    ) -> None:
        """Add a sheet behind those that are there.

        Args:
            rules: As ``reduce_stylesheet`` keeps them; ``None`` when they are not known.
            sheets: Address -> rules of the sheets that were fetched, for imports.
            url: Its address, "" for one in the page.
            certain: Screens it applies to.
            possible: Screens it may apply to.
        """
        self._add(rules, sheets, url, certain, possible, "", frozenset((url,)))

    def _add(  # noqa: PLR0912, PLR0917 - passed on from sheet to sheet
        self,
        rules: Iterable[str] | None,
        sheets: Mapping[str, Sequence[str] | None],
        url: str,
        certain: int,
        possible: int,
        layer: str,
        open_urls: frozenset[str],
    ) -> None:
        self._sheets += 1
        if rules is None or self._sheets > MAX_SHEETS:
            if possible:
                self.unknown_sheets.append(url)
            return
        count = self._count
        quirks, may_have = self._quirks, self._names.may_have
        for line in rules:
            try:
                screens_written, own, code, keys, specificity, text = line.split(FIELD, 5)
            except ValueError:
                continue
            if quirks:
                keys = keys.lower()
            # Libraries have thousands of rules, and most of them are for classes that the page does not have.
            is_absent = " " not in keys and not may_have(keys)
            if is_absent and not own and not layer:
                continue
            screens = _SCREEN_PAIRS.get(screens_written)
            if screens is None or own.count(".") > 2 * MAX_LAYERS:
                continue
            if layer:
                own = f"{layer}.{own}" if own else layer
            if code == "@layer":
                self._layer(own)
                continue
            on = screens[1] & possible
            if not on:
                continue
            if code == "@import":
                self._count = count
                self._import(text, sheets, screens[0] & certain, on, own, open_urls)
                count = self._count
                continue
            if own:
                self._layer(own)
            if is_absent:
                continue
            count += 1
            self._file(Rule(count, screens[0] & certain, on, own, code, specificity, text), keys)
        self._count = count

    def _file(self, rule: Rule, keys: str) -> None:
        """Keep a rule where it is looked for."""
        does = self._codes.get(rule.code)
        if does is None:
            does = self._codes[rule.code] = Does(rule.code)
        (self._hiding if does.hides else self._showing).add(rule, keys)
        if does.clips:
            self._clipping.add(rule, keys)
        if does.folds:
            self._folding.add(rule, keys)
        for name in does.declares:
            self._properties.setdefault(name, RuleIndex()).add(rule, keys)

    def _import(  # noqa: PLR0917 - passed on from sheet to sheet
        self,
        target: str,
        sheets: Mapping[str, Sequence[str] | None],
        certain: int,
        possible: int,
        layer: str,
        open_urls: frozenset[str],
    ) -> None:
        if target not in open_urls and len(open_urls) <= _MAX_IMPORT_DEPTH:
            self._add(sheets.get(target), sheets, target, certain, possible, layer, open_urls | {target})

    def _layer(self, path: str) -> tuple[int, ...]:
        """Place of a layer: sublayers come before the rules of their layer that are in none of them."""
        known = self._layers.get(path)
        if known is None:
            parent, _, _ = path.rpartition(".")
            above = self._layer(parent)[:-1] if parent else ()
            known = self._layers[path] = (*above, len(self._layers), _INFINITY)
        return known

    # What the walk asks.

    @cached_property
    def suspects(self) -> Collection[Element]:
        """Elements that a rule that hides may select; read when all sheets are there."""
        return self._names.bearers(self._hiding)

    @cached_property
    def _clip_suspects(self) -> Collection[Element]:
        """The same for rules that clip or move."""
        return self._names.bearers(self._clipping)

    def enter(self, node: Element, flags: int) -> int:
        """The flags of an element and its content, from those of its parent's content."""
        tag = node.tag
        if flags & SHUT:
            flags &= ~SHUT
            if not (tag == "summary" and is_details_summary(node)):
                flags |= CLOSED
        if flags & _OFF == _OFF:
            return flags
        raw = node.attrs
        closed = is_closed(tag, raw)
        shut = (tag == "details" and "open" not in raw) or (
            "hidden" in raw and str(raw["hidden"] or "").lower() == "until-found" and tag not in _INLINE_TAGS
        )
        entries = self._entries(self._hiding, node) if node in self.suspects else []
        inline = self._inline(str(raw["style"])) if raw.get("style") else ""
        if inline:
            entries += _inline_entries(inline)
        if not entries and not closed and not shut and not flags & _VEILED:
            return flags
        entries += self._entries(self._showing, node)
        inner = self._apply(node, flags, entries, closed=closed, shut=shut)
        if tag in {"html", "body"} and inner & (_STATES | SHUT) & ~flags:
            # A blank page is not what its owner serves: scripts or an animation show it.
            self._uncertain.add(node)
            self.hides_page = self.hides_page or _is_invisible(inner)
            return flags
        inner = inner | INVISIBLE if _is_invisible(inner) else inner & ~INVISIBLE
        if inner & INVISIBLE and not flags & INVISIBLE:
            (self.off if inner & _OFF == _OFF else self.veiled).add(node)
        elif flags & INVISIBLE and not inner & INVISIBLE:
            self.unveiled.add(node)
        if inner & SHUT:
            self.shut.add(node)
        if inner & _STATES & ~flags and not inner & INVISIBLE:
            self.partly[node] = inner & _STATES & ~flags
        return inner

    def _inline(self, style: str) -> str:
        """Read what a style attribute decides; a page repeats few of them again and again."""
        code = self._inlines.get(style)
        if code is None:
            code = read_declarations(style) if _INLINE.search(style) is not None else ""
            if len(self._inlines) < _MAX_INLINES:
                self._inlines[style] = code
        return code

    def _apply(self, node: Element, flags: int, entries: list[_Entry], *, closed: bool, shut: bool) -> int:
        """``flags`` with what the declarations make of them."""
        inner = flags
        entries.sort(key=_precedence, reverse=True)
        hidden_content = 0
        for screen, off, veiled in _SCREENS:
            shown = self._outcome(node, entries, "d", screen, "-" if closed else "+")
            if shown == "-":
                inner |= off
            elif shown == "?":
                self._uncertain.add(node)
            visible = self._outcome(node, entries, "v", screen, "~")
            if visible == "-":
                inner |= veiled
            elif visible == "+":
                inner &= ~veiled
            elif visible == "?":
                self._uncertain.add(node)
            content = self._outcome(node, entries, "c", screen, "-" if shut else "+")
            hidden_content += content == "-"
            if content == "?":
                self._uncertain.add(node)
        # A details element shuts itself in a way that no declaration on it undoes.
        if hidden_content == len(_SCREENS) or (shut and node.tag == "details"):
            inner |= SHUT
        return inner

    def _outcome(self, node: Element, entries: list[_Entry], kind: str, screen: int, default: str) -> str:
        """Return the effect of one property's declarations on one screen: "-", "+", "~" (inherited), "?" (unknown)."""
        found = ""
        for _, certain, possible, words in entries:
            word = words.get(kind)
            if word is None or not possible & screen:
                continue
            value = self._value(node, kind, word)
            value = default if value == "^" else value
            if found and value != found:
                return "?"
            found = value
            if certain & screen:
                return found
        return default if not found or found == default else "?"

    def _value(self, node: Element, kind: str, word: str) -> str:
        if not word.startswith("="):
            return word
        value = self._substitute(node, word[1:], 0)
        if value is None:
            return "?"
        # An impossible value is that of an element without any declaration.
        return verdict_of(kind, value) or ("~" if kind == "v" else "+")

    def _entries(self, index: RuleIndex, node: Element) -> list[_Entry]:
        """The declarations of the rules that select the element, or may do so."""
        found: list[_Entry] = []
        seen: set[int] = set()
        for rule in index.candidates(node):
            if rule.number in seen:
                continue
            if self._matcher.exhausted:
                # Everything is unknown from here on: nothing that could be found would change that.
                return []
            seen.add(rule.number)
            value = self._matches(rule, node)
            if value is not False:
                found += self._rule_entries(rule, value)
        if self._quirks:
            found += self._quirky_entries(index, node, seen)
        return found

    def _quirky_entries(self, index: RuleIndex, node: Element, seen: set[int]) -> list[_Entry]:
        """The same for classes and ids written in another case, in a document without a proper document type."""
        found: list[_Entry] = []
        names = [(index.classes, name.lower()) for name in (attribute_of(node, "class") or "").split()]
        names.append((index.ids, (attribute_of(node, "id") or "").lower()))
        for table, name in names:
            for rule in table.get(name, NO_RULES):
                if rule.number not in seen and not self._matcher.exhausted:
                    seen.add(rule.number)
                    value = self._matches(rule, node)
                    if value is not False:
                        found += self._rule_entries(rule, value)
        return found

    def _rule_entries(self, rule: Rule, value: Truth) -> list[_Entry]:
        normal: dict[str, str] = {}
        important: dict[str, str] = {}
        for word in rule.code.split(" "):
            target = important if word.endswith("!") else normal
            target[_kind_of(word)] = _rest_of(word)
        orders = self._orders.get(rule.number)
        if orders is None:
            layer = self._layers[rule.layer] if rule.layer else (_INFINITY,)
            specificity = tuple(int(part) for part in rule.specificity.split(".") if part.isdecimal())
            orders = self._orders[rule.number] = (
                (1, layer, specificity, rule.number),
                (3, tuple(-one for one in layer), specificity, rule.number),
            )
        certain = rule.certain if value else 0
        found: list[_Entry] = []
        if normal:
            found.append((orders[0], certain, rule.possible, normal))
        if important:
            found.append((orders[1], certain, rule.possible, important))
        return found

    def _matches(self, rule: Rule, node: Element) -> Truth:
        selector = self._selectors.get(rule.number)
        if selector is None:
            try:
                selector = parse_selectors(rule.text)[0]
            except (InvalidSelectorError, RecursionError):
                selector = Selector()
            self._selectors[rule.number] = selector
        return self._matcher.matches(selector, node) if selector.compounds else False

    # Custom properties.

    def _substitute(self, node: Element, value: str, depth: int) -> str | None:
        """``value`` with its ``var()`` replaced; "" when one has no value, ``None`` when that is unknown."""
        if depth > _MAX_REFERENCES:
            return ""
        start = value.find("var(")
        if start < 0:
            return value
        if start or not value.endswith(")"):
            # Put together of several parts: not worth the effort for one word.
            return None
        name, comma, fallback = value[4:-1].partition(",")
        found = self._property(node, name, depth)
        if found is None or found:
            return found
        return self._substitute(node, fallback, depth + 1) if comma else ""

    def _property(self, node: Element, name: str, depth: int) -> str | None:
        """Value of a custom property on an element, inherited from the nearest one around that has it."""
        passed: list[tuple[Any, str]] = []
        at: Any = node
        value: str | None = ""
        while isinstance(at, Element):
            known = self._resolved.get((at, name))
            if known is not None:
                value = None if known == "?" else known
                break
            passed.append((at, name))
            own = self._own_property(at, name)
            if own is None or own:
                value = None if own is None else self._substitute(at, own, depth + 1)
                break
            at = at.parent
        self._resolved.update(dict.fromkeys(passed, "?" if value is None else value))
        return value

    def _own_property(self, node: Element, name: str) -> str | None:
        """Return the element's own declaration; "" for none, ``None`` if unknown."""
        index = self._properties.get(name)
        entries = [] if index is None else self._entries(index, node)
        style = attribute_of(node, "style")
        if style and "--" in style:
            entries += _inline_entries(read_declarations(style))
        entries = [entry for entry in entries if name in entry[3]]
        if not entries:
            return ""
        _, certain, possible, words = max(entries, key=_precedence)
        return words[name] if certain == possible == BOTH_SCREENS or len(entries) == 0 else None

    # What is asked later.

    def hides(self, node: Element) -> bool:
        """Return whether the element is not rendered, by itself: what is around it is not asked."""
        return node in self.off or node in self.veiled

    def is_narrowed(self, node: Element) -> bool:
        """Return whether the element is not rendered on one of the two screens, by itself."""
        return bool(self.partly.get(node, 0) & _STATES)

    def is_uncertain(self, node: Any) -> bool:
        """Return whether it is unknown that an element is rendered. Each element above is asked once."""
        if self.unknown_sheets or self._matcher.exhausted:
            return True
        if not self._uncertain:
            return False
        passed: list[Any] = []
        value = False
        at = node
        while isinstance(at, Element):
            known = self._known.get(at)
            if known is not None:
                value = known
                break
            passed.append(at)
            if at in self._uncertain:
                value = True
                break
            at = at.parent
        self._known.update(dict.fromkeys(passed, value))
        return value

    def may_clip(self, styles: Iterable[str]) -> bool:
        """Return whether ``is_clipped`` may hold for anything in a document with these style attributes."""
        return bool(self._clip_suspects) or any(
            "x" in entry[3] for style in styles if (code := self._inline(style)) for entry in _inline_entries(code)
        )

    def is_clipped(self, node: Element) -> bool:
        """Return whether the element is clipped to nothing or moved off the screen, and so invisible."""
        return self._is_box(node, "x", self._clipping if node in self._clip_suspects else None)

    def is_folded(self, node: Element) -> bool:
        """Return whether the element has no height, no scale or a place far off, as a closed menu has."""
        # Visitors open what is closed, and nothing else whose content is not drawn.
        if node in self.shut and node.tag != "details" and "hidden" not in node.attrs:
            return True
        return self._is_box(node, "f", self._folding)

    def _is_box(self, node: Element, kind: str, index: RuleIndex | None) -> bool:
        """Return whether the box of an element is such that nothing of it is seen, on both screens."""
        entries = [] if index is None else self._entries(index, node)
        style = attribute_of(node, "style")
        if style and (code := self._inline(style)):
            entries += [entry for entry in _inline_entries(code) if kind in entry[3]]
        if not entries:
            return False
        entries += self._entries(self._showing, node)
        entries.sort(key=_precedence, reverse=True)
        return all(self._outcome(node, entries, kind, screen, "+") == "-" for screen, _, _ in _SCREENS)

    def may_show(self, node: Element) -> bool:
        """Return whether a rule that does not apply shows an element once a class or a state is added."""
        for rule in self._showing.candidates(node):
            if self._matches(rule, node) is not True and rule.text != "*":
                return True
        return False


_Entry = tuple[Order, int, int, dict[str, str]]
"""(precedence, screens it certainly applies to, screens it may apply to, {kind: value})."""


def _precedence(entry: _Entry) -> Order:
    return entry[0]


def _kind_of(word: str) -> str:
    return word.partition("=")[0] if word.startswith("--") else word[0]


def _rest_of(word: str) -> str:
    word = word.removesuffix("!")
    return word.partition("=")[2] if word.startswith("--") else word[1:]


def _inline_entries(code: str) -> list[_Entry]:
    """The declarations of a style attribute, which stand above those of all sheets."""
    normal: dict[str, str] = {}
    important: dict[str, str] = {}
    for word in code.split(" ") if code else ():
        target = important if word.endswith("!") else normal
        target[_kind_of(word)] = _rest_of(word)
    found: list[_Entry] = []
    if normal:
        found.append(((2,), BOTH_SCREENS, BOTH_SCREENS, normal))
    if important:
        found.append(((4,), BOTH_SCREENS, BOTH_SCREENS, important))
    return found


def _is_invisible(flags: int) -> bool:
    return bool(flags & (OFF_NARROW | VEILED_NARROW)) and bool(flags & (OFF_WIDE | VEILED_WIDE))
