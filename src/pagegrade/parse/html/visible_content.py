"""Visible content of a page as served."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from typing import Final

from turbohtml import Element, Text

from pagegrade.model.document import Document, Script
from pagegrade.parse.cascade.states import attribute_of
from pagegrade.parse.css.ink import ink_blocks
from pagegrade.parse.url import host, registrable_domain, strip_fragment

MAX_NODES: Final = 2_000
"""Elements of the body that are searched for a drawing; a page with more of them shows something."""
_DRAWN: Final = frozenset(
    {"svg", "canvas", "video", "audio", "object", "embed", "math", "picture", "img", "hr", "frame"}
)
_UNDRAWN: Final = (
    "dialog:not([open]), [popover], noscript, canvas, template, datalist, audio, progress, meter, details:not([open])"
)
"""Elements whose content browsers do not draw, or not until a visitor opens them."""
_OPENERS: Final = "[popovertarget], [commandfor]"
_MIN_UNDRAWN: Final = 100
"""Characters of a main part that was written to be read."""
_MIN_FALLBACK: Final = 300
"""The same of a text for browsers that cannot draw something, which otherwise is a note."""
_MAX_BESIDE: Final = 120
"""Characters beside it that are a heading or a note; what is more is a page of its own."""
_MAX_UNDRAWN: Final = 5
_MAX_NAMES: Final = 100
"""Of those by which a script finds something."""
_TAG: Final = re.compile(r"<[^<>]{0,500}>")
_INVISIBLE: Final = (
    " \t\n\r\f\v\u00a0\u00ad\u034f\u061c\u115f\u1160\u180e\u2002\u2003\u2009\u200b\u200c\u200d\u200e\u200f\u202f\u2060"
    "\u2800\u3000\u3164\ufeff\uffa0"
)
"""Characters that draw nothing: blanks, marks of direction and of joining, fillers of Hangul, an empty braille cell."""
_UNSEEN: Final = frozenset({"script", "style", "template", "noscript"})
_OPACITY: Final = re.compile(
    r"(?<![\w-])opacity\s{0,5}:\s{0,5}([\d.]{1,20})(%?)\s{0,5}(!\s{0,5}important)?", re.IGNORECASE
)
_NOTHING_LEFT: Final = re.compile(r"opacity\s{0,5}:\s{0,5}(?:0|\.0)(?!\.?[1-9])")
_MAX_RULES: Final = 2_000
_MAX_RULE: Final = 1_000
"""Characters of a rule up to a declaration of it."""
_OF_ROOT: Final = re.compile(
    r"(?:(?:html|body|:root)(?![\w-])|(?=[.#]))[.#\w-]{0,200}(?:[\s>]{1,5}body(?![\w-])[.#\w-]{0,200})?"
)
"""A selector of the page as a whole by its names."""
_NAME: Final = re.compile(r"[.#]([\w-]{1,80})")
_QUEUE: Final = re.compile(r"(?:window\.)?\b([A-Za-z_$][\w$]{1,40})\s?=\s?(?:window\.)?\1\s?\|\|\s?\[\]")
"""A list in which a script leaves orders for another one that comes later."""
_MAX_ORDERS: Final = 20
_MAX_ORDER: Final = 2_000
_MIN_WAITING: Final = 300
"""Characters of a main part that is hidden piece by piece."""
_MAX_DEPTH: Final = 4
"""Elements within one another that hold nearly all of a main part."""
_NO_TEXT: Final = frozenset({"script", "style", "template", "noscript", "svg"})
_NEVER_TEXT: Final = ", ".join(sorted(_NO_TEXT))
_REVEALS: Final = (
    ".animate",
    ".css(",
    ".show(",
    ".style",
    "IntersectionObserver",
    "Attribute(",
    "className",
    "classList",
    "fadeIn(",
    "fadeTo(",
    "lass(",
)
"""Parts of scripts that show an element which they find by its name; a call of a missing library has none."""
_SHOWS: Final = re.compile(r"visibility\s{0,3}:\s{0,3}visible", re.IGNORECASE)
_LOADS: Final = ("createElement", "import(", "fetch(", "XMLHttpRequest", "visib")
"""Parts of scripts that may bring another one, or show anything."""
_LOADERS: Final = ('createElement("script', "createElement('script", "import(", "webpackChunk")
"""The same in a file, where those of other sites, such as counters of visits, bring nothing that shows the page."""
_SHOWN_REFERENCES: Final = frozenset({"image", "media", "object", "frame"})


def shows_nothing(document: Document) -> bool:
    """Return whether the body holds neither text nor anything else that a visitor sees."""
    if document.text.strip(_INVISIBLE):
        return False
    seen = (*document.frames, *document.anchors, *document.images, *document.controls, *document.named)
    if any(not one.hidden for one in seen):
        return False
    if any(one.kind in _SHOWN_REFERENCES and not one.hidden for one in document.references):
        return False
    return not any(
        isinstance(one, Element) and one.tag in _DRAWN for one in _nodes(document, hides=document.visibility.hides)
    )


def holds_something(document: Document) -> bool:
    """Return whether the body holds text or a drawing, whether or not it is shown."""
    return any(
        one.tag in _DRAWN if isinstance(one, Element) else bool(one.data.strip(_INVISIBLE))
        for one in _nodes(document, hides=lambda _: False)
    )


def find_undrawn(document: Document, part: Element) -> Element | None:
    """Find the element that holds nearly all of a part of the page and whose content browsers do not draw."""
    undrawn = [*islice(part.select(_UNDRAWN), _MAX_UNDRAWN)]
    size = _length(part) if undrawn else 0
    if size < _MIN_UNDRAWN:
        return None
    for node in undrawn:
        length = _length(node)
        if 5 * length < 4 * size or size - length > _MAX_BESIDE:
            continue
        if node.tag == "details":
            summary = next((one for one in node if isinstance(one, Element) and one.tag == "summary"), None)
            return node if summary is not None and document.visibility.hides(summary) else None
        if node.tag == "dialog" or "popover" in node.attrs:
            root = part.root if hasattr(part, "root") else part
            return node if next(iter(root.select(_OPENERS)), None) is None else None
        return node if length >= _MIN_FALLBACK else None
    return None


def _length(node: Element) -> int:
    """Characters of a text without markup, which is the text of some elements."""
    return len(" ".join(_TAG.sub(" ", str(node.text)).split()))


def _nodes(document: Document, *, hides: Callable[[Element], bool]) -> Iterator[Element | Text]:
    """The first elements and texts of the body, without those that are hidden; a rule stands for too many."""
    body = document.body.node if document.body is not None else None
    if not isinstance(body, Element) or hides(body):
        return
    left = MAX_NODES
    stack: list[Iterator[object]] = [iter(body)]
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
        elif isinstance(child, Text):
            yield child
        elif isinstance(child, Element) and child.tag not in _UNSEEN and not hides(child):
            left -= 1
            if not left:
                yield Element("hr")
                return
            yield child
            stack.append(iter(child))


def stays_faded(document: Document, script_names: Mapping[str, Collection[str] | None]) -> bool:
    """Return whether the page's own rules leave all of it without opacity, and no script that runs takes that back.

    Args:
        document: The page.
        script_names: URL of a script -> those of ``names_of_root`` that are in it; ``None`` if it was not read.
    """
    body = document.body
    names = names_of_root(body.node) if body is not None and isinstance(body.node, Element) else ()
    if not names:
        return False
    running = document.running_scripts
    wanted = sum(one.url is not None and _is_code(one) for one in document.scripts)
    is_missing = wanted > sum(one.url is not None for one in running)
    texts = [
        script_names.get(strip_fragment(one.url))
        if one.url is not None
        else _split_orders(one.text)[0]
        if is_missing
        else one.text
        for one in running
    ]
    return all(said is not None and not any(name in said for name in names) for said in texts)


def find_waiting(
    document: Document, part: Element, script_names: Mapping[str, Collection[str] | None]
) -> Element | None:
    """Find the first of the elements that hide nearly all of a main part until a script shows them that is missing.

    Args:
        document: The page.
        part: Its main part, which is not hidden itself.
        script_names: URL of a script -> those of ``names_within`` that are in it; ``None`` if it was not read.
    """
    # An animation of the page's own may show it.
    if any(_SHOWS.search(one.text.partition("@keyframes")[2]) is not None for one in document.styles):
        return None
    visibility = document.visibility
    levels = _levels(part)
    size = levels[0][0] if levels else 0
    if size < _MIN_WAITING or 5 * len(document.main_text) > size or visibility.is_uncertain(part):
        return None
    for _, pieces in levels:
        hidden = [(one, n) for one, n in pieces if visibility.hides(one) and _is_static(one)]
        if 5 * sum(n for _, n in hidden) < 4 * size:
            continue
        if any(visibility.is_uncertain(one) or visibility.may_show(one) for one, _ in hidden):
            return None
        return hidden[0][0] if _waits_in_vain(document, names_within(part), script_names) else None
    return None


def hides_much(document: Document, part: Element) -> bool:
    """Return whether a main part holds a text that a rule hides, as one that a script or a link to a place shows."""
    size = len(str(part.text).strip()) - sum(len(str(one.text)) for one in part.select(_NEVER_TEXT))
    return 5 * len(document.main_text) <= size >= _MIN_WAITING


def _is_static(node: Element) -> bool:
    """Return whether an element is none that visitors open, or that its author hides by itself."""
    return node.tag != "dialog" and "popover" not in node.attrs and "hidden" not in node.attrs


def names_within(part: Element) -> tuple[str, ...]:
    """Classes and attributes of the elements that hold half of a part's text, and what a script may take from the root.

    Those are classes of ``html`` and ``body``, and ids of styles. The calls by which a script loads another one are
    among them. There are none without names of elements: a script may find those in another way.
    """
    levels = _levels(part)
    sizes: dict[str, int] = {}
    for size, pieces in levels if levels and levels[0][0] >= _MIN_WAITING else ():
        of_level: dict[str, int] = {}
        for one, length in pieces:
            names = set((attribute_of(one, "class") or "").split())
            names.update(name for name in one.attrs if name.startswith("data-"))
            for name in names:
                of_level[name] = of_level.get(name, 0) + length
        sizes.update((name, n) for name, n in of_level.items() if 2 * n >= size and len(name) > 1)
    if sizes:
        for root in (one for one in part.ancestors if isinstance(one, Element) and one.tag in {"html", "body"}):
            sizes.update(dict.fromkeys((attribute_of(root, "class") or "").split(), 1))
            styles = root.select("style[id]") if root.tag == "html" else []
            sizes.update(dict.fromkeys(filter(None, (attribute_of(one, "id") for one in styles)), 1))
    return (*sorted(sizes)[:_MAX_NAMES], *(_LOADERS if sizes else ()))


def _levels(part: Element) -> list[tuple[int, list[tuple[Element, int]]]]:
    """(characters, the elements in it with theirs) of a part and of those within it that hold nearly all of it."""
    found: list[tuple[int, list[tuple[Element, int]]]] = []
    at, size = part, len(str(part.text).strip())
    while len(found) < _MAX_DEPTH:
        pieces = [
            (one, len(str(one.text).strip())) for one in at if isinstance(one, Element) and one.tag not in _NO_TEXT
        ]
        if not pieces:
            break
        found.append((size, pieces))
        at, within = max(pieces, key=lambda one: one[1])
        if 5 * within < 4 * size:
            break
        size = within
    return found


def _waits_in_vain(
    document: Document, names: Collection[str], script_names: Mapping[str, Collection[str] | None]
) -> bool:
    """Return whether a script is missing, or none runs, and no other one knows a name or brings more."""
    running = document.running_scripts
    wanted = sum(one.url is not None and _is_code(one) for one in document.scripts)
    if not names or wanted <= sum(one.url is not None for one in running) or _reveals_by_attribute(document):
        return False
    # A script with a type of its own runs later, when another one says so.
    if any(one.kind == "data" and "script" in one.attrs.get("type", "").lower() for one in document.scripts):
        return False
    own = registrable_domain(host(document.url))
    for one in running:
        if one.url is not None:
            said = script_names.get(strip_fragment(one.url))
            if said is not None and registrable_domain(host(one.url)) != own:
                said = [name for name in said if name not in _LOADERS]
            if one.kind == "module" or said is None or any(name in said for name in names):
                return False
        elif any(mark in one.text for mark in _LOADS):
            return False
        if any(name in one.text for name in names) and any(mark in one.text for mark in _REVEALS):
            return False
    return True


def _reveals_by_attribute(document: Document) -> bool:
    """Return whether an attribute for an event, such as ``onload``, may show something."""
    body = document.body.node if document.body is not None else None
    root = body.parent if isinstance(body, Element) else None
    return root is not None and any(
        name.startswith("on") and any(mark in str(value) for mark in (*_REVEALS, "remove("))
        for one in root.descendants
        if isinstance(one, Element)
        for name, value in one.attrs.items()
    )


def _is_code(script: Script) -> bool:
    """Return whether browsers with modules run a script if its file is there."""
    return script.kind == "module" or (script.kind == "classic" and "nomodule" not in script.attrs)


def _split_orders(text: str) -> tuple[str, dict[str, str]]:
    """(an inline script without what it only leaves in lists for other scripts, name of a list -> what it leaves)."""
    orders: dict[str, str] = {}
    for queue in [*islice(_QUEUE.finditer(text), _MAX_ORDERS)]:
        text = text.replace(queue[0], "", 1)
        pattern = re.compile(rf"(?:window\.)?(?<![\w$]){re.escape(queue[1])}\.push\(")
        at = 0
        for _ in range(_MAX_ORDERS):
            order = pattern.search(text, at)
            if order is None:
                break
            at, depth = order.end(), 1
            for at in range(order.end(), min(len(text), order.end() + _MAX_ORDER)):
                depth += (text[at] == "(") - (text[at] == ")")
                if not depth:
                    break
            if depth:
                break
            orders[queue[1]] = orders.get(queue[1], "") + text[order.end() : at + 1]
            text, at = text[: order.start()] + text[at + 1 :], order.start()
    return text, orders


def names_of_root(body: Element) -> tuple[str, ...]:
    """The names by which a script shows a page that its own rules leave without opacity; empty for one that is shown.

    Testing tools hide a page until they have changed it, so that visitors do not see the change. A rule with an
    animation shows the page by itself. The list in which an inline script leaves an order that has such a name in it is
    one, too, as the script that carries the order out knows it; all other lists of scripts show nothing.
    """
    html = body.parent
    if not isinstance(html, Element):
        return ()
    names = {"opacity"}
    last: dict[Element, tuple[bool, bool]] = {}
    styles = [(one, text) for one in html.select("style") if "opacity" in (text := one.text)]
    if not any(_may_fade(text, html, body) for _, text in styles):
        styles.clear()
    for style, text in styles:
        if (attribute_of(style, "media") or "all").lower() not in {"all", "screen"}:
            continue
        for is_plain, selectors, declarations in ink_blocks(text):
            found = [*_OPACITY.finditer(declarations)]
            for selector in filter(_OF_ROOT.fullmatch, map(str.strip, selectors.split(","))) if found else ():
                matched = [one for one in (html, body) if is_plain and one.matches(selector)]
                # A name that would hide the page if it were there shows nothing, whoever sets it.
                if matched or not is_plain or found[-1][1].strip("0."):
                    names.update(_NAME.findall(selector), (attribute_of(style, "id") or "").split())
                for one in matched:
                    _fade(last, one, found[-1], is_moved="animation" in declarations)
    for one in (html, body):
        own = attribute_of(one, "style") or ""
        for match in _OPACITY.finditer(own):
            _fade(last, one, match, is_moved="animation" in own)
    if not any(is_unseen for is_unseen, _ in last.values()):
        return ()
    # What is said to be important, a script cannot overrule: it takes the name or the element away.
    if len(names) > 1 and all(firm for is_unseen, firm in last.values() if is_unseen):
        names.discard("opacity")
    known = sorted(names)[:_MAX_NAMES]
    scripts = (one.text for one in islice(html.select("script:not([src])"), _MAX_NAMES))
    lists = (one for text in scripts for one in _split_orders(text)[1].items())
    names.update(one for one, orders in lists if any(name in orders for name in known))
    return tuple(sorted(names)[:_MAX_NAMES])


def _may_fade(css: str, html: Element, body: Element) -> bool:
    """Return whether a rule for the page as a whole takes its opacity; false for nearly all sheets, and quick."""
    roots = {"html", "body", ":root", *(f"#{name}" for one in (html, body) if (name := attribute_of(one, "id")))}
    roots.update(f".{name}" for one in (html, body) for name in (attribute_of(one, "class") or "").split())
    for match in islice(_NOTHING_LEFT.finditer(css), _MAX_RULES):
        begin = max(0, match.start() - _MAX_RULE)
        end = css.rfind("{", begin, match.start())
        begin = max(begin, *(css.rfind(mark, begin, max(begin, end)) for mark in "{};"))
        selectors = css[begin : max(begin, end)]
        if any(one in selectors for one in roots):
            return True
    return False


def _fade(last: dict[Element, tuple[bool, bool]], node: Element, match: re.Match[str], *, is_moved: bool) -> None:
    """Note (whether nothing is left, whether that is important) of a declaration that counts more than those before."""
    is_firm = match[3] is not None
    if is_firm or not last.get(node, (False, False))[1]:
        last[node] = (not match[1].strip("0.") and not is_moved, is_firm)
