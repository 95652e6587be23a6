"""Finds a page that shows its source in place of what it is made from: data, Markdown, or code that the server left.

And what a server should have carried out and sent instead: the tags of a template and those that include a part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, Literal

import msgspec
from turbohtml import Comment, Element, ProcessingInstruction, Text

from pagegrade.model.document import Document, Node
from pagegrade.parse.error_output import find_error_output

MAX_NODES: Final = 20_000
MAX_TEXT: Final = 60_000
MAX_PLACES: Final = 20
MIN_CODE: Final = 2
"""Pieces of a server's code from which on the server does not run it."""
MIN_KEYS: Final = 5
MIN_MARKS: Final = 6
MIN_KINDS: Final = 3
"""Marks of such a markup, and different ones, from which on a text is written in it."""
MIN_MARKED: Final = 0.25
"""Share of the lines that begin with one or hold one."""
_MAX_DATA_ELEMENTS: Final = 12
_SKIPPED: Final = frozenset(
    "blockquote code head kbd listing noscript plaintext pre samp script style svg template textarea xmp".split()
)
"""Elements whose text is not seen, or shown as an example."""
_DATA: Final = re.compile(r"\s*[\[{]\s*[\"\[{]")
_KEY: Final = re.compile(r"\"[\w@$-]{1,80}\" ?:")
_SIGN: Final = re.compile(r"[`\"_=<>{}\[\]|\\^~$#*+;@&%]|(?<=\S)[,:/.'-](?=\S)|(?<=[(,])'|'(?=[,)])")
"""Signs of which prose has few: those of code, and those of sentences with no blank beside them."""
MIN_SIGNS: Final = 0.12
"""Share of the characters of a text from which on it was written for a program: that of prose is 0.03 or less."""
_MIN_RECORD: Final = 30
"""Characters of a text of which that share says anything."""
MIN_OUTPUT: Final = 40
"""Such signs from which on they are no labels."""
_ANY_SIGNS: Final = b"`\"_=<>{}[]|\\^~$#*+;@&%,:/.'-"
"""Everything that may be one."""
_MAX_SAMPLE: Final = 8_000
MIN_DUMPED: Final = 0.5
"""Share of the main text from which on data stands in its place."""
_MAX_SHOWN: Final = 60
"""Characters of a text that are looked for among what visitors see."""
_TAG: Final = re.compile(r"</?[A-Za-z][\w:-]{0,40}(?:\s[^<>]{0,300})?/?>|<!\[CDATA\[|\]\]>")
MIN_TAGS: Final = 8
MIN_TAGGED: Final = 0.15
"""Tags that are text, and the share of all text that they are, from which on a page shows markup and means it."""
_CONFLICT: Final = ("<<<<<<< ", ">>>>>>> ")
"""Marks that a program for versions leaves where two versions of a line differ."""
_CODE: Final = re.compile(r"<\?(?:php\b|=)")
_INCLUDES: Final = (
    r"esi\:include, esi\:inline, esi\:vars, esi\:choose, esi\:try, "
    r"jsp\:include, jsp\:usebean, jsp\:getproperty, c\:foreach, c\:out, c\:if, c\:choose, c\:import, fmt\:message, "
    r"s\:property, s\:iterator, ui\:include, ui\:composition, h\:outputtext, "
    r"asp\:label, asp\:literal, asp\:repeater, asp\:content, "
    "cfoutput, cfinclude, cfif, cfloop, cfquery, cfset"
)
"""Elements of caches, JSP, ASP.NET and ColdFusion that no browser knows: a part of the page belongs in their place."""
_INCLUDING_TAGS: Final = frozenset(_INCLUDES.replace("\\", "").split(", "))
_INCLUDING_COMMENTS: Final = ("#include ", "#exec ", "#echo ", "esi ")
"""Beginnings of comments that ask for the same."""
_AROUND: Final = "header, footer, nav, aside"
"""Parts of a page that says without them, too, what it has to say."""
_BLOCKS: Final = re.compile(r"\{%[-~+]?\s{0,9}end[a-z]{0,20}\s{0,9}[-~+]?%\}")
_FILTER: Final = re.compile(r"\{\{[^{}|]{1,80}\|[^{}:|]{1,40}:[^{}]{1,80}\}\}")
_FILTERS_BY_SCRIPT: Final = "[ng-app], [data-ng-app], [ng-controller], [data-ng-controller], [ng-cloak]"
"""The one library for browsers that gives its filters values in the same way."""
_FAULT: Final = "invalid-first-character-of-processing-instruction-target"
_MARKDOWN: Final[tuple[re.Pattern[str], ...]] = (
    re.compile(r"(={2,5}) ?[^\s=].{0,200}\1$"),
    re.compile(r"#{1,6} \S"),
    re.compile(r"(?:---|\+\+\+)$"),
    re.compile(r"[a-z_]{2,30}: \S"),
    re.compile(r"(?:\{%|<%|\[%|@[a-z]{2,20}\().{1,200}(?:%\}|%>|%\]|\))$"),
    re.compile(r"(?:[*+-]|\d{1,3}\.) \S"),
    re.compile(r"```|~~~"),
    re.compile(r"\|.{1,400}\|$"),
    re.compile(r"> \S"),
)
"""At the beginning of a line."""
_FIRST: Final = frozenset("=#-+{<[@*`~|>0123456789")
_NAMED: Final = ": "
"""One of those is the first character of every line that begins so, or this is in it."""
_INLINE: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("**", re.compile(r"\*\*[^\s*][^*]{0,200}\*\*")),
    ("](", re.compile(r"\[[^\[\]]{1,200}\]\([^()\s]{1,300}\)")),
    ("`", re.compile(r"`[^`\s][^`]{0,100}`")),
    ("[[", re.compile(r"\[\[[^\[\]]{1,200}\]\]")),
    ("'''", re.compile(r"'''[^'\s][^']{0,200}'''")),
    ("[/", re.compile(r"\[(b|i|u|s|color|size)\b[^\[\]]{0,200}\][^\[\]]{1,400}\[/\1\]")),
    ("[/", re.compile(r"\[(url|img|quote|list)\b[^\[\]]{0,200}\][^\[\]]{1,400}\[/\1\]")),
    ("\\", re.compile(r"\\(?:section|subsection|textbf|emph|textit|item|href|begin|end|caption|label)\b")),
)
"""(part of each match, pattern) anywhere in a line."""
_INLINE_NUMBERED: Final = tuple((number, *one) for number, one in enumerate(_INLINE, len(_MARKDOWN)))
_SIGNS: Final = ("{%", "---", "**", "](", "```", "## ", "[[", "'''", "[/", "\\begin", "\\section")
"""One of them is in every text of some length that is written so."""

Kind = Literal["data", "markdown", "markup", "code"]


class SourceText(msgspec.Struct, frozen=True, gc=False):
    """Source that visitors read, or that stands in the page in place of what it should have written."""

    kind: Kind
    places: tuple[tuple[Node, str], ...]
    """(element, beginning of the source) of the first ones."""


def find_source_text(document: Document) -> SourceText | None:
    """Find it; linear in the document, and without a walk where no sign of it is in the text."""
    body = document.body
    if body is None or not isinstance(body.node, Element):
        return None
    return (
        _code(document, body.node)
        or _data(document, body.node)
        or _tags(document, body.node)
        or _conflict(document, body.node)
        or _markdown(document, body.node)
        or _output(document, body.node)
    )


def _data(document: Document, body: Element) -> SourceText | None:
    """JSON and nothing else."""
    text = document.text
    if document.element_count > _MAX_DATA_ELEMENTS or document.anchors or _DATA.match(text) is None:
        return None
    if not text.rstrip().endswith(("}", "]")):
        return None
    keys = sum(1 for _ in islice(_KEY.finditer(text[:MAX_TEXT]), MIN_KEYS))
    return SourceText("data", ((body, text[:100]),)) if keys == MIN_KEYS else None


def _output(document: Document, body: Element) -> SourceText | None:
    """Text for programs in place of text for people: dumps, logs, tables without columns, in any notation."""
    text = document.main_text
    if not _signs_in(text):
        return None
    places: list[tuple[Node, str]] = []
    size = signs = 0
    for element, child in _children(body, _SKIPPED):
        if not isinstance(child, Text) or len(child.data) < _MIN_RECORD:
            continue
        written = " ".join(child.data[:MAX_TEXT].split())
        found = _signs_in(written) if len(written) >= _MIN_RECORD else 0
        if found and written[:_MAX_SHOWN] in text:
            size += len(written)
            signs += found
            places.append((element, written[:100]))
    # What reports an error is a fault of its own.
    if size < MIN_DUMPED * len(text) or signs < MIN_OUTPUT or find_error_output(document):
        return None
    return SourceText("data", tuple(places[:MAX_PLACES]))


def _signs_in(text: str) -> int:
    """Count the signs of a text that has as many as only programs write; 0 for any other. Linear."""
    part = text[:_MAX_SAMPLE]
    least = MIN_SIGNS * len(part)
    # Nearly every text ends here.
    octets = part.encode("utf-8", "replace")
    if len(octets) - len(octets.translate(None, _ANY_SIGNS)) < least:
        return 0
    found = sum(1 for _ in _SIGN.finditer(part))
    return found if found >= least else 0


def _tags(document: Document, body: Element) -> SourceText | None:
    """Tags of HTML or XML in the place of what they should have made: a text was escaped that is markup."""
    if document.text.count("</") < MIN_TAGS:
        return None
    places: list[tuple[Node, str]] = []
    number = size = shown = 0
    for element, child in _children(body, _SKIPPED):
        if isinstance(child, Text):
            shown += len(child.data.strip())
            found = [len(one[0]) for one in _TAG.finditer(child.data[:MAX_TEXT])] if "<" in child.data else []
            if found:
                number += len(found)
                size += sum(found)
                places.append((element, child.data.strip()[:100]))
    is_source = number >= MIN_TAGS and size >= MIN_TAGGED * shown
    return SourceText("markup", tuple(places[:MAX_PLACES])) if is_source else None


def _conflict(document: Document, body: Element) -> SourceText | None:
    """Both versions of a text that two people changed, with the marks between them."""
    if not all(mark in document.text for mark in _CONFLICT):
        return None
    found: dict[str, tuple[Node, str]] = {}
    for element, child in _children(body, _SKIPPED):
        if isinstance(child, Text):
            for mark in _CONFLICT:
                if child.data.strip().startswith(mark):
                    found.setdefault(mark, (element, child.data.strip()[:100]))
    return SourceText("code", tuple(found.values())) if len(found) == len(_CONFLICT) else None


def _code(document: Document, body: Element) -> SourceText | None:
    """Instructions for PHP, which a server that runs it never sends."""
    places: list[tuple[Node, str]] = [
        (title.node, title.text[:100]) for title in document.titles[:1] if _CODE.search(title.text) is not None
    ]
    # Parsers make two kinds of nodes of them; what is left of code behind an arrow is text.
    is_signed = _FAULT in _faults(document) or "?>" in document.text
    if is_signed or body.xpath("boolean(//processing-instruction('php'))"):
        places += islice(_instructions(body), MAX_PLACES)
    return SourceText("code", tuple(places)) if len(places) >= MIN_CODE else None


def find_includes(document: Document) -> list[tuple[Node, str, bool]]:
    """Elements that ask a server or cache for a part of the page, or hold a comment that does.

    Returns:
        For each, the element, the beginning of what it asks, and ``True`` where that belongs to the main content.
    """
    body = document.body
    if body is None or not isinstance(body.node, Element):
        return []
    # To collect the names of all elements takes half of the time of selecting these.
    is_asked = not _INCLUDING_TAGS.isdisjoint({one.tag for one in body.node.iter_elements()})
    nodes = islice(body.node.select(_INCLUDES), MAX_NODES) if is_asked else ()
    found = [(node, f"<{node.tag}>") for node in nodes]
    comments = body.node.xpath("//comment()")
    asking = (
        one
        for one in (comments if isinstance(comments, list) else ())
        if isinstance(one, Comment) and one.data.startswith(_INCLUDING_COMMENTS)
    )
    found += [
        (one.parent, f"<!--{one.data}"[:100]) for one in islice(asking, MAX_NODES) if isinstance(one.parent, Element)
    ]
    return [(node, text, node.closest(_AROUND) is None) for node, text in found]


def is_template_of_server(document: Document) -> bool:
    """Return whether the text outside of code has blocks or filters of a template that no script carries out."""
    body = document.body
    if body is None or not isinstance(body.node, Element) or not ("{%" in document.text or "{{" in document.text):
        return False
    for _, child in _children(body.node, _SKIPPED):
        if isinstance(child, Text) and "{" in child.data:
            written = child.data[:MAX_TEXT]
            if _BLOCKS.search(written) is not None:
                return True
            if _FILTER.search(written) is not None and not _has_filters_of_scripts(body.node):
                return True
    return False


def _has_filters_of_scripts(body: Element) -> bool:
    return body.closest(_FILTERS_BY_SCRIPT) is not None or body.select_one(_FILTERS_BY_SCRIPT) is not None


def texts_outside_code(document: Document) -> Iterator[tuple[Node, str]]:
    """Yield the elements with a text that is no example, with each of these texts."""
    body = document.body
    if body is not None and isinstance(body.node, Element):
        for element, child in _children(body.node, _SKIPPED):
            if isinstance(child, Text) and not child.data.isspace():
                yield element, child.data[:MAX_TEXT]


def _faults(document: Document) -> frozenset[str]:
    counts = getattr(document.markup, "fault_counts", {})
    return frozenset(counts)


def _instructions(body: Element) -> Iterator[tuple[Node, str]]:
    for element, child in _children(body, frozenset()):
        if isinstance(child, ProcessingInstruction) and child.target == "php":
            yield element, f"<?php {child.data}"[:100]
        elif isinstance(child, Comment) and child.data.startswith(("?=", "?php")):
            yield element, f"<{child.data}"[:100]


def _markdown(document: Document, body: Element) -> SourceText | None:
    """Text in Markdown, or in the markup of a wiki, a forum or LaTeX, that was not converted."""
    text = document.text[:MAX_TEXT]
    if not any(sign in text for sign in _SIGNS):
        return None
    kinds: set[int] = set()
    marks = lines = marked = 0
    places: list[tuple[Node, str]] = []
    for element, child in _children(body, _SKIPPED):
        if not isinstance(child, Text) or child.data.isspace():
            continue
        text = child.data[:MAX_TEXT]
        inline = [one for one in _INLINE_NUMBERED if one[1] in text]
        for written in text.split("\n"):
            line = written.strip()
            if not line:
                continue
            lines += 1
            found: set[int] = set()
            if line[0] in _FIRST or _NAMED in line:
                found.update(number for number, pattern in enumerate(_MARKDOWN) if pattern.match(line) is not None)
            for number, sign, pattern in inline:
                if sign in line and pattern.search(line) is not None:
                    found.add(number)
            marks += len(found)
            if found:
                marked += 1
                kinds |= found
                if len(places) < MAX_PLACES:
                    places.append((element, line[:100]))
    if marks < MIN_MARKS or len(kinds) < MIN_KINDS or marked < MIN_MARKED * lines:
        return None
    return SourceText("markdown", tuple(places))


def _children(body: Element, skipped: frozenset[str]) -> Iterator[tuple[Element, object]]:
    """Each element of the body with each of its nodes that is no element."""
    stack: list[tuple[Element, Iterator[object]]] = [(body, iter(body))]
    left = MAX_NODES
    while stack and left:
        element, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            continue
        left -= 1
        if isinstance(child, Element):
            if child.tag not in skipped:
                stack.append((child, iter(child)))
        else:
            yield element, child
