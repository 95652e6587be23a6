"""Facts about one HTML document, read in a single walk of its tree.

These values live inside one evaluation process only and are never stored. A page has thousands of them;
``gc=False`` spares the garbage collector each, and is safe: no cycles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, Protocol

import msgspec

from pagegrade.model.outcome import Evidence


class Node(Protocol):
    """The parser's element, as far as other packages than ``parse`` may know it."""

    @property
    def tag(self) -> str:
        """Local name, lower case in HTML."""
        ...

    @property
    def source_line(self) -> int | None:
        """Line of the start tag, from 1; ``None`` for an element the parser made up."""
        ...

    @property
    def source_col(self) -> int | None:
        """Column of the start tag, from 0."""
        ...


class ElementFact(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Base of every recorded element."""

    node: Node
    attrs: Mapping[str, str]
    """Attribute -> value as parsed; ``class`` joined by spaces; names lower case; empty string when valueless."""
    hidden: bool = False
    """Not rendered on any screen, closed, ``inert`` or ``aria-hidden=true``, itself or by what is around it. Kept apart
    from the outline on purpose: hidden things are never "missing"."""


class Title(ElementFact, frozen=True, gc=False, kw_only=True):
    """An HTML ``<title>`` (never the title of an SVG)."""

    text: str
    """White space collapsed."""
    in_head: bool


class Meta(ElementFact, frozen=True, gc=False, kw_only=True):
    """A ``<meta>``; the three names are lower-cased and stripped, "" when absent."""

    name: str
    property: str
    http_equiv: str
    content: str
    """As written; "" when absent."""
    charset: str | None
    in_head: bool


class Link(ElementFact, frozen=True, gc=False, kw_only=True):
    """A ``<link>``."""

    rel: tuple[str, ...]
    """Lower-case tokens."""
    href: str | None
    """As written, stripped of white space; ``None`` when absent."""
    url: str | None
    """Resolved against the base; ``None`` when absent, empty or unparsable."""
    in_head: bool


class Anchor(ElementFact, frozen=True, gc=False, kw_only=True):
    """An ``<a>`` or ``<area>`` (``attrs`` says whether it has an href)."""

    href: str | None
    url: str | None
    """Resolved; ``None`` when absent or unparsable. Any scheme."""
    rel: tuple[str, ...]
    text: str
    """Visible text, white space collapsed; images do not count."""
    name: str
    """Accessible name."""


class Image(ElementFact, frozen=True, gc=False, kw_only=True):
    """An ``<img>``."""

    alt: str | None
    """``None`` when the attribute is absent."""
    url: str | None
    """``src`` resolved; ``None`` when absent, empty or unparsable."""
    candidates: tuple[str, ...]
    """Absolute URLs of ``src``, ``srcset`` and the ``<source>`` elements of its ``<picture>``, de-duplicated."""
    picture_types: tuple[str, ...]
    """``type`` values of the ``<source>`` siblings in its ``<picture>``, lower case."""
    name: str
    """Accessible name (aria-labelledby, aria-label, alt, title)."""
    decorative: bool
    """``alt=""`` (or white space without a name), ``role=none|presentation`` or hidden from the accessibility tree."""
    lazy: bool
    picture_sized: bool = False
    """It is in a ``<picture>`` whose ``<source>`` elements all have numeric ``width`` and ``height``."""


class NamedElement(ElementFact, frozen=True, gc=False, kw_only=True):
    """An element whose accessible name matters: button, ``role=link|button|img``, summary, svg with a role, ..."""

    role: str
    """``button``, ``link``, ``img``, ``summary``."""
    name: str
    name_from: str
    """``aria-labelledby``, ``aria-label``, ``label``, ``alt``, ``value``, ``content``, ``title``, ``placeholder`` or
    "" when there is no name."""
    text: str = ""
    """Visible text, white space collapsed."""


class Control(NamedElement, frozen=True, gc=False, kw_only=True):
    """A form control that needs a label: input (not hidden, submit, reset, button, image), select, textarea."""

    type: str
    """``input`` type in lower case (``text`` by default), ``select`` or ``textarea``."""
    labels: tuple[Node, ...] = ()
    """Its ``<label>`` elements that are not hidden, in document order."""
    label_hidden: bool = False
    """It has labels, and all are hidden from all users or from assistive technology."""


class Heading(ElementFact, frozen=True, gc=False, kw_only=True):
    """``h1``-``h6`` or ``role=heading``."""

    level: int
    text: str
    """Name from content: visible text and the alternatives of images inside, collapsed."""


class Paragraph(ElementFact, frozen=True, gc=False, kw_only=True):
    """A ``<p>`` of the main content that holds text."""

    text: str
    """Visible text, white space collapsed."""


class Script(ElementFact, frozen=True, gc=False, kw_only=True):
    """A ``<script>``, whatever its type."""

    url: str | None
    """Resolved ``src``; ``None`` for an inline script or an unparsable src."""
    kind: Literal["classic", "module", "importmap", "speculationrules", "data"]
    in_head: bool
    blocking: bool
    """External classic script without async or defer: the parser waits for it."""
    trailing: bool
    """No visible content follows it in the body."""
    text: str
    """Inline source; "" for an external one."""


class Frame(ElementFact, frozen=True, gc=False, kw_only=True):
    """An ``<iframe>`` or ``<frame>``."""

    url: str | None
    name: str


class Form(ElementFact, frozen=True, gc=False, kw_only=True):
    """A ``<form>``."""

    url: str
    """Resolved action; the document itself when absent or empty."""
    method: str


class StyleAttribute(ElementFact, frozen=True, gc=False, kw_only=True):
    """An element with a ``style`` attribute."""

    value: str


class Style(ElementFact, frozen=True, gc=False, kw_only=True):
    """A ``<style>`` element."""

    text: str
    """The sheet as written."""


class Obsolete(ElementFact, frozen=True, gc=False, kw_only=True):
    """An element that HTML calls obsolete; ``hidden`` means here that it is invisible to all users."""


class Reference(ElementFact, frozen=True, gc=False, kw_only=True):
    """A URL in a sub-resource position: the browser would fetch it."""

    url: str
    """Absolute, without fragment, http or https."""
    kind: Literal["image", "script", "stylesheet", "font", "frame", "icon", "manifest", "media", "object", "preload"]
    attribute: str
    lazy: bool
    """``loading=lazy``, ``preload=none`` media, or only reachable after interaction."""
    alternative: bool
    """One of several candidates of which a browser fetches one (srcset, picture source, media source)."""


class CharsetDeclaration(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One place that declares the encoding."""

    source: Literal["bom", "header", "meta"]
    label: str
    """As written."""
    encoding: str | None
    """Name in the Encoding standard; ``None`` for an unknown label."""
    offset_bytes: int | None
    """For ``meta``: where its tag ends in the body."""
    line: int | None = None


class Doctype(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The document type declaration."""

    name: str
    public_id: str | None
    system_id: str | None
    line: int | None


class StructuredItem(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A JSON-LD block, or a microdata or RDFa item."""

    format: Literal["json-ld", "microdata", "rdfa"]
    types: tuple[str, ...]
    """Type names as written, every node of the block."""
    data: object
    """For JSON-LD: the parsed value. For an item of the other formats that the page is about, and that has requirements
    (``parse.rich_results``): its properties in the same form; else ``None``."""
    error: str | None
    """Reason why the block could not be read; ``None`` if it could."""
    schema_org: bool
    """Its vocabulary is schema.org."""
    node: Node


class Visibility(Protocol):
    """Rendering state of the elements."""

    unknown_sheets: list[str]
    """Addresses of style sheets that were not read."""
    hides_page: bool
    """A rule hides the whole page, until a script shows it."""

    def is_uncertain(self, node: Any) -> bool:
        """Return whether it is unknown that an element is rendered, although nothing is known to hide it."""
        ...

    def hides(self, node: Any) -> bool:
        """Return whether an element is not rendered, for a reason of its own."""
        ...

    def is_narrowed(self, node: Any) -> bool:
        """Return whether an element is not rendered on one of the two screens, for a reason of its own."""
        ...

    def may_clip(self, styles: Iterable[str]) -> bool:
        """Return whether ``is_clipped`` may hold for anything in a document with these style attributes."""
        ...

    def is_clipped(self, node: Any) -> bool:
        """Return whether an element is clipped or moved off the screen: invisible, but reachable by keyboard."""
        ...

    def is_folded(self, node: Any) -> bool:
        """Return whether an element has no height or no scale, as a closed menu has."""
        ...

    def may_show(self, node: Any) -> bool:
        """Return whether a rule shows an element once it, or one around it, has another class or state."""
        ...


_SOCIAL_IMAGE_NAMES: Final = ("og:image", "og:image:secure_url", "og:image:url", "twitter:image", "twitter:image:src")
"""In the order of preference (https://ogp.me/#structured)."""


def social_image(metas: Iterable[Meta]) -> str:
    """Return the image for shared links as written; empty if the page names none."""
    found: dict[str, str] = {}
    for meta in metas:
        for name in (meta.property, meta.name):
            if name in _SOCIAL_IMAGE_NAMES and meta.content.strip():
                found.setdefault(name, meta.content)
    return next((found[name] for name in _SOCIAL_IMAGE_NAMES if name in found), "")


@dataclass(kw_only=True, eq=False)
class Document:
    """Everything the checks may know about the served HTML. Built only by ``parse.html.parser.parse_document``."""

    locate: Callable[[Node, str, str, str], Evidence]
    """(element, reason, URL) -> its selector, line, column and snippet; costs, so only offenders are located."""
    url: str
    """URL of the document after redirects."""
    base_url: str
    """Base for relative URLs."""
    bytes: int
    """Decoded size of the body."""
    encoding: str
    """Used, by its name in the Encoding standard."""
    charset_declarations: Sequence[CharsetDeclaration]
    doctype: Doctype | None
    mode: Literal["no-quirks", "limited-quirks", "quirks"]
    html: ElementFact | None
    """The ``<html>`` element with its attributes."""
    body: ElementFact | None
    titles: Sequence[Title]
    metas: Sequence[Meta]
    links: Sequence[Link]
    anchors: Sequence[Anchor]
    images: Sequence[Image]
    named: Sequence[NamedElement]
    controls: Sequence[Control]
    headings: Sequence[Heading]
    paragraphs: Sequence[Paragraph]
    scripts: Sequence[Script]
    running_scripts: Sequence[Script]
    """Those that a browser runs: no data, no empty ones, and none whose file is known to be missing."""
    frames: Sequence[Frame]
    forms: Sequence[Form]
    form_values: Sequence[tuple[str, str]]
    """(name, value) of hidden fields, lower case, bounded in number and length."""
    style_attributes: Sequence[StyleAttribute]
    styles: Sequence[Style]
    obsolete: Sequence[Obsolete]
    bases: Sequence[ElementFact]
    objects: Sequence[ElementFact]
    """Every ``<object>``, also one without an address, and every ``<embed>`` without one."""
    references: Sequence[Reference]
    structured_items: Sequence[StructuredItem]
    ids: Mapping[str, ElementFact]
    """First element with each id."""
    visibility: Visibility
    accessibility: object
    """The ``model.accessibility.Accessibility`` of the document; a check that wants it names it as a parameter."""
    markup: object
    """The same for the ``model.document.Markup``."""
    element_count: int
    max_depth: int
    max_children: int
    deepest: Node | None
    """The first element at ``max_depth``."""
    head_closed_by: str | None
    """Tag that ended ``<head>`` early although it is not allowed there; ``None`` when nothing did."""
    noscripts: Sequence[str]
    """Content of the first ``<noscript>`` elements, without tags, bounded in number and length."""
    text: str
    """Visible text of the body, white space collapsed, without script, style, template, noscript and hidden parts."""
    main_text: str
    """The part of ``text`` outside ``nav``, ``header``, ``footer`` and ``aside``."""
    main_pieces: Mapping[str, int]
    """Pieces of ``main_text`` between its white space, each with its number; empty where the text is very long."""
    images_with_space: frozenset[Node]
    """Images whose space a ``<style>`` element of the page reserves."""
    longest_word: int
    """Characters of the longest of the pieces between the white space of ``text`` and of ``main_text``."""
    word_count: int
    """Of ``text``, as ``parse.words.count_words`` counts."""
    main_word_count: int
    """Of ``main_text``."""
    script_marks: frozenset[str]
    """Fixed parts of code that an inline script contains, of those in ``parse.files.javascript.MARKS``."""
    marks_of_scripts: Mapping[Node, frozenset[str]]
    """The same for each inline script."""
    limits_hit: tuple[str, ...]
    """Limits that cut the walk short: ``nodes``, ``depth``, ``attributes``, ``<list>``."""
    client_rendered: bool = False
    """It is served without its content, which scripts add (``parse.page_kind.empty_shell``)."""

    def meta(self, name: str) -> Meta | None:
        """The first ``<meta name>`` with that (lower-case) name that lies in the head, else the first anywhere."""
        return self._metas_by_name.get(name)

    def evidence(self, fact: ElementFact, *, reason: str = "", url: str = "", state: str = "") -> Evidence:
        """Return the location of ``fact``: selector, line, column and start tag."""
        return self.evidence_at(fact.node, reason, url, state=state)

    def evidence_at(self, node: Node, reason: str = "", url: str = "", value: str = "", *, state: str = "") -> Evidence:
        """Return the location of a node, with the text or value that was found."""
        place = self._places.get(node)
        if place is None:
            place = self._places[node] = self.locate(node, reason, url, value)
            self._located[place.selector, place.line, place.column] = node
            if not state:
                return place
        return Evidence(
            selector=place.selector,
            line=place.line,
            column=place.column,
            snippet=place.snippet,
            url=url,
            value=value,
            reason=reason,
            state=state,
        )

    def is_uncertain(self, evidence: Evidence) -> bool:
        """Return whether it is unknown that the element which was located is rendered; false for what is no element."""
        node = self.element_at(evidence)
        return node is not None and self.visibility.is_uncertain(node)

    def element_at(self, evidence: Evidence) -> Node | None:
        """The element that an evidence of this document was made for; ``None`` for what is no element."""
        return self._located.get((evidence.selector, evidence.line, evidence.column))

    @cached_property
    def _located(self) -> dict[tuple[str, int | None, int | None], Node]:
        """Selector, line and column of an evidence -> the element it was made for."""
        return {}

    @cached_property
    def _places(self) -> dict[Node, Evidence]:
        """Locations of elements that checks have referred to, shared because several checks refer to the same ones."""
        return {}

    @cached_property
    def folded_text(self) -> str:
        """``text`` without the differences between capital and small letters."""
        return self.text.casefold()

    @cached_property
    def _metas_by_name(self) -> dict[str, Meta]:
        found: dict[str, Meta] = {}
        for meta in self.metas:
            if meta.name and (meta.name not in found or (meta.in_head and not found[meta.name].in_head)):
                found[meta.name] = meta
        return found


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
