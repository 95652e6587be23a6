"""Facts about roles, names and structure, as far as assistive technology needs them; see ``model.document``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import msgspec

from pagegrade.model.document import Anchor, ElementFact, Image, NamedElement, Node


class RoleFact(ElementFact, frozen=True, gc=False, kw_only=True):
    """An element with a ``role`` or an attribute of ARIA."""

    tokens: tuple[str, ...]
    """The words of ``role``, lower case."""
    written: str
    """The role taken from them; "" when none is valid."""
    role: str
    """The role that counts: the written one, or that of the element itself; "" when it has none."""
    native: str
    """The role of the element itself; "" when it has none."""
    html: bool
    """An element of HTML (not of SVG or MathML)."""
    focusable: bool
    around: str = ""
    """Role of the nearest meaningful element around it (or that owns it), for roles that need one."""
    inside: tuple[tuple[str, Node], ...] = ()
    """Roles and elements directly inside it, for roles that allow only some."""
    empty: bool = False
    """Nothing at all is inside it."""
    name: str = ""
    """Accessible name, for roles that need one, and where an attribute names an element whose text is a label."""
    in_control: bool = False
    """It has no name of its own, and stands in a control whose name is made of its content."""
    wraps_field: bool = False
    """A combobox around an ``<input>``."""
    table: str = ""
    """Role of the table around a row with attributes that only rows of a treegrid have."""


class Nested(ElementFact, frozen=True, gc=False, kw_only=True):
    """A control whose content is presentation, and in which another control takes the focus."""

    inner: Node


class ListFact(ElementFact, frozen=True, gc=False, kw_only=True):
    """A ``ul``, ``ol`` or ``dl`` that is a list to assistive technology."""

    strays: tuple[tuple[Node, str], ...]
    """Invalid children and the reasons; invalid text is reported at the list itself."""


class Cell(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A cell of a table."""

    node: Node
    tag: str
    """``td`` or ``th``."""
    id: str
    scope: str | None
    """In lower case; ``None`` when absent."""
    headers: tuple[str, ...]
    is_header: bool
    """``th``, or a role of a header."""
    hidden: bool
    """By its own attributes; it still takes its place."""
    row: int
    column: int
    rows: int
    columns: int
    """Column and width of the cell, from 0."""


class TableFact(ElementFact, frozen=True, gc=False, kw_only=True):
    """A table that is not marked as layout."""

    cells: tuple[Cell, ...]
    row_count: int
    column_count: int
    caption: str | None
    """Text of its ``<caption>``; ``None`` without one."""
    head: bool
    """It has a ``<thead>`` or a ``<tfoot>``."""
    nested: bool
    """It holds another table."""


class Player(ElementFact, frozen=True, gc=False, kw_only=True):
    """A ``<video>`` or ``<audio>`` element, also a hidden one: it can be heard."""

    sources: tuple[str, ...]
    """``src`` of the element and of its ``<source>`` elements, as written."""
    tracks: tuple[str, ...]
    """Kinds of its ``<track>`` elements, lower case."""
    has_source: bool
    name: str


class PartLanguage(ElementFact, frozen=True, gc=False, kw_only=True):
    """An element inside the body with a ``lang`` whose language is not registered."""

    value: str
    has_text: bool
    """Something to read has this language."""


class TabIndex(ElementFact, frozen=True, gc=False, kw_only=True):
    """An element with a ``tabindex`` that is a number."""

    value: int


@dataclass(kw_only=True, eq=False)
class Accessibility:
    """Everything the checks may know about roles, names and structure."""

    roles: Sequence[RoleFact] = ()
    nested: Sequence[Nested] = ()
    aria_hidden: frozenset[str] = frozenset()
    """Values of ``aria-hidden`` in the page, in small letters."""
    focusables: int = 0
    """Number of elements that take the focus, hidden ones included."""
    hidden_focusables: Sequence[ElementFact] = ()
    """Elements the keyboard reaches although they are hidden from assistive technology."""
    has_lists: bool = False
    """There are lists or items, sound or not."""
    lists: Sequence[ListFact] = ()
    """Lists with something that does not belong in them."""
    stray_items: Sequence[tuple[ElementFact, str]] = ()
    """List items and terms that stand outside of a list, and why."""
    tables: Sequence[TableFact] = ()
    mains: Sequence[ElementFact] = ()
    """Main landmarks, by element or by role, that are not hidden."""
    hidden_mains: Sequence[ElementFact] = ()
    """And those that are."""
    players: Sequence[Player] = ()
    objects: Sequence[NamedElement] = ()
    languages: Sequence[PartLanguage] = ()
    declared_languages: frozenset[str] = frozenset()
    """Primary subtags that parts of the page declare, in small letters."""
    directions: frozenset[str] = frozenset()
    """Values of ``dir`` in the page, in small letters."""
    click_targets: Sequence[ElementFact] = ()
    """Plain elements with ``onclick`` that take no focus and hold nothing that does."""
    tabindexes: Sequence[TabIndex] = ()
    accesskeys: Sequence[tuple[ElementFact, str]] = ()
    """Elements and their keys, lower case."""
    doubled: Mapping[str, Sequence[ElementFact]] = field(default_factory=dict)
    """Ids used more than once, with every element after the first."""
    linked_images: Sequence[tuple[Anchor, Image]] = ()
    """Images inside links."""
    images_in_buttons: AbstractSet[Node] = frozenset()
    """Images without an alternative inside a button: its name is all that is read of it."""
    named_by_nameless_images: AbstractSet[Node] = frozenset()
    """Links, summaries and headings around an image that would give them a name if it had one itself."""
    nameless_on: Mapping[Node, str] = field(default_factory=dict)
    """Links and buttons with a name on one screen only -> the screen (``narrow``, ``wide``) where they have none."""
    drawings_of_nameless_controls: AbstractSet[Node] = frozenset()
    """SVGs without a name in a link, button or summary that has none either."""
    repeated_images: Sequence[Image] = ()
    """Images whose alternative is the whole text of the link, button, paragraph, list item or cell around them."""

    @property
    def uses_aria(self) -> bool:
        """True if an element that is not hidden has an attribute of ARIA besides its role, known or not."""
        return bool(self.aria_hidden) or any(
            name.startswith("aria-") for one in self.roles if not one.hidden for name in one.attrs
        )
