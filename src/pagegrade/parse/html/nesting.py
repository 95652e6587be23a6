"""Faults in the nesting of elements, which the HTML standard calls parse errors without giving them names.

The tags of the page pass a stack of what is open, as in the tree construction of the standard, without building
anything: what stands where it may not is noted, and the stack is put right as browsers do it.

Source: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inbody
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Final

import turbohtml
from turbohtml import Token, TokenType

from pagegrade.model.document import SyntaxFault

MAX_TOKENS: Final = 400_000
MAX_OPEN: Final = 512
"""Depth beyond which nothing more is said: browsers put deeper elements beside each other."""
MAX_STEPS: Final = 2_000_000
"""Open elements looked at in one page; beyond, nothing more is said."""
MAX_NOTED: Final = 1_000

STRAY_END: Final = "stray-end-tag"
UNCLOSED: Final = "unclosed-element"
MISNESTED: Final = "misnested-end-tag"
IN_TABLE: Final = "misplaced-in-table"
REPEATED: Final = "repeated-document-tag"
NESTED: Final = "element-in-its-own-kind"
BEHIND: Final = "content-behind-body"

_VOID: Final = frozenset(
    "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr".split()
)
_FORMATTING: Final = frozenset("a b big code em font i nobr s small strike strong tt u".split())
_HEADINGS: Final = frozenset("h1 h2 h3 h4 h5 h6".split())
_OPTIONAL: Final = frozenset(
    "caption colgroup dd dt li optgroup option p rb rp rt rtc tbody td tfoot th thead tr".split()
)
"""Elements that need no end tag."""
_CLOSE_P: Final = _HEADINGS | frozenset(
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form header "
    "hgroup hr li dd dt listing main menu nav ol p plaintext pre search section summary table ul xmp".split()
)
_SCOPE: Final = frozenset("applet caption marquee object table td template th".split())
"""Elements beyond which nothing inside them is looked for."""
_TABLE_PARTS: Final = frozenset("caption col colgroup tbody td tfoot th thead tr".split())
_SPECIAL: Final = _CLOSE_P | _SCOPE | _TABLE_PARTS | {"button", "select", "iframe", "noscript", "frameset", "body"}
_LISTS: Final = _SPECIAL - {"address", "div", "p"}
"""Elements that keep a list item from ending the one around them."""
_ENDS: Final = {
    "li": (frozenset({"li"}), _LISTS - {"li"}),
    **dict.fromkeys(("dd", "dt"), (frozenset({"dd", "dt"}), _LISTS - {"dd", "dt"})),
    "option": (frozenset({"option"}), _SPECIAL | {"optgroup"}),
    "optgroup": (frozenset({"option", "optgroup"}), _SPECIAL),
    **dict.fromkeys(("rb", "rp", "rt", "rtc"), (frozenset({"rb", "rp", "rt"}), _SPECIAL | {"ruby", "rtc"})),
}
"""Parts, what each of them ends, and what keeps it from that."""
_HOLDS_NO_CONTENT: Final = frozenset({"table", "tbody", "thead", "tfoot", "tr"})
_MAY_BE_IN_TABLE: Final = frozenset({"script", "style", "template", "input"})
_ROWS: Final = frozenset({"table", "tbody", "thead", "tfoot"})
_INSIDE: Final = {
    **dict.fromkeys(("td", "th"), frozenset({"tr"}) | _ROWS),
    "tr": _ROWS,
    "col": frozenset({"colgroup", "table"}),
    **dict.fromkeys(("tbody", "thead", "tfoot", "caption", "colgroup"), frozenset({"table"})),
}
"""Place of a part of a table, once all that is open in there has ended."""
_PARAGRAPH: Final = frozenset({"p"})
_KEEPS_PARAGRAPH: Final = _SCOPE | {"button"}
_KEEPS: Final = {
    **{tag: _SCOPE - {tag} for tag in _SPECIAL},
    "p": _KEEPS_PARAGRAPH,
    "li": _SCOPE | {"ol", "ul"},
}
"""Element that an end tag ends -> those around which nothing is looked for; for all others it is ``_SPECIAL``."""
_OTHER_TEXT: Final = frozenset({"svg", "math", "noscript", "select"})
"""Elements with rules of their own for what is in them, or with text in place of tags."""
_IN_DOCUMENT: Final = frozenset({"html", "head", "body"})
_RULED: Final = (
    _CLOSE_P | _ENDS.keys() | _TABLE_PARTS | _IN_DOCUMENT | _HEADINGS | {"a", "button", "form", "nobr", "template"}
)
"""Elements that end others, or may not stand everywhere."""
_BLOCKS: Final = _CLOSE_P - _ENDS.keys() - _TABLE_PARTS - _HEADINGS - {"form"}
"""Elements that end an open paragraph, and nothing else."""
_ALONE: Final = frozenset({"a", "button", "nobr"})
"""Elements that end another one of their kind, and nothing else."""
_NOTHING: Final[frozenset[str]] = frozenset()


class _Stack:
    """The open elements, and what was found so far."""

    __slots__ = ("counts", "faults", "form", "lost", "places", "seen", "steps", "tags", "within")

    def __init__(self) -> None:
        self.tags: list[str] = []
        self.places: list[Token] = []
        """Their start tags: only of those that are noted is the place looked up."""
        self.counts: Counter[str] = Counter()
        self.faults: list[SyntaxFault] = []
        self.lost: Counter[str] = Counter()
        """Formatting that goes on in the next element, so that its end tag is still to come."""
        self.seen: set[str] = set()
        self.form = False
        self.within: list[str] = []
        """The innermost element with rules of its own, once for each time it is open."""
        self.steps = 0

    def note(self, code: str, place: Token) -> None:
        self.counts[code] += 1
        if len(self.faults) < MAX_NOTED:
            self.faults.append(SyntaxFault(code, place.line, place.col))

    def find(self, names: frozenset[str], stop: frozenset[str]) -> int:
        """Index of the innermost open element of these names; -1 where there is none before one that stops it."""
        for at in range(len(self.tags) - 1, -1, -1):
            tag = self.tags[at]
            if tag in names or tag in stop:
                self.steps += len(self.tags) - at
                return at if tag in names else -1
        self.steps += len(self.tags)
        return -1

    def close_to(self, at: int) -> None:
        """The element with this index, -1 for the body, ends; what is open in it and needs an end tag is noted."""
        for tag, place in zip(self.tags[at + 1 :], self.places[at + 1 :], strict=True):
            if tag not in _OPTIONAL:
                self.note(UNCLOSED, place)
            if tag in _FORMATTING:
                self.lost[tag] += 1
        self._drop(max(at, 0))

    def start(self, tag: str, place: Token) -> None:
        if tag in _IN_DOCUMENT:
            if tag in self.seen:
                self.note(REPEATED, place)
            self.seen.add(tag)
            return
        if "/body" in self.seen:
            self.seen.discard("/body")
            self.note(BEHIND, place)
        if tag in _CLOSE_P and "p" in self.tags:
            self._end_if_open(_PARAGRAPH, _KEEPS_PARAGRAPH)
        if tag in _ENDS:
            self._end_if_open(*_ENDS[tag])
        elif tag in _TABLE_PARTS:
            if not self._enter_table(tag, place):
                return
        elif self.tags and self.tags[-1] in _HOLDS_NO_CONTENT and tag not in _MAY_BE_IN_TABLE:
            self.note(IN_TABLE, place)
            if tag == "form":
                self.form = True
                return
        if self._is_in_its_own_kind(tag, place) or tag in _VOID:
            return
        self.tags.append(tag)
        self.places.append(place)

    def _end_if_open(self, names: frozenset[str], stop: frozenset[str]) -> None:
        at = self.find(names, stop)
        if at >= 0:
            self.close_to(at)

    def _enter_table(self, tag: str, place: Token) -> bool:
        """Close what is open in the table down to where this part belongs; ``False`` outside of a table."""
        if self.find(frozenset({"table"}), frozenset({"template"})) < 0:
            if "template" not in self.tags:
                self.note(IN_TABLE, place)
                return False
            return True
        at = self.find(_INSIDE[tag], _NOTHING)
        if at + 1 < len(self.tags):
            self.close_to(at + 1) if self.tags[at + 1] in _OPTIONAL else self._drop(at + 1)
        if tag in {"td", "th"} and self.tags[at] != "tr":
            self.note(IN_TABLE, place)
            self.tags.append("tr")
            self.places.append(place)
        return True

    def _drop(self, at: int) -> None:
        """The element with this index ends with all that is in it."""
        del self.tags[at:], self.places[at:]

    def _is_in_its_own_kind(self, tag: str, place: Token) -> bool:
        """Note an element that may not be in another of its kind; ``True`` for a form, which browsers leave out."""
        if tag == "form":
            if self.form and "template" not in self.tags:
                self.note(NESTED, place)
                return True
            self.form = True
        elif tag in _HEADINGS:
            if self.tags and self.tags[-1] in _HEADINGS:
                self.note(NESTED, place)
                self.close_to(len(self.tags) - 1)
        elif tag in {"a", "button", "nobr"} and tag in self.tags:
            at = self.find(frozenset({tag}), _SCOPE)
            if at >= 0:
                self.note(NESTED, place)
                self._leave(at)
        return False

    def end(self, tag: str, place: Token) -> None:
        if tag in _IN_DOCUMENT:
            if tag == "body":
                self.seen.add("/body")
            return
        if tag in _FORMATTING:
            at = self.find(frozenset({tag}), _SCOPE)
            if at >= 0:
                if at + 1 < len(self.tags):
                    self.note(MISNESTED, place)
                self._leave(at)
            elif self.lost[tag] > 0:
                self.lost[tag] -= 1
            else:
                self.note(STRAY_END, place)
            return
        at = self._opened(tag)
        if tag == "form" and self.form:
            self.form = False
            if at < 0:
                return  # It was opened in a table, or what was around it has ended.
        if at < 0:
            self.note(STRAY_END, place)
        elif tag in _HEADINGS and self.tags[at] != tag:
            self.note(MISNESTED, place)
            self.close_to(at)
        else:
            self.close_to(at)

    def _opened(self, tag: str) -> int:
        """Index of the element that an end tag ends; -1 where it ends none."""
        if tag in _HEADINGS:
            return self.find(_HEADINGS, _SCOPE)
        if tag not in self.tags:
            return -1
        if tag in _TABLE_PARTS or tag in _SCOPE:
            return self.find(frozenset({tag}), frozenset({"table", "template"}) - {tag})
        return self.find(frozenset({tag}), _KEEPS.get(tag, _SPECIAL))

    def _leave(self, at: int) -> None:
        """Formatting ends before what is open in it: blocks stay open without it, other formatting goes on."""
        tags = self.tags
        if any(tag in _SPECIAL for tag in tags[at + 1 :]):
            del tags[at], self.places[at]
            return
        self.lost.update(tag for tag in tags[at + 1 :] if tag in _FORMATTING)
        for tag, place in zip(tags[at + 1 :], self.places[at + 1 :], strict=True):
            if tag not in _FORMATTING and tag not in _OPTIONAL:
                self.note(UNCLOSED, place)
        del tags[at:], self.places[at:]


def find_nesting_faults(text: str) -> tuple[list[SyntaxFault], Counter[str]]:  # noqa: C901, PLR0912 - one loop, flat for speed
    """Return what is nested wrongly in a page: the first ``MAX_NOTED`` places in no certain order, and all by code.

    Linear. Drawings, formulas, lists of choices and ``<noscript>`` are not looked into, nor are templates as a place of
    parts of tables; of a page that is larger or deeper than the limits, only what comes before is judged.

    Args:
        text: The whole page.
    """
    stack = _Stack()
    tags, places, seen = stack.tags, stack.places, stack.seen
    START, END, TEXT = TokenType.START_TAG, TokenType.END_TAG, TokenType.TEXT  # noqa: N806 - read for every token
    within = ""
    depth = 0
    for token in islice(turbohtml.tokenize(text, capture_attributes=False), MAX_TOKENS):
        kind = token.type
        if within:
            if kind is not TEXT and token.tag == within and not token.self_closing:
                depth += 1 if kind is START else -1
                within = within if depth else ""
        elif kind is TEXT:
            if tags and tags[-1] in _HOLDS_NO_CONTENT and (token.data or "").strip():
                stack.note(IN_TABLE, token)
        elif kind is START and (tag := token.tag) is not None:
            if tag in _OTHER_TEXT:
                within, depth = ("", 0) if token.self_closing and tag in {"svg", "math"} else (tag, 1)
                if tags and tags[-1] in _HOLDS_NO_CONTENT and tag != "noscript":
                    stack.note(IN_TABLE, token)
            elif (tags and tags[-1] in _HOLDS_NO_CONTENT) or "/body" in seen:
                stack.start(tag, token)
            elif tag not in _RULED or (tag in _BLOCKS and "p" not in tags) or (tag in _ALONE and tag not in tags):
                # Most tags end nothing, and may stand where they do.
                if tag in _VOID:
                    continue
                tags.append(tag)
                places.append(token)
            else:
                stack.start(tag, token)
            if len(tags) > MAX_OPEN or stack.steps > MAX_STEPS:
                return stack.faults, stack.counts
        elif kind is END and (tag := token.tag) is not None:
            if tags and tags[-1] == tag and tag != "form":
                tags.pop()
                places.pop()
            else:
                stack.end(tag, token)
                if stack.steps > MAX_STEPS:
                    return stack.faults, stack.counts
    stack.close_to(-1)
    return stack.faults, stack.counts
