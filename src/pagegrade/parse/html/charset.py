"""Position of a document's encoding declaration in the markup and in the bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import Final

import turbohtml

from pagegrade.model.document import CharsetDeclaration, Meta

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
