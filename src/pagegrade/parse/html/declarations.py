"""Declarations of a document: where its encoding is declared, and which rendering mode its document type selects."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, Literal

import turbohtml

from pagegrade.model.document import CharsetDeclaration, Doctype, Meta
from pagegrade.parse.html.markup import Fault

_CHARSET: Final = re.compile(r"""(?<![\w-])charset\s*=\s*("[^"]*"|'[^']*'|[^\s;"']+)""", re.IGNORECASE)
_CHARSET_ANYWHERE: Final = re.compile(r"""charset\s*=\s*("[^"]*"|'[^']*'|[^\s;"']+)""", re.IGNORECASE)
"""In a meta element browsers look for the letters, whatever stands before them."""
_BOMS: Final = ((b"\xef\xbb\xbf", "UTF-8"), (b"\xfe\xff", "UTF-16BE"), (b"\xff\xfe", "UTF-16LE"))
_NEWLINE: Final = re.compile(rb"\r\n|\r|\n")
_MAX_LABEL: Final = 100
_MAX_META_OFFSET: Final = 1 << 16
"""A declaration beyond this position is reported with it; browsers ignore it anyway."""


@lru_cache(maxsize=256)
def encoding_of_label(label: str) -> str | None:
    """Name in the Encoding standard for a label such as ``utf8`` or ``latin1``; ``None`` when it is none.

    The labels of the standard, never the codecs of Python (``zlib``, ``rot13``, ``idna`` are no encodings).

    Source: https://encoding.spec.whatwg.org/#names-and-labels
    """
    label = label.strip(" \t\n\f\r")
    if not label or len(label) > _MAX_LABEL or not label.isascii() or not label.isprintable():
        return None
    try:
        return turbohtml.parse(b"", encoding=label).encoding
    except (LookupError, ValueError):
        return None


def charset_of_content_type(value: str | None, *, meta: bool = False) -> str | None:
    """The ``charset`` parameter of a Content-Type value as written; ``None`` when there is none.

    Args:
        value: Of the header or, with ``meta``, of a meta element.
        meta: Look anywhere in the value, as browsers do there.

    Source: https://html.spec.whatwg.org/multipage/urls-and-fetching.html#extracting-character-encodings-from-meta-elements
    """
    if not value:
        return None
    match = (_CHARSET_ANYWHERE if meta else _CHARSET).search(value[:1000])
    return match.group(1).strip("\"'").strip() or None if match else None


def declarations(body: bytes, content_type: str | None, metas: Iterable[Meta]) -> list[CharsetDeclaration]:
    """Every declaration in the order of its power: byte order mark, header, then the meta elements.

    Source: https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding
    """
    found = [
        CharsetDeclaration(source="bom", label=name, encoding=name, offset_bytes=0)
        for mark, name in _BOMS
        if body.startswith(mark)
    ]
    header = charset_of_content_type(content_type)
    if header is not None:
        found.append(
            CharsetDeclaration(source="header", label=header, encoding=encoding_of_label(header), offset_bytes=None),
        )
    for meta in metas:
        label = meta.charset
        if label is None and meta.http_equiv == "content-type":
            label = charset_of_content_type(meta.content, meta=True)
        if label is None:
            continue
        line, column = meta.node.source_line, meta.node.source_col
        offset = None if line is None or column is None else _byte_offset(body, line, column)
        end = -1 if offset is None else body.find(b">", offset, offset + _MAX_META_OFFSET)
        found.append(
            CharsetDeclaration(
                source="meta",
                label=label,
                encoding=encoding_of_label(label),
                offset_bytes=end + 1 if end >= 0 else offset,
                line=line,
            ),
        )
    return found


def _byte_offset(body: bytes, line: int, column: int) -> int | None:
    """Bytes before a position in code points, for encodings that extend ASCII; ``None`` beyond the look-ahead."""
    start = 0
    if line > 1:
        ends = (match.end() for match in _NEWLINE.finditer(body, 0, _MAX_META_OFFSET))
        found = next(islice(ends, line - 2, None), None)
        if found is None:
            return None
        start = found
    # No code point takes more than four bytes, and no broken one fewer than one.
    line_bytes = body[start : start + min(_MAX_META_OFFSET, 4 * column + 4)]
    if line_bytes[:column].isascii():
        return start + min(column, len(line_bytes))
    return start + len(line_bytes.decode("utf-8", errors="replace")[:column].encode())


_FORCING: Final = frozenset(
    {
        "abrupt-doctype-public-identifier",
        "abrupt-doctype-system-identifier",
        "eof-in-doctype",
        "invalid-character-sequence-after-doctype-name",
        "missing-doctype-name",
        "missing-doctype-public-identifier",
        "missing-doctype-system-identifier",
        "missing-quote-before-doctype-public-identifier",
        "missing-quote-before-doctype-system-identifier",
    }
)
"""Mistakes that set the force-quirks flag."""
Mode = Literal["no-quirks", "limited-quirks", "quirks"]

_QUIRKS_PUBLIC: Final = frozenset(
    {"-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"},
)
_QUIRKS_SYSTEM: Final = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"
_QUIRKS_PREFIXES: Final = tuple(
    f"{owner.lower()}//dtd {name.lower()}"
    for owner, names in {
        "+//silmaril": ("html pro v0r11 19970101//",),
        "-//as": ("html 3.0 aswedit + extensions//",),
        "-//advasoft ltd": ("html 3.0 aswedit + extensions//",),
        "-//ietf": (
            *(f"html 2.0 {word}//" for word in ("level 1", "level 2", "strict level 1", "strict level 2", "strict")),
            *(f"html {word}//" for word in ("2.0", "2.1e", "3.0", "3.2 final", "3.2", "3", "level 0", "level 1")),
            *(f"html {word}//" for word in ("level 2", "level 3", "strict level 0", "strict level 1")),
            *(f"html {word}//" for word in ("strict level 2", "strict level 3", "strict")),
            "html//",
        ),
        "-//metrius": ("metrius presentational//",),
        "-//microsoft": tuple(
            f"internet explorer {version} {kind}//"
            for version in ("2.0", "3.0")
            for kind in ("html strict", "html", "tables")
        ),
        "-//netscape comm. corp.": ("html//", "strict html//"),
        "-//o'reilly and associates": ("html 2.0//", "html extended 1.0//", "html extended relaxed 1.0//"),
        "-//sq": ("html 2.0 hotmetal + extensions//",),
        "-//softquad software": ("hotmetal pro 6.0::19990601::extensions to html 4.0//",),
        "-//softquad": ("hotmetal pro 4.0::19971010::extensions to html 4.0//",),
        "-//spyglass": ("html 2.0 extended//",),
        "-//sun microsystems corp.": ("hotjava html//", "hotjava strict html//"),
        "-//w3c": (
            "html 3 1995-03-24//",
            *(f"html {word}//" for word in ("3.2 draft", "3.2 final", "3.2", "3.2s draft", "4.0 frameset")),
            *(f"html {word}//" for word in ("4.0 transitional", "experimental 19960712", "experimental 970421")),
            "w3 html//",
        ),
        "-//w3o": ("w3 html 3.0//",),
        "-//webtechs": ("mozilla html 2.0//", "mozilla html//"),
    }.items()
    for name in names
)
_LIMITED_XHTML: Final = ("-//w3c//dtd xhtml 1.0 frameset//", "-//w3c//dtd xhtml 1.0 transitional//")
_HTML401: Final = ("-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//")


def is_malformed(errors: Sequence[Fault], codes: Collection[str]) -> bool:
    """Return whether the declaration is broken in a way that gives quirks mode, whatever else it says.

    Args:
        errors: What the parser had to repair, in order.
        codes: The codes among them.

    Source: https://html.spec.whatwg.org/multipage/parsing.html#doctype-state and the states after it
    """
    if _FORCING.isdisjoint(codes):
        return False
    for error in errors:
        if error.code == "unexpected-doctype":
            # From here on they belong to a second declaration, which browsers ignore.
            return False
        if error.code in _FORCING:
            return not any(
                other.code == "unexpected-doctype" and (other.line, other.col) <= (error.line, error.col)
                for other in errors
            )
    return False


def rendering_mode(doctype: Doctype | None, *, malformed: bool = False) -> Mode:
    """The mode a browser renders in.

    Source: https://html.spec.whatwg.org/multipage/parsing.html#the-initial-insertion-mode
    """
    if doctype is None or malformed or doctype.name != "html":
        return "quirks"
    public = (doctype.public_id or "").lower()
    system = doctype.system_id
    if public in _QUIRKS_PUBLIC or (system or "").lower() == _QUIRKS_SYSTEM or public.startswith(_QUIRKS_PREFIXES):
        return "quirks"
    if public.startswith(_HTML401):
        return "quirks" if system is None else "limited-quirks"
    return "limited-quirks" if public.startswith(_LIMITED_XHTML) else "no-quirks"
