"""Text of pages made harmless for people's eyes and terminals, beside the escaping that prevents XSS.

Every renderer passes what a page can reach through here before it applies the escaping of its own format.
"""

from __future__ import annotations

import re
from typing import Final

import ada_url

MAX_SHOWN_CHARS: Final = 200
"""Longest piece of page text in a report for people."""
BLOCK_CHARS: Final = 4_000
"""Longest block of several lines."""
_SPACES: Final = re.compile(r"[ \t\r\n\f\v]+")
_HIDDEN: Final = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL and C1: they move the cursor and start escape sequences
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"  # invisible letters and marks
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"  # zero width, bidi marks, embeddings, overrides and isolates
    "\u2028\u2029"  # line and paragraph separators
    "\u3164\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff"  # fillers, byte order mark, annotations, non-characters
    "\ud800-\udfff"  # lone surrogates
    "\U000e0000-\U000e0fff"  # tags
    "]"
    # Joiners are invisible too, but Persian and emoji need them: only beside ASCII they have no business.
    "|(?<=[\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?=[\x00-\x7f])|^[\u200c\u200d]|[\u200c\u200d]$"
)


def visible(text: object, limit: int = MAX_SHOWN_CHARS) -> str:
    r"""``text`` on one line, at most ``limit`` characters, with every invisible character shown as an escape.

    Runs of white space become one space; ESC becomes ``\x1b``, U+202E becomes ``\u202e``. What was cut off is
    marked by an ellipsis.
    """
    # Cut before the work: a title of ten megabytes must not cost ten megabytes of regex.
    head = str(text)[: 4 * limit + 64]
    # Nearly all text is plain, and a report has thousands of pieces: to look takes a fiftieth of the search.
    plain = head.isascii() and head.isprintable() and "  " not in head
    line = head.strip(" ") if plain else _HIDDEN.sub(_escape, _SPACES.sub(" ", head).strip())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def visible_block(text: object) -> str:
    """The same for text whose line breaks matter, up to ``BLOCK_CHARS``: they stay, tabs become four spaces."""
    lines = str(text)[: 4 * BLOCK_CHARS + 64].replace("\r\n", "\n").replace("\t", "    ").split("\n")
    block = "\n".join(_HIDDEN.sub(_escape, line.rstrip()) for line in lines)
    return block if len(block) <= BLOCK_CHARS else block[: BLOCK_CHARS - 1] + "…"


def safe_href(url: str | None) -> str | None:
    """``url`` as something a person may click, or ``None``: only http and https after a re-parse, no credentials.

    An ellipsis stands where something was cut off or masked, so what holds one leads nowhere.
    """
    if not url or len(url) > 2 * 2048 or "…" in url:
        return None
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return None
    if parsed.protocol not in {"http:", "https:"} or parsed.username or parsed.password:
        return None
    return parsed.href


def unicode_host(url: str | None) -> str:
    """The host of ``url`` in its own script, to be shown beside the ASCII form; empty when there is no difference."""
    href = safe_href(url)
    if href is None:
        return ""
    host = ada_url.URL(href).hostname
    shown = ada_url.idna_to_unicode(host) if "xn--" in host else ""
    return visible(shown, 100) if shown != host else ""


def _escape(match: re.Match[str]) -> str:
    return "".join(_escape_character(ord(character)) for character in match[0])


def _escape_character(point: int) -> str:
    if point <= 0xFF:  # noqa: PLR2004 - the widest two-digit escape
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"  # noqa: PLR2004 - the widest four-digit one
