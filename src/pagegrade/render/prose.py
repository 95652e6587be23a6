"""The small part of Markdown that check documentation is written in, as blocks any renderer can show.

Paragraphs, list items, fenced code, inline code. Everything else is text: nothing in it is ever trusted markup.
"""

from __future__ import annotations

import re
from typing import Final, Literal

import msgspec

from pagegrade.render.escape import visible, visible_block

MAX_PROSE_CHARS: Final = 8000
_ITEM: Final = re.compile(r"(?:[-*]|[0-9]{1,2}\.) +")
_MAX_BLOCKS: Final = 100


class Span(msgspec.Struct, frozen=True):
    """A run of text, as prose or as code."""

    text: str
    code: bool = False


class Block(msgspec.Struct, frozen=True):
    """A paragraph, a list item (both of spans) or a piece of code (one span with line breaks)."""

    kind: Literal["paragraph", "item", "code"]
    spans: tuple[Span, ...]
    language: str = ""
    """Word after the fence."""


def parse_prose(text: str) -> tuple[Block, ...]:
    """The blocks of ``text``, with every invisible character made visible."""
    blocks: list[Block] = []
    waiting: list[str] = []
    fence: list[str] | None = None
    language = ""
    for line in text[:MAX_PROSE_CHARS].replace("\r\n", "\n").split("\n"):
        if line.lstrip().startswith("```"):
            _flush(waiting, blocks)
            if fence is None:
                fence, language = [], visible(line.strip()[3:], 40)
            else:
                blocks.append(_code(fence, language))
                fence = None
        elif fence is not None:
            fence.append(line)
        elif not line.strip():
            _flush(waiting, blocks)
        elif _ITEM.match(line):
            _flush(waiting, blocks)
            waiting.append(line)
        else:
            waiting.append(line.strip())
    if fence is not None:
        blocks.append(_code(fence, language))
    _flush(waiting, blocks)
    return tuple(blocks[:_MAX_BLOCKS])


def _flush(waiting: list[str], blocks: list[Block]) -> None:
    if not waiting:
        return
    text = " ".join(waiting)
    waiting.clear()
    marker = _ITEM.match(text)
    kind: Literal["paragraph", "item"] = "item" if marker else "paragraph"
    blocks.append(Block(kind, _spans(visible(text[marker.end() :] if marker else text, 2000))))


def _code(lines: list[str], language: str) -> Block:
    return Block("code", (Span(visible_block("\n".join(lines)), code=True),), language)


def _spans(text: str) -> tuple[Span, ...]:
    parts = text.split("`")
    if len(parts) % 2 == 0:
        # An odd number of backticks: the last one opens nothing.
        parts[-2:] = [f"{parts[-2]}`{parts[-1]}"]
    return tuple(Span(part, code=index % 2 == 1) for index, part in enumerate(parts) if part)
