"""Facts about elements that only a few technical and security checks ask for; see ``model.document``."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pagegrade.model.document import ElementFact

Attributes = Mapping[str, str]


class SyntaxFault(msgspec.Struct, frozen=True, gc=False):
    """Markup that the parser had to repair."""

    code: str
    """Its name in the HTML standard, or of ``parse.html.nesting``."""
    line: int
    column: int


class Markup(msgspec.Struct, eq=False):
    """Data that the walk collects for the markup checks."""

    pictures: int = 0
    """Number of ``<picture>`` elements."""
    bare_pictures: list[ElementFact] = msgspec.field(default_factory=list)
    """``<picture>`` elements without an ``<img>``."""
    ignored_sources: list[ElementFact] = msgspec.field(default_factory=list)
    """``<source>`` elements of a ``<picture>`` behind its ``<img>``, or without a ``srcset``."""
    empty_sources: list[ElementFact] = msgspec.field(default_factory=list)
    """``<embed>``, ``<source>``, players and graphical buttons with an empty ``src``; a candidate of a
    picture with an empty ``srcset``."""
    submittable_buttons: int = 0
    """Number of ``<button>`` elements of a form, and of those with a ``type`` anywhere."""
    untyped_buttons: list[ElementFact] = msgspec.field(default_factory=list)
    """``<button>`` elements of a form without a ``type`` that browsers know."""
    passwords: list[tuple[ElementFact, Attributes | None]] = msgspec.field(default_factory=list)
    """Fields for passwords, and the attributes of the form around them; ``None`` outside of one."""
    faults: tuple[SyntaxFault, ...] = ()
    """The first ones, in order."""
    fault_counts: Mapping[str, int] = msgspec.field(default_factory=dict)
    """All of them, by code."""
