"""Reads the rules of a style sheet that color text and its ground, or give it a size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MAX_RULES: Final = 2_000
MAX_CSS: Final = 200_000
MAX_CHARACTERS: Final = 100_000
"""Characters of the kept rules of one sheet; one with more is unknown."""
DECLARES: Final = re.compile(r"(?<![\w-])(?:color|background(?:-color|-image)?|font-size)\s*:", re.IGNORECASE)
_BRACES: Final = re.compile(r"([{}])")
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_NAMES: Final = frozenset(
    {"color", "background", "background-color", "background-image", "font-size", "-webkit-text-fill-color"}
)


def ink_blocks(css: str) -> Iterator[tuple[bool, str, str]]:
    """(whether it stands outside of all conditions, selectors, declarations) of each rule that is about this."""
    pieces = _BRACES.split(_COMMENT.sub("", css[:MAX_CSS]))[: 4 * MAX_RULES]
    depth = 0
    for index in range(0, len(pieces) - 1, 2):
        piece, mark = pieces[index], pieces[index + 1]
        if mark == "{":
            depth += 1
        else:
            if index and pieces[index - 1] == "{" and DECLARES.search(piece) is not None:
                selectors = pieces[index - 2].rpartition(";")[2].strip()
                if not selectors.startswith("@"):
                    yield depth == 1, selectors[:1_000], piece[:1_000]
            depth -= 1


def ink_rules(css: str) -> tuple[str, ...] | None:
    """List these rules of a sheet, as ``read_ink_rule`` reads them; ``None`` if there are more than are kept."""
    if len(css) > MAX_CSS:
        return None
    kept: list[str] = []
    size = 0
    for is_plain, selectors, declarations in ink_blocks(css):
        wanted = (one.strip() for one in declarations.split(";") if one.partition(":")[0].strip().lower() in _NAMES)
        kept.append(f"{'+' if is_plain else '?'}{' '.join(selectors.split())}{{{';'.join(wanted)}")
        size += len(kept[-1])
        if len(kept) >= MAX_RULES or size > MAX_CHARACTERS:
            return None
    return tuple(kept)


def read_ink_rule(rule: str) -> tuple[bool, str, str]:
    """The same three parts of a kept rule."""
    selectors, _, declarations = rule[1:].partition("{")
    return rule[:1] == "+", selectors, declarations
