"""The ``@font-face`` rules of a stylesheet: which fonts it offers, in which formats, and what shows until they come.

Source: https://www.w3.org/TR/css-fonts-4/#font-face-rule
"""

from __future__ import annotations

import re
from typing import Final

from pagegrade.model.artifacts import FontFace

MAX_FACES: Final = 200
MAX_SOURCES: Final = 20
_MAX_NAME: Final = 100
_MAX_BLOCK: Final = 4_000
"""Characters of one rule, inline fonts not counted."""
_COMMENT: Final = re.compile(r"/\*")
_DATA: Final = re.compile(r"data:([\w./+-]{0,60})[^\"')\s]*+", re.IGNORECASE)
_FACE: Final = re.compile(r"@font-face\s*+\{([^{}]*+)\}", re.IGNORECASE)
_DISPLAY: Final = re.compile(r"(?<![\w-])font-display\s{0,20}:\s{0,20}([\w-]{1,40})\s{0,20}(?:;|$)", re.IGNORECASE)
_DISPLAYS: Final = frozenset({"auto", "block", "swap", "fallback", "optional"})
_FAMILY: Final = re.compile(
    r"(?<![\w-])font-family\s{0,20}:\s{0,20}(?:\"([^\"]{0,200})|'([^']{0,200})|([^;]{0,200}))", re.IGNORECASE
)
_PROPERTY: Final = {
    name: re.compile(rf"(?<![\w-]){name}\s{{0,20}}:\s{{0,20}}([^;]{{1,60}})", re.IGNORECASE)
    for name in ("font-weight", "font-style")
}
_SRC: Final = re.compile(r"(?:^|;)\s{0,200}src\s{0,20}:", re.IGNORECASE)
_SOURCE: Final = re.compile(
    r"url\(\s{0,20}(?:\"([^\"]*+)\"|'([^']*+)'|([^)\"'\s]*+))\s{0,20}\)"
    r"(?:\s{0,20}format\(\s{0,20}[\"']?([\w-]{1,40}))?",
    re.IGNORECASE,
)
_FORMATS: Final = {
    "truetype": "ttf",
    "opentype": "otf",
    "embedded-opentype": "eot",
    "font-woff": "woff",
    "font-woff2": "woff2",
    "x-font-woff": "woff",
    "x-font-woff2": "woff2",
    "woff2-variations": "woff2",
    "woff-variations": "woff",
    "font-ttf": "ttf",
    "x-font-ttf": "ttf",
    "vnd.ms-fontobject": "eot",
    "svg+xml": "svg",
    "truetype-variations": "ttf",
}
_KNOWN: Final = frozenset({"woff2", "woff", "ttf", "otf", "eot", "svg", "collection"})
_MAGICS: Final = (
    (b"wOF2", "woff2"),
    (b"wOFF", "woff"),
    (b"\x00\x01\x00\x00", "ttf"),
    (b"true", "ttf"),
    (b"OTTO", "otf"),
    (b"ttcf", "collection"),
)


def find_font_faces(text: str, *, stylesheet_url: str) -> tuple[FontFace, ...]:
    """The font faces with at least one file, at most 200, in order.

    Args:
        text: Decoded CSS.
        stylesheet_url: Where it stands: of the sheet, or of the page for a ``<style>``.

    Faces that only rename fonts of the device (``local()``) are left out. Never raises; linear in the text.
    """
    if "@font-face" not in text and "@font-face" not in text.lower():
        return ()
    # Inline fonts may be long, and hold the very characters that separate declarations.
    text = _without_comments(text)
    if "data:" in text.lower():
        text = _DATA.sub(r"data:\1", text)
    found: list[FontFace] = []
    for match in _FACE.finditer(text):
        face = _read_face(match[1][:_MAX_BLOCK], stylesheet_url)
        if face is not None:
            found.append(face)
        if len(found) >= MAX_FACES:
            break
    return tuple(found)


def font_format(head: bytes) -> str | None:
    """Format of a font file by its first bytes: ``woff2``, ``woff``, ``ttf``, ``otf``, ``eot``, ``collection``.

    ``None`` when they are no font's.
    """
    for magic, name in _MAGICS:
        if head.startswith(magic):
            return name
    # Embedded OpenType has its mark behind two sizes, a version and the font's ten bytes of classification.
    return "eot" if head[34:36] == b"LP" else None


def _read_face(block: str, stylesheet_url: str) -> FontFace | None:
    formats: list[str] = []
    inline = remote = 0
    # Of several sources browsers take the last; those before it are for old ones.
    start = max((match.end() for match in _SRC.finditer(block)), default=0)
    for double, single, bare, hint in _SOURCE.findall(block, start)[:MAX_SOURCES]:
        url = (double or single or bare).strip()
        if not url:
            continue
        if url[:5].lower() == "data:":
            inline += 1
        else:
            remote += 1
        formats.append(_format_of(url, hint))
    if not formats:
        return None
    displays = [value.lower() for value in _DISPLAY.findall(block)]
    # The last one that a browser understands wins.
    display = next((value for value in reversed(displays) if value in _DISPLAYS), displays[-1] if displays else "")
    family = _FAMILY.search(block)
    name = next((part for part in family.groups() if part), "") if family else ""
    return FontFace(
        family=" ".join(name.split())[:_MAX_NAME],
        weight=_value(block, "font-weight", "normal"),
        style=_value(block, "font-style", "normal"),
        display=display,
        formats=tuple(dict.fromkeys(formats)),
        inline=inline > 0 and remote == 0,
        stylesheet_url=stylesheet_url,
    )


def _value(block: str, name: str, default: str) -> str:
    match = _PROPERTY[name].search(block)
    value = " ".join(match[1].lower().split()) if match else ""
    return {"": default, "400": "normal", "700": "bold"}.get(value, value)


def _format_of(url: str, hint: str) -> str:
    """By ``format()``, else by the media type of ``data:`` or the extension; "" if unknown."""
    label = hint.lower()
    if not label:
        if url[:5].lower() == "data:":
            label = url[5:].lower().rpartition("/")[2]
        else:
            path = url.partition("?")[0].partition("#")[0]
            label = path.rpartition("/")[2].rpartition(".")[2].lower() if "." in path.rpartition("/")[2] else ""
    label = _FORMATS.get(label, label)
    return label if label in _KNOWN else ""


def _without_comments(text: str) -> str:
    if "/*" not in text:
        return text
    pieces: list[str] = []
    at = 0
    while (match := _COMMENT.search(text, at)) is not None:
        pieces.append(text[at : match.start()])
        end = text.find("*/", match.end())
        at = len(text) if end < 0 else end + 2
    pieces.append(text[at:])
    return " ".join(pieces)
