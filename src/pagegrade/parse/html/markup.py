"""Collects the facts of ``model.document.Markup`` during the walk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Final, Protocol

from turbohtml import Element

from pagegrade.model.document import Attributes, ElementFact, Markup, SyntaxFault
from pagegrade.parse.aria.subtree_flags import HIDDEN
from pagegrade.parse.html.nesting import find_nesting_faults

MAX_KEPT: Final = 2_000
"""Elements kept of one kind."""
MAX_FAULTS: Final = 1_000
_BUTTON_TYPES: Final = frozenset({"button", "reset", "submit"})


class Fault(Protocol):
    """An error as the parser reports it."""

    @property
    def code(self) -> str:
        """Its name in the HTML standard."""
        ...

    @property
    def line(self) -> int:
        """From 1."""
        ...

    @property
    def col(self) -> int:
        """From 0."""
        ...


class MarkupCollector:
    """Facts found so far, and the open forms."""

    __slots__ = ("forms", "found")

    def __init__(self) -> None:
        self.found = Markup()
        self.forms: list[Attributes] = []

    def close_form(self) -> None:
        """The innermost form ends."""
        self.forms.pop()

    def picture(self, node: Element, attrs: dict[str, str], flags: int, *, has_image: bool) -> None:
        """A picture that ended, kept where it held no image."""
        self.found.pictures += 1
        if not has_image:
            _keep(self.found.bare_pictures, node, attrs, flags)

    def ignored_source(self, node: Element, attrs: dict[str, str], flags: int) -> None:
        """A source of a picture that browsers do not look at."""
        _keep(self.found.ignored_sources, node, attrs, flags)

    def empty_source(self, node: Element, attrs: dict[str, str], flags: int, attribute: str = "src") -> None:
        """An element that names a file; kept where the name is empty."""
        if attribute in attrs and names_no_file(attrs[attribute]):
            _keep(self.found.empty_sources, node, attrs, flags)

    def button(self, node: Element, attrs: dict[str, str], flags: int) -> None:
        """A button, kept where its type is unknown, or where it belongs to a form and has none."""
        kind = attrs.get("type")
        if isinstance(node.parent, Element) and node.parent.tag == "select":
            return  # Opens the list of a select and submits nothing, whatever its type.
        if kind is None and not self.forms and "form" not in attrs:
            return
        self.found.submittable_buttons += 1
        if kind is None or kind.lower() not in _BUTTON_TYPES:
            _keep(self.found.untyped_buttons, node, attrs, flags)

    def password(self, node: Element, attrs: dict[str, str], flags: int) -> None:
        """A field for a password, with the form it stands in."""
        if len(self.found.passwords) < MAX_KEPT:
            fact = ElementFact(node=node, attrs=attrs, hidden=bool(flags & HIDDEN))
            self.found.passwords.append((fact, self.forms[-1] if self.forms else None))


def names_no_file(url: str) -> bool:
    """Return whether a URL in the place of a file is empty or only a fragment, which leads to the page itself."""
    bare = url.strip()
    return not bare or bare[0] == "#"


def _keep(facts: list[ElementFact], node: Element, attrs: dict[str, str], flags: int) -> None:
    if len(facts) < MAX_KEPT:
        facts.append(ElementFact(node=node, attrs=attrs, hidden=bool(flags & HIDDEN)))


def count_faults(errors: Sequence[Fault]) -> Mapping[str, int]:
    """Code -> number of what the parser had to repair."""
    return Counter(map(attrgetter("code"), errors)) if errors else {}


def note_faults(found: Markup, errors: Sequence[Fault], counts: Mapping[str, int], text: str) -> Markup:
    """Add what the parser had to repair, with the nesting: counts of all, places of the first ``MAX_FAULTS``."""
    faults = [SyntaxFault(error.code, error.line, error.col) for error in errors[:MAX_FAULTS]]
    nested, counted = find_nesting_faults(text)
    if nested or faults:
        found.fault_counts = {**counts, **counted}
        found.faults = tuple(sorted(faults + nested, key=attrgetter("line", "column"))[:MAX_FAULTS])
    return found
