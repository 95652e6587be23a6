"""Reads the rules of a style sheet that color text and its ground, give it a size, or lay something over the window."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MAX_RULES: Final = 2_000
MAX_CSS: Final = 200_000
MAX_CHARACTERS: Final = 100_000
"""Characters of the kept rules of one sheet; one with more is unknown."""
DECLARES: Final = re.compile(
    r"(?<![\w-])(?:(?:color|background(?:-color|-image|-clip)?|font-size|text-indent|opacity|-webkit-(?:text-fill-color|background-clip))"
    r"\s*:|filter\s*:\s*(?:blur|opacity)\(|letter-spacing\s*:|line-height\s*:|font\s*:|unicode-bidi\s*:|"
    r"-webkit-text-security\s*:|"
    r"(?:-webkit-)?mask(?:-image)?\s*:|margin-(?:left|inline-start)\s*:\s*\d{3}|"
    r"(?:(?:max-|column-)?width|(?:max-)?inline-size|columns)\s*:\s*\d{0,2}(?:\.\d{1,4})?(?:px|r?em|ch|ex)?\s*(?:[;}!]|\Z)|"
    r"(?:max-)?(?:height|block-size)\s*:\s*\d{0,3}(?:\.\d{1,4})?(?:px|r?em)?\s*(?:[;}!]|\Z)|"
    r"zoom\s*:\s*(?:0?\.[0-2]|[12]?\d(?:\.\d{1,4})?%)|transform-style\s*:\s*preserve|"
    r"transform\s*:[^;{}]{0,60}?(?:scale(?:3d|[xy])?\(\s*(?:0|\.[01]|-)|matrix(?:3d)?\(|"
    r"rotate(?:3d|[xyz])?\((?:[^()]{1,20},)?\s*-?(?:[6-9]\d|[12]\d\d|0?\.\d|\d\.\d))|"
    r"(?:rotate\s*:\s*(?:[xyz]\s+)?-?(?:[6-9]\d|[12]\d\d|0?\.\d)|scale\s*:\s*(?:0|\.[01]|-))|"
    r"filter\s*:[^;{}]{0,60}?(?:brightness|contrast|invert)\(|mix-blend-mode\s*:|writing-mode\s*:\s*[vs]|"
    r"font-family\s*:\s*[\"']?(?:wingdings|webdings|symbol|zapf|marlett|mt extra|bookshelf)|"
    r"line-through[^;{}]{0,40}\d|text-decoration-thickness\s*:|-webkit-text-stroke(?:-width)?\s*:\s*(?:[4-9]|\d\d|0?\.[3-9]|\d\.))",
    re.IGNORECASE,
)
_BRACES: Final = re.compile(r"([{}])")
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_NAMES: Final = frozenset(
    "color background background-color background-image background-clip -webkit-background-clip font-size text-indent "
    "-webkit-text-fill-color opacity filter transform letter-spacing animation animation-name width max-width "
    "inline-size max-inline-size columns column-width column-count height max-height block-size max-block-size "
    "overflow overflow-y position white-space writing-mode clip clip-path line-height font unicode-bidi direction "
    "-webkit-text-security mask mask-image -webkit-mask -webkit-mask-image margin-left margin-inline-start zoom "
    "transform-style rotate scale mix-blend-mode font-family text-decoration text-decoration-line "
    "text-decoration-thickness -webkit-text-stroke -webkit-text-stroke-width".split()
)
_LAYS: Final = re.compile(
    r"position\s*:\s*fixed|grid-(?:area|row)\s*:|pointer-events\s*:|overflow(?:-y)?\s*:\s*(?:auto|scroll)",
    re.IGNORECASE,
)
OF_PARTS: Final = re.compile(r"(?:\A|[\s>+~,])(?:\*|article|div|li|p|section)\s*(?:,|\Z)")
"""Selectors of the parts of a page, whatever their names are."""
_APART: Final = re.compile(r"position\s*:\s*absolute", re.IGNORECASE)
_MOVED: Final = re.compile(
    r"(?<![\w-])(?:top|left|right|bottom|inset|translate|transform|margin)[\w-]*\s*:", re.IGNORECASE
)
_CUTS: Final = re.compile(r"overflow(?:-y)?\s*:\s*(?:hidden|clip)", re.IGNORECASE)
_PLACING: Final = _NAMES | frozenset(
    "position inset top left right bottom width height max-height z-index display visibility pointer-events transform "
    "overflow overflow-y grid-area grid-row grid-column animation transition content margin margin-top margin-left "
    "translate".split()
)
"""Declarations kept of a rule that lays something over the window or a part, or decides whether that can be used."""
_FOR_ALL: Final = frozenset({":root", "html", "body"})
"""Selectors of the elements around every text."""
_PROPERTY: Final = re.compile(r"(?<![\w-])(--[\w-]{1,80})\s*:\s*([^;{}]{0,200})")
_INK: Final = re.compile(
    r"#[0-9a-f]{3,8}|rgba?\([^()]{1,60}\)|[a-z]{3,20}|var\(\s*--.{1,120}", re.IGNORECASE | re.DOTALL
)
"""Values of a custom property that become a color."""
ELSEWHERE: Final = "--"
"""In place of the selectors of the custom properties that differ by place or condition."""


def ink_blocks(css: str) -> Iterator[tuple[bool, str, str]]:
    """(whether it stands outside of all conditions, selectors, declarations) of each rule that is about this.

    Custom properties come with the rules for the whole page, and by their names alone where they are set elsewhere.
    """
    pieces = _BRACES.split(_COMMENT.sub("", css[:MAX_CSS]))[: 4 * MAX_RULES]
    depth = 0
    elsewhere: set[str] = set()
    for index in range(0, len(pieces) - 1, 2):
        piece, mark = pieces[index], pieces[index + 1]
        if mark == "{":
            depth += 1
        else:
            if index and pieces[index - 1] == "{":
                selectors = pieces[index - 2].rpartition(";")[2].strip()
                if selectors.startswith("@"):
                    depth -= 1
                    continue
                if DECLARES.search(piece) is not None or _is_about_place(selectors, piece):
                    yield depth == 1, selectors[:1_000], piece[:1_000]
                if "--" in piece:
                    set_here = [(one[1], one[2].strip()) for one in _PROPERTY.finditer(piece)]
                    if depth == 1 and _FOR_ALL.issuperset(map(str.strip, selectors.split(","))):
                        kept = [f"{name}:{value}" for name, value in set_here if _INK.fullmatch(value) is not None]
                        elsewhere.update(name for name, value in set_here if _INK.fullmatch(value) is None)
                        if kept:
                            yield True, ":root", ";".join(kept)
                    else:
                        elsewhere.update(name for name, _ in set_here)
            depth -= 1
    if elsewhere:
        yield False, ELSEWHERE, ";".join(f"{name}:" for name in sorted(elsewhere)[:MAX_RULES])


def _is_about_place(selectors: str, declarations: str) -> bool:
    """Return whether a rule lays something over the window or a part, or decides whether that can be used."""
    if _LAYS.search(declarations) is not None:
        return True
    if _APART.search(declarations) is not None and OF_PARTS.search(selectors) is not None:
        return True
    if (":nth-" in selectors or "+" in selectors) and OF_PARTS.search(selectors.partition(":")[0]) is not None:
        # Where parts stand apart, such rules put each in its place.
        return _MOVED.search(declarations) is not None
    return _CUTS.search(declarations) is not None and not _FOR_ALL.isdisjoint(map(str.strip, selectors.split(",")))


def ink_rules(css: str) -> tuple[str, ...] | None:
    """List these rules of a sheet, as ``read_ink_rule`` reads them; ``None`` if there are more than are kept."""
    if len(css) > MAX_CSS:
        return None
    kept: list[str] = []
    size = 0
    for is_plain, selectors, declarations in ink_blocks(css):
        names = _PLACING if _is_about_place(selectors, declarations) else _NAMES
        wanted = (one.strip() for one in declarations.split(";") if _is_kept(one.partition(":")[0], names))
        kept.append(f"{'+' if is_plain else '?'}{' '.join(selectors.split())}{{{';'.join(wanted)}")
        size += len(kept[-1])
        if len(kept) >= MAX_RULES or size > MAX_CHARACTERS:
            return None
    return tuple(kept)


def _is_kept(name: str, names: frozenset[str]) -> bool:
    plain = name.strip().lower()
    return plain in names or plain.startswith("--")


def read_ink_rule(rule: str) -> tuple[bool, str, str]:
    """The same three parts of a kept rule."""
    selectors, _, declarations = rule[1:].partition("{")
    return rule[:1] == "+", selectors, declarations
