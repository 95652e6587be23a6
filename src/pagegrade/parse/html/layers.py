"""Finds what lies over a page and takes it away from visitors: layers over the window, and parts over one another."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from turbohtml import Element

from pagegrade.model.document import Document
from pagegrade.parse.cascade.states import attribute_of
from pagegrade.parse.css.ink import OF_PARTS, ink_blocks, read_ink_rule
from pagegrade.parse.url import host, join_url, registrable_domain

MAX_LAYERS: Final = 20
"""Layers, and style sheets, that are looked at."""
_MAX_LOOKED_AT: Final = 400
_MAX_ITEMS: Final = 3
_FIXED: Final = re.compile(r"position:fixed")
_COVERS: Final = re.compile(r"(?:^|;)inset:0(?:px)?(?:;|$)")
_WIDE: Final = ("left:0(?:px)?", "width:100(?:%|vw)|right:0(?:px)?")
_SIDES: Final = tuple(
    re.compile(rf"(?:^|;)(?:{one})(?:;|$)") for one in ("top:0(?:px)?", *_WIDE, "height:100(?:%|d?vh)|bottom:0(?:px)?")
)
_ACROSS: Final = tuple(re.compile(rf"(?:^|;)(?:{one})(?:;|$)") for one in _WIDE)
_BAR: Final = re.compile(r"(?:^|;)(?:min-)?height:(\d{1,2})(?:d?vh|%)")
_EDGE: Final = re.compile(r"(?:^|;)(top|bottom):0(?:px)?(?:;|$)")
MIN_BARS: Final = 90
"""Hundredths of the window from which on bars at its edges leave no line of the page."""
_UNSEEN: Final = re.compile(r"display:none|visibility:hidden|opacity:0(?:;|$)|pointer-events:none|z-index:-|transform:")
_ABOVE: Final = re.compile(r"z-index:[1-9]\d")
_GROUND: Final = re.compile(
    r"background(?:-color)?:(?:#(?:[0-9a-f]{3}|[0-9a-f]{6})|rgb\([^)]*\)|(?!none|transparent|inherit|initial|unset)[a-z]{3,20}|var\(--[^)]*\))(?:;|$)"
)
"""A color that nothing shines through."""
NAME: Final = re.compile(r"(?:[\w-]{1,80}\s?>\s?)?[.#]?[A-Za-z_][\w-]{0,80}")
_BLOCK: Final = re.compile(r"(?:\A|/)([.#\w,>\s-]{1,300})\{([^{}]{1,1000})\Z")
_OPERABLE: Final = (
    "a, button, input, select, textarea, form, summary, iframe, video, [onclick], [tabindex], [role=button], main, h1"
)
_MIN_SENTENCE: Final = 15
"""Characters of what is more than a word that the page loads."""
_WITHOUT_SCRIPTS: Final = (
    "a[href], form[action], input[type=checkbox], input[type=radio], summary, iframe, video, main, h1"
)
"""Elements that visitors can operate on a page that runs no script."""
_MIN_BELOW: Final = 300
"""Characters of a page that a frame of another one takes away."""
_CELL: Final = re.compile(
    r"(?:^|;)grid-area:(?:\d{1,2}/\d{1,2}(?:/-?\d{1,2}){0,2}|(?!auto|in(?:herit|itial)|revert|span|unset)[\w-]{1,40})(?:;|$)|"
    r"(?:^|;)grid-(row|column):\d{1,2}(?:/-?\d{1,2})?;(?:[^;]{0,80};){0,6}grid-(?!\1)(?:row|column):\d{1,2}(?:/-?\d{1,2})?(?:;|$)"
)
"""One certain cell of a grid."""
_APART: Final = re.compile(r"(?:^|;)position:absolute(?:;|$)")
_PLACED: Final = re.compile(r"(?:^|;)(?:top|bottom|inset)[\w-]*:")
_PUT: Final = re.compile(r"(?:^|;)(?:top|left|right|bottom|inset|translate|transform|margin)[\w-]*:|position:")
"""Declarations that move a part that stands apart."""
_GENERATED: Final = re.compile(r"([a-z]+|[.#]?[A-Za-z_][\w-]{0,80}):{1,2}(?:before|after)")
_TURNS: Final = re.compile(r"(?:^|;)(?:opacity|visibility|display:none|animation|transition|transform)")
"""Declarations that show such parts one after the other."""
_STRUCTURAL: Final = re.compile(r"[\w\s.#>+~*-]{1,200}(?::nth-(?:last-)?(?:child|of-type)\([\dn+\s-]{1,20}\))?")
MAX_PLACING: Final = 40
"""Selectors that place something in a grid; with more nothing is known, as each is looked up in the page."""
MIN_PILED: Final = 3
_MIN_PART: Final = 60
"""Parts in one place, and characters of each, that are text and no picture with its caption."""


def rules_of(document: Document, sheets: Sequence[Sequence[str]]) -> Iterator[tuple[bool, str, str]]:
    """Yield the rules of the page and its sheets that are about this, as ``ink_blocks`` does."""
    for style in document.styles[:MAX_LAYERS]:
        yield from ink_blocks(style.text)
    for sheet in sheets[:MAX_LAYERS]:
        yield from map(read_ink_rule, sheet)


def find_cover(document: Document, body: Element, sheets: Sequence[Sequence[str]]) -> tuple[Element, bool] | None:
    """Find a layer over the window with nothing to press, fill in or follow, and whether a script may take it away."""
    generated = _generated(document, body, sheets)
    if generated is not None:
        return generated, bool(document.running_scripts)
    bars = {"top": 0, "bottom": 0}
    for node, declarations in islice(_fixed(document, body, sheets), MAX_LAYERS):
        plain = _plain(declarations)
        if _UNSEEN.search(plain) is not None or document.visibility.hides(node):
            continue
        found = _cover(document, node, plain) if covers_window(plain) else None
        if found is not None:
            return node, found
        if (edge := _EDGE.search(plain)) and (height := _BAR.search(plain)) and _GROUND.search(plain):
            if all(side.search(plain) for side in _ACROSS):
                bars[edge[1]] = max(bars[edge[1]], int(height[1]))
            if all(bars.values()) and sum(bars.values()) >= MIN_BARS:
                return node, False
    return None


def _generated(document: Document, body: Element, sheets: Sequence[Sequence[str]]) -> Element | None:
    """The element before or behind which a rule generates an empty layer over the window that nothing shines through.

    Nobody can press it away, and what is below it gets neither light nor presses.
    """
    if not any("content" in said and ":" in one for one, said in _blocks(document, sheets, "fixed")):
        return None
    for is_plain, selectors, declarations in rules_of(document, sheets):
        if not is_plain or "fixed" not in declarations or "content" not in declarations:
            continue
        plain = _plain(declarations).replace("!important", "")
        if not covers_window(plain) or _UNSEEN.search(plain) is not None or not _is_opaque(plain):
            continue
        for match in filter(None, map(_GENERATED.fullmatch, map(str.strip, selectors.split(",")))):
            root = body.parent if match[1] == "html" else body
            found = root if match[1] in {"html", "body"} else next(iter(body.select(match[1])), None)
            if isinstance(found, Element) and not document.visibility.hides(found):
                return found
    return None


def _cover(document: Document, node: Element, plain: str) -> bool | None:
    """Return whether a script may take a layer away that takes the page away; ``None`` for one that does not."""
    text = " ".join(str(node.text).split())
    runs = bool(document.running_scripts)
    if 2 * len(text) > len(document.text):
        return None
    if node.tag == "iframe":
        return runs if _ABOVE.search(plain) is not None and len(document.text) >= _MIN_BELOW else None
    if not text and (runs or not _is_opaque(plain)):
        return None
    operable = _OPERABLE if runs else _WITHOUT_SCRIPTS
    if not runs and _is_opaque(plain) and not _takes_away(node):
        return False
    if not any(map(_leads_on(document), islice(node.select(operable), _MAX_LOOKED_AT))):
        # A word over a page that loads goes when scripts have run.
        return len(text) < _MIN_SENTENCE and runs
    return None


def _leads_on(document: Document) -> Callable[[Element], bool]:
    """Return whether what can be operated is no link to another site, which takes visitors away from the page."""
    own = registrable_domain(host(document.url))

    def leads(node: Element) -> bool:
        address = (attribute_of(node, "href") or "").strip() if node.tag == "a" else ""
        url = join_url(document.base_url, address) if "//" in address else None
        return url is None or "onclick" in node.attrs or registrable_domain(host(url)) == own

    return leads


def _takes_away(cover: Element) -> bool:
    """Return whether something in a layer may take it away without a script, or is what the page is about."""
    if next(iter(cover.select("form, input, summary, iframe, video, main, h1, article")), None) is not None:
        return True
    links = islice(cover.select("a[href]"), _MAX_LOOKED_AT)
    return any((attribute_of(one, "href") or "").strip()[:1] in {"", "#", "?"} for one in links)


def _fixed(document: Document, body: Element, sheets: Sequence[Sequence[str]]) -> Iterator[tuple[Element, str]]:
    """Elements that the page's own rules fix to the window at an edge of it, with what those declare."""
    for one in document.style_attributes:
        if "fixed" in one.value and not one.hidden and _is_at_edge(one.value) and isinstance(one.node, Element):
            yield one.node, one.value
    for style in document.styles[:MAX_LAYERS]:
        blocks = _pieces_with(style.text[: style.text.rfind("}") + 1], "fixed")
        for match in filter(None, map(_BLOCK.search, islice(blocks, _MAX_LOOKED_AT))):
            if _is_at_edge(match[2]):
                for selector in filter(NAME.fullmatch, map(str.strip, match[1].split(","))):
                    yield from ((node, match[2]) for node in islice(body.select(selector), _MAX_ITEMS))
    for rule in (one for sheet in sheets[:MAX_LAYERS] for one in sheet if "fixed" in one):
        is_plain, selectors, declarations = read_ink_rule(rule)
        if is_plain and _is_at_edge(declarations):
            for selector in filter(NAME.fullmatch, map(str.strip, selectors.split(","))):
                yield from ((node, declarations) for node in islice(body.select(selector), _MAX_ITEMS))


def _is_at_edge(declarations: str) -> bool:
    plain = _plain(declarations)
    return covers_window(plain) or (_BAR.search(plain) is not None and _EDGE.search(plain) is not None)


def _plain(declarations: str) -> str:
    return "".join(declarations[:1_000].lower().split())


def covers_window(declarations: str) -> bool:
    """Return whether a box with these declarations lies over the whole window, to be seen or not."""
    plain = _plain(declarations)
    if _FIXED.search(plain) is None:
        return False
    return _COVERS.search(plain) is not None or all(side.search(plain) for side in _SIDES)


def _is_opaque(plain: str) -> bool:
    """Return whether a layer lies above the page with a color of its own, and stays."""
    return _ABOVE.search(plain) is not None and _GROUND.search(plain) is not None and "animation" not in plain


def find_piled(document: Document, body: Element, sheets: Sequence[Sequence[str]]) -> tuple[Element, bool] | None:
    """Find the parts of a page that all lie in one cell of a grid, and whether a script may show one at a time."""
    texts = [one.text for one in document.styles]
    texts += (rule for sheet in sheets for rule in sheet if "grid-" in rule or "absolute" in rule)
    # Most grids place nothing in a cell of its own.
    if not any("grid-area" in one or "absolute" in one for one in texts) and not all(
        any(name in one for one in texts) for name in ("grid-row", "grid-column")
    ):
        return None
    if not _may_pile(document, body, sheets):
        return None
    placed: dict[Element, str] = {}
    left = MAX_PLACING
    for is_plain, selectors, declarations in rules_of(document, sheets):
        if not placed and "grid-" not in declarations and "absolute" not in declarations:
            continue
        place = _place_in(_plain(declarations).replace("!important", ""))
        is_cell = is_plain and place == "one"
        for selector in filter(_STRUCTURAL.fullmatch, map(str.strip, selectors.split(",")) if place else ()):
            left -= 1
            if left < 0:
                return None
            try:
                nodes = body.select(selector)
            except ValueError:
                continue
            for node in islice(nodes, _MAX_LOOKED_AT):
                # What two rules place lies where one of them says.
                placed[node] = selector if is_cell and node not in placed else ""
    groups: dict[tuple[object, str], list[tuple[Element, int]]] = defaultdict(list)
    for node, selector in placed.items():
        size = len(" ".join(str(node.text).split())) if selector else 0
        if size >= _MIN_PART and not document.visibility.hides(node) and not _is_put(document, node, selector):
            groups[node.parent, selector].append((node, size))
    for (_, selector), parts in groups.items():
        if len(parts) >= MIN_PILED and 2 * sum(size for _, size in parts) >= len(document.text):
            return parts[0][0], bool(document.running_scripts) and not {".", "#"}.isdisjoint(selector)
    return None


def _may_pile(document: Document, body: Element, sheets: Sequence[Sequence[str]]) -> bool:
    """Return whether a rule gives one place to elements that together hold half of the text; false for nearly all."""
    left = MAX_PLACING
    for selectors, declarations in _blocks(document, sheets, "absolute", "grid-"):
        # What stands apart is kept for the parts of a page alone.
        if "grid-" not in declarations and OF_PARTS.search(selectors.strip()) is None:
            continue
        if _place_in(_plain(declarations).replace("!important", "")) != "one":
            continue
        for selector in filter(_STRUCTURAL.fullmatch, map(str.strip, selectors.split(","))):
            left -= 1
            if left < 0:
                return True
            try:
                nodes = [*islice(body.select(selector), _MAX_LOOKED_AT)]
            except ValueError:
                continue
            if len(nodes) >= MIN_PILED and 2 * sum(len(str(one.text)) for one in nodes) >= len(document.text):
                return True
    return False


def _blocks(document: Document, sheets: Sequence[Sequence[str]], *words: str) -> Iterator[tuple[str, str]]:
    """Yield the (selectors, declarations) of the rules in which one of some words stands, whatever is around them.

    To read all rules of a page with their conditions takes as long as to parse the page.
    """
    for style in document.styles[:MAX_LAYERS]:
        for block in _pieces_with(style.text, *words):
            selectors, _, declarations = block.rpartition("{")
            yield re.split(r"[{;]|\*/", selectors)[-1], declarations
    for rule in (one for sheet in sheets[:MAX_LAYERS] for one in sheet if any(word in one for word in words)):
        yield read_ink_rule(rule)[1:]


def _pieces_with(css: str, *words: str) -> Iterator[str]:
    """Yield what stands between closing braces and holds one of some words; linear, and quick where they are rare."""
    start = 0
    places = {word: css.find(word) for word in words}
    while found := [at for at in places.values() if at >= 0]:
        at = min(found)
        end = css.find("}", at)
        end = len(css) if end < 0 else end
        yield css[max(start, css.rfind("}", start, at) + 1) : end]
        start = end + 1
        places.update((word, css.find(word, start)) for word, place in places.items() if 0 <= place < start)


def _place_in(plain: str) -> str:
    """Return ``one`` for declarations that give all parts the same place, ``any`` for others that put one somewhere."""
    is_apart = _APART.search(plain) is not None
    is_one = (is_apart and _PLACED.search(plain) is not None) or _CELL.search(plain) is not None
    if is_one and _TURNS.search(plain) is None:
        return "one"
    return "any" if is_apart or "grid-" in plain or _PUT.search(plain) is not None else ""


def _is_put(document: Document, node: Element, selector: str) -> bool:
    """Return whether its attribute, or another rule of the page for one of its names, puts a part somewhere else."""
    if _PUT.search(_plain(attribute_of(node, "style") or "")) is not None:
        return True
    names = {f".{one}" for one in (attribute_of(node, "class") or "").split()}
    names |= {f"#{attribute_of(node, 'id')}"} if "id" in node.attrs else set()
    for style in document.styles[:MAX_LAYERS] if names else ():
        for block in style.text.split("}")[:_MAX_LOOKED_AT]:
            selectors, _, declarations = block.rpartition("{")
            named = selectors.rpartition("{")[2].strip()
            is_other = named != selector and any(name in named for name in names)
            if is_other and _PUT.search(_plain(declarations)) is not None:
                return True
    return False
