"""Rules filed by what an element must have to match, and what the elements of the document have.

Most rules of a library are for classes that no element of the page has. The parser lists the classes and ids of a
document at once, in a small part of the time that asking each element takes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple, cast

import turbohtml
from turbohtml import Element

from pagegrade.parse.cascade.states import attribute_of

_HIDING: Final = re.compile(r"(?:^| )[dvc][-?=]")
_CLIPPING: Final = re.compile(r"(?:^| )x-")
_FOLDING: Final = re.compile(r"(?:^| )f-")
_MAX_QUESTIONS: Final = 20
"""Names that the parser is asked for one by one, each of which may take a pass over the document."""
_PLAIN_NAME: Final = re.compile(r"[a-z][a-z0-9-]*")
"""Names of attributes that need no escape in a selector."""


class Rule(NamedTuple):
    """One kept rule of a sheet; its selector is read when an element may match it."""

    number: int
    certain: int
    possible: int
    layer: str
    code: str
    specificity: str
    text: str


NO_RULES: Final[list[Rule]] = []


class Does:
    """Effect of the declarations of a rule."""

    __slots__ = ("clips", "declares", "folds", "hides")

    def __init__(self, code: str) -> None:
        self.hides = _HIDING.search(code) is not None
        self.clips = _CLIPPING.search(code) is not None
        self.folds = _FOLDING.search(code) is not None
        self.declares = tuple(word.partition("=")[0] for word in code.split(" ") if word.startswith("--"))


class RuleIndex:
    """Rules by what an element must have for any chance to match."""

    def __init__(self) -> None:
        self.classes: dict[str, list[Rule]] = {}
        self.ids: dict[str, list[Rule]] = {}
        self.tags: dict[str, list[Rule]] = {}
        self.attributes: dict[str, list[Rule]] = {}
        self.any: list[Rule] = []
        self._tables = {".": self.classes, "#": self.ids, "[": self.attributes}

    def add(self, rule: Rule, keys: str) -> None:
        """File a rule under its keys."""
        for key in keys.split(" "):
            first = key[:1]
            if first in {"*", ""}:
                self.any.append(rule)
                continue
            table = self._tables.get(first)
            if table is None:
                self.tags.setdefault(key, []).append(rule)
            else:
                table.setdefault(key[1:], []).append(rule)

    def candidates(self, node: Element) -> Iterator[Rule]:
        """The rules that may match an element; one may come twice."""
        yield from self.any
        yield from self.tags.get(node.tag, NO_RULES)
        raw = node.attrs
        if not raw:
            return
        if self.classes and "class" in raw:
            names = raw["class"] or ()
            for name in names.split() if type(names) is str else names:
                yield from self.classes.get(name, NO_RULES)
        if self.ids and "id" in raw:
            yield from self.ids.get(attribute_of(node, "id") or "", NO_RULES)
        if self.attributes:
            for name in raw:
                yield from self.attributes.get(name, NO_RULES)


class DocumentNames:
    """The classes and ids in a document, and who bears them.

    Args:
        tree: The parsed document; ``None`` for an empty one.
        quirks: Classes and ids match in any case.
    """

    def __init__(self, tree: turbohtml.Document | None, *, quirks: bool) -> None:
        self._tree = tree
        self._quirks = quirks

    @cached_property
    def _class_values(self) -> list[str]:
        """Every class attribute, in document order."""
        return self._values("class")

    @cached_property
    def _id_values(self) -> list[str]:
        return self._values("id")

    def _values(self, name: str) -> list[str]:
        return [] if self._tree is None else cast("list[str]", self._tree.xpath(f"//@{name}"))

    @cached_property
    def classes(self) -> Collection[str]:
        """Classes that some element has; in quirks mode in lower case, too."""
        return self._folded(set(_tokens(" ".join(self._class_values))))

    @cached_property
    def ids(self) -> Collection[str]:
        """The same for ids."""
        return self._folded(set(self._id_values))

    def _folded(self, found: set[str]) -> set[str]:
        return found | {name.lower() for name in found} if self._quirks else found

    def may_have(self, key: str) -> bool:
        """Return whether some element may have what a rule asks for by its only key."""
        if key[:1] == ".":
            return key[1:] in self.classes
        return key[:1] != "#" or key[1:] in self.ids

    def bearers(self, index: RuleIndex) -> Collection[Element]:
        """The elements that a rule of an index may select, and possibly some more."""
        tree = self._tree
        if tree is None:
            return frozenset()
        if index.any:
            return frozenset(tree.iter_elements())
        found: set[Element] = set()
        if index.classes:
            wanted, fold = index.classes.keys(), self._quirks
            for node, value in self._pairs("class", self._class_values):
                names = _tokens(value)
                if not wanted.isdisjoint(names) or (fold and not wanted.isdisjoint(map(str.lower, names))):
                    found.add(node)
        if index.ids:
            ids = index.ids
            found.update(
                node
                for node, value in self._pairs("id", self._id_values)
                if value in ids or (self._quirks and value.lower() in ids)
            )
        found.update(self._of_tags(index.tags))
        found.update(self._with_attributes(index.attributes))
        return found

    def _of_tags(self, tags: Collection[str]) -> Iterator[Element]:
        """The elements of some names: one question for each, or one walk where there are many."""
        if self._tree is None:
            return
        if len(tags) > _MAX_QUESTIONS:
            yield from (node for node in self._tree.iter_elements() if node.tag in tags)
        else:
            for tag in tags:
                yield from self._tree.iter_elements(tag)

    def _with_attributes(self, names: Mapping[str, object]) -> Iterator[Element]:
        """The same for elements with one of some attributes."""
        if self._tree is None:
            return
        if len(names) > _MAX_QUESTIONS or not all(map(_PLAIN_NAME.fullmatch, names)):
            yield from (node for node in self._tree.iter_elements() if not names.keys().isdisjoint(node.attrs))
        else:
            for name in names:
                yield from self._tree.select(f"[{name}]")

    def _pairs(self, name: str, values: list[str]) -> Iterable[tuple[Any, str]]:
        """Each element with an attribute, and its value."""
        return zip(self._tree.select(f"[{name}]") if self._tree is not None else (), values, strict=True)


def _tokens(text: str) -> list[str]:
    """Split at the white space of HTML, which is less than that of Unicode."""
    for space in "\t\n\f\r":
        text = text.replace(space, " ")
    return text.split(" ")


NO_NAMES: Final = DocumentNames(None, quirks=False)
"""Of a document without elements."""
