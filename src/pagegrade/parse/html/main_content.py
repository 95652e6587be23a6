"""Finds what a page holds in the place of its main content: one frame, one picture, offers of apps, or nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Final, Literal
from urllib.parse import unquote

import msgspec
from turbohtml import Element

from pagegrade.model.document import Document, Frame, Image, Node
from pagegrade.parse.cascade.states import attribute_of
from pagegrade.parse.html.layers import MAX_LAYERS, NAME, find_cover, find_piled, rules_of
from pagegrade.parse.html.regions import Regions
from pagegrade.parse.html.unclosed import find_swallowing
from pagegrade.parse.html.visible_content import find_undrawn, find_waiting, hides_much, names_of_root, names_within
from pagegrade.parse.page_content import frames, own_links, pictures, usable_controls
from pagegrade.parse.url import host, is_http, registrable_domain, strip_fragment
from pagegrade.parse.words import says_more_than

MAX_WORDS: Final = 40
"""Words of the whole page up to which a picture is all that it has."""
MAX_FRAME_WORDS: Final = 20
"""The same for a frame, which may be a film with a sentence about it."""
MAX_MAIN_WORDS: Final = 20
"""Words of the main content up to which it says no more than that there is nothing."""
MAX_SORRY_WORDS: Final = 60
"""The same for a page that has nothing of what its address names, and leads nowhere but back."""
MAX_APP_WORDS: Final = 80
MAX_HARDLY_ANY_WORDS: Final = 15
"""Words of a page without a heading, a link, a picture or a field, up to which it says nothing."""
_MAX_BESIDE_DOCUMENT: Final = 40
_MAX_LOOKED_AT: Final = 400
_MAX_ONWARD: Final = 4
_MAX_PICTURES: Final = 4
_MAX_NAME: Final = 15
"""Words of a name and a line below it."""
_MIN_PICTURE_PX: Final = 500
_MIN_AREA_PX: Final = 500_000
_MIN_FRAME_PX: Final = 500
_LOW: Final = re.compile(r"(?:^|;)height:(?:[1-4]?\d{1,2})px")
_STORES: Final = frozenset(
    {
        "play.google.com",
        "apps.apple.com",
        "itunes.apple.com",
        "appgallery.huawei.com",
        "appgallery.cloud.huawei.com",
        "apps.microsoft.com",
        "galaxystore.samsung.com",
        "apps.samsung.com",
    }
)
_STORE_SCHEMES: Final = ("market:", "itms-apps:", "itms:", "intent:")  # typos: allow
_HOLDS_MORE: Final = "table, dl, form, fieldset, video, audio, object, embed, canvas, math, pre, iframe, blockquote"
_DRAWN: Final = "svg, canvas, video, audio, object, embed, math, table, pre"
_PLACES: Final = "[aria-busy], [data-src], [data-url], [data-endpoint], [data-component], progress"
_MAX_ITEMS: Final = 3
_LISTED: Final = ("a, li, img, picture, svg, [style*='url(']", "h2:not(:empty), h3:not(:empty)", "p:not(:empty)")
"""Things of which several are a list, the last of them beside few words alone."""
_MIN_CHARS: Final = 2

_SLUG: Final = re.compile(r"[\W_]+")
_STEM: Final = 5
"""Letters of a word that its forms have in common."""
_UNMARKED: Final = str.maketrans("łøđıæ", "lodia")
_NO_TEXT: Final = frozenset({"script", "style", "template", "noscript", "svg"})
_MIN_HIDDEN: Final = 100
"""Characters of a main part that was written to be read."""

_DOCUMENTS: Final = (".pdf", ".docx", ".doc", ".odt", ".pptx")
_MAX_FRAME_OF_SITE: Final = 5
"""Words outside of header, menu and footer up to which there is nothing between them."""
_MIN_SLICES: Final = 3
"""Large pictures, all of them declared to say nothing, from which on they are all that a page without a word has."""
MIN_WAITING: Final = 5
_PICTURE_FILE: Final = re.compile(r"\.(?:avif|gif|jpe?g|png|svg|webp)(?:\s|\Z)", re.IGNORECASE)
_MAX_QUERY: Final = 2_000
MAX_NAMES: Final = 30
_MIN_NAME: Final = 3
_NO_SCRIPTS: Final[Mapping[str, Collection[str] | None]] = MappingProxyType({})
_DIALOGS: Final = "dialog[open], [aria-modal=true], [role=dialog], [role=alertdialog]"
_ROOTS: Final = frozenset({"html", "body", ":root"})
_UNSCROLLED: Final = re.compile(r"(?:^|;)overflow(?:-y)?:(?:hidden|clip)")
_SCROLLED: Final = re.compile(r"(?:^|;)overflow(?:-y)?:(?:auto|overlay|scroll|visible)")
_DEAD: Final = re.compile(r"(?:^|;)pointer-events:none")
_ALL_LINKS: Final = frozenset({"a", "button"})
"""Selectors of a rule for everything that can be pressed."""
_ALIVE: Final = re.compile(r"(?:^|;)pointer-events:(?!none|inherit)[a-z]")
_MIN_LOCKED: Final = 300
"""Words of a page that no window shows at once."""

Kind = Literal[
    "hidden",
    "locked",
    "cover",
    "piled",
    "swallowed",
    "frame",
    "document",
    "picture",
    "waiting",
    "apps",
    "unwritten",
    "nothing",
]
"""Hidden main content, a page that no one can scroll or press, a cover over it, parts on one another, an open
element that takes it for text, another page in a frame, an embedded document, a picture, pictures that wait, links
to app stores, the site's frame alone, or nothing."""


class Stead(msgspec.Struct, frozen=True, gc=False):
    """Replacement of the main content."""

    kind: Kind
    node: Node
    url: str = ""
    scripts_may_add: bool = False
    """The page has a place that its scripts may fill."""


def stead_of(
    document: Document,
    *,
    sizes: dict[str, tuple[int, int]],
    own_share: float = 1.0,
    sheets: Sequence[Sequence[str]] = (),
    script_names: Mapping[str, Collection[str] | None] = _NO_SCRIPTS,
    lost: Collection[str] = (),
) -> Stead | None:
    """Find what stands in the place of the main content; ``None`` for a page that has one.

    Args:
        document: The page.
        sizes: Address of a picture -> its width and height in pixels, as far as they are known.
        own_share: Share of its words that the page does not have in common with what answers where nothing can be.
        sheets: The rules of the style sheets in files that lay something over the window (``parse.css.ink``).
        script_names: URL of a script -> those of ``names_of_main`` that are in it; ``None`` if it was not read.
        lost: Addresses of files where nothing answers.
    """
    body = document.body
    if body is None or not isinstance(body.node, Element):
        return _in_frameset(document)
    parts = [*islice(_main_parts(body.node), _MAX_ITEMS)]
    return (
        _hidden(document, parts, script_names)
        or _locked(document, sheets)
        or _inert(document, body.node, parts, script_names)
        or _covered(document, body.node, sheets)
        or _swallowed(document, body.node)
        or _in_document(document)
        or _in_frame(document, lost)
        or _in_picture(document, sizes)
        or _waiting(document)
        or _in_apps(document)
        or _in_nothing(document, body.node, next(iter(parts), None), own_share)
    )


def _hidden(
    document: Document, main: Sequence[Element], script_names: Mapping[str, Collection[str] | None]
) -> Stead | None:
    """The main part of the page, where a rule hides it."""
    parts = main or _largest(document)
    if parts and (undrawn := find_undrawn(document, parts[0])) is not None:
        may_draw = undrawn.tag not in {"details", "dialog"} and _may_show(document, parts[0], undrawn, script_names)
        is_opened = undrawn.tag == "dialog" or "popover" in undrawn.attrs
        return Stead("hidden", undrawn, scripts_may_add=may_draw or (is_opened and bool(document.running_scripts)))
    hidden = [_hidden_with(document, one) for one in parts]
    if hidden == [None] and (narrowed := _hidden_on_one(document, parts[0])) is not None:
        return Stead("hidden", narrowed, scripts_may_add=_may_show(document, parts[0], narrowed, script_names))
    if len(parts) == 1 and hidden == [None] and (within := _hidden_within(document, parts[0])) is not None:
        is_script = any(one.url is not None for one in document.running_scripts)
        return Stead("hidden", within, scripts_may_add=is_script or _may_show(document, within, within, script_names))
    if len(parts) == 1 and hidden == [None] and (waiting := find_waiting(document, parts[0], script_names)) is not None:
        return Stead("hidden", waiting)
    pairs = [(part, one) for part, one in zip(parts, hidden, strict=True) if one is not None]
    if not pairs or len(pairs) < len(parts) or max(len(str(one.text).strip()) for _, one in pairs) < _MIN_HIDDEN:
        return None
    may_show = any(_may_show(document, part, one, script_names) for part, one in pairs)
    return Stead("hidden", parts[0], scripts_may_add=may_show)


def _largest(document: Document) -> list[Element]:
    """The main heading of a page without a main part; what hides it hides the page."""
    found = (one.node for one in document.headings if one.level == 1)
    return [one for one in islice(found, 1) if isinstance(one, Element)]


def _hidden_with(document: Document, part: Element) -> Element | None:
    """The element that hides a part, itself or what is around it, for certain and with all its text."""
    visibility = document.visibility
    if visibility.is_uncertain(part):
        return None
    at: object = part
    while isinstance(at, Element) and at.tag not in {"body", "html"}:
        if visibility.hides(at) or visibility.is_clipped(at) or visibility.is_folded(at):
            is_part = part.tag == "main" or attribute_of(part, "role") == "main"
            return at if is_part or 2 * len(str(at.text)) > len(document.text) else None
        at = at.parent
    return None


def _hidden_on_one(document: Document, part: Element) -> Element | None:
    """Find what hides a part on one screen, narrow or wide, where nothing else is shown on that one alone instead."""
    visibility = document.visibility
    around = (part, *(one for one in part.ancestors if isinstance(one, Element) and one.tag not in {"body", "html"}))
    found = next((one for one in around if visibility.is_narrowed(one)), None)
    if found is None or document.meta("viewport") is None or visibility.is_uncertain(found):
        return None
    size = len(str(part.text).strip())
    if size < _MIN_HIDDEN or 2 * len(str(found.text)) <= len(document.text):
        return None
    root = document.body.node if document.body is not None else None
    others = (one for one in (root.iter_elements() if isinstance(root, Element) else ()) if visibility.is_narrowed(one))
    return None if any(found not in (one, *one.ancestors) for one in others) else found


def _hidden_within(document: Document, part: Element) -> Element | None:
    """The first of the elements inside a part that hide nearly all of its text, though a heading may be left."""
    visibility = document.visibility
    at, size = part, len(str(part.text).strip())
    for _ in range(_MAX_ITEMS):
        if size < _MIN_HIDDEN:
            return None
        within = [
            (one, len(str(one.text).strip())) for one in at if isinstance(one, Element) and one.tag not in _NO_TEXT
        ]
        hidden = [
            (one, length)
            for one, length in within
            if (visibility.is_clipped(one) or visibility.is_folded(one))
            and not visibility.is_uncertain(one)
            and not visibility.may_show(one)
        ]
        if 5 * sum(length for _, length in hidden) >= 4 * size:
            return hidden[0][0]
        widest = max(within, key=lambda one: one[1], default=(at, 0))
        if 5 * widest[1] < 4 * size:
            return None
        at, size = widest
    return None


def _may_show(
    document: Document, part: Element, hidden: Element, script_names: Mapping[str, Collection[str] | None]
) -> bool:
    """Return whether a script may show what is hidden: it names it, or a rule waits for a class that it sets."""
    if not document.running_scripts:
        return False
    if document.visibility.may_show(hidden) or "hidden" in hidden.attrs:
        return True
    names = names_around(part)
    for one in document.running_scripts:
        if one.url is None:
            if any(name in one.text for name in names):
                return True
        elif (said := script_names.get(strip_fragment(one.url))) is None or not names.isdisjoint(said):
            return True
    return False


def names_of_main(root: Element) -> tuple[str, ...]:
    """The names by which a script finds the main part of a page or what is around it, or shows the page."""
    parts = list(islice(_main_parts(root), _MAX_ITEMS)) or list(islice(root.select("h1"), 1))
    around = sorted(frozenset().union(*map(names_around, parts)))[:MAX_NAMES]
    return (*names_of_root(root), *around, *(names_within(parts[0]) if len(parts) == 1 else ()))


def names_around(part: Element) -> frozenset[str]:
    """Classes, ids, roles and names of attributes of an element and of those around it, below the body."""
    found: set[str] = {f'"{part.tag}"', f"'{part.tag}'"}
    at: object = part
    while isinstance(at, Element) and at.tag not in {"body", "html"}:
        for name in at.attrs:
            if name in {"class", "id"}:
                found.update((attribute_of(at, name) or "").split())
            elif "-" in name:
                found.add(name)
        at = at.parent
    return frozenset(one for one in found if len(one) >= _MIN_NAME)


def _main_parts(body: Element) -> Iterator[Element]:
    """The elements that are the main part of the page, without those of templates."""
    return (one for one in body.select("main, [role=main]") if one.closest("template") is None)


def _locked(document: Document, sheets: Sequence[Sequence[str]]) -> Stead | None:
    """A page that its own rules keep from being scrolled, or pressed anywhere; no script runs that could change it."""
    body = document.body
    if document.running_scripts or body is None:
        return None
    of_root, others, fixed = "", [], list[str]()
    for is_plain, selectors, declarations in rules_of(document, sheets):
        plain = "".join(declarations.lower().replace("!important", "").split())
        if is_plain and not _ROOTS.isdisjoint(one.strip() for one in selectors.split(",")):
            of_root += f";{plain}"
        else:
            if is_plain and _ALL_LINKS.issubset(map(str.strip, selectors.split(","))):
                of_root += ";pointer-events:none" if _DEAD.search(plain) is not None else ""
            others.append(plain)
            if "position:fixed" in plain:
                fixed += filter(NAME.fullmatch, map(str.strip, selectors.split(",")))
    for fact in (document.html, body):
        of_root += ";" + "".join((fact.attrs.get("style", "") if fact is not None else "")[:1_000].lower().split())
    others += ("".join(one.value.lower().split()) for one in document.style_attributes[:_MAX_LOOKED_AT])
    is_dead = _DEAD.search(of_root) is not None and not any(_ALIVE.search(one) for one in (of_root, *others))
    is_stuck = document.word_count >= _MIN_LOCKED and (
        _UNSCROLLED.search(of_root) is not None or any(_holds_most(document, one) for one in fixed[:MAX_LAYERS])
    )
    is_stuck = is_stuck and not any(_SCROLLED.search(one) for one in (of_root, *others))
    return Stead("locked", body.node) if is_dead or is_stuck else None


def _inert(
    document: Document,
    body: Element,
    parts: Sequence[Element],
    script_names: Mapping[str, Collection[str] | None],
) -> Stead | None:
    """The main part of a page, where nothing in it can be pressed, filled in or read aloud, and no dialog is open."""
    inert = next((one for one in parts[:1] if one.closest("[inert]") is not None), None)
    if inert is None or len(parts) > 1 or next(iter(body.select(_DIALOGS)), None) is not None:
        return None
    return Stead("locked", inert, scripts_may_add=_may_show(document, inert, inert, script_names))


def _holds_most(document: Document, selector: str) -> bool:
    """Return whether what a selector names holds nearly all of the text."""
    root = document.body.node if document.body is not None else None
    nodes = islice(root.select(selector), _MAX_ITEMS) if isinstance(root, Element) else ()
    return any(5 * len(str(one.text)) >= 4 * len(document.text) for one in nodes)


def _covered(document: Document, body: Element, sheets: Sequence[Sequence[str]]) -> Stead | None:
    """A layer over the window without a way out, or parts of the page that lie on one another."""
    found = find_cover(document, body, sheets)
    if found is not None:
        return Stead("cover", found[0], scripts_may_add=found[1])
    piled = find_piled(document, body, sheets)
    return None if piled is None else Stead("piled", piled[0], scripts_may_add=piled[1])


def _swallowed(document: Document, body: Element) -> Stead | None:
    """A construct that is never closed, and takes the markup of all that follows for its text."""
    node = find_swallowing(document, body)
    return None if node is None else Stead("swallowed", node)


def _in_frameset(document: Document) -> Stead | None:
    """One page of another site that fills the window, as a forwarding with a frame does."""
    shown = [one for one in document.frames if is_http(one.url or "")]
    if len(shown) != 1 or registrable_domain(host(shown[0].url or "")) == registrable_domain(host(document.url)):
        return None
    return Stead("frame", shown[0].node, shown[0].url or "")


def _in_document(document: Document) -> Stead | None:
    """A PDF file or the like that is shown inside the page."""
    references = document.references[:_MAX_LOOKED_AT]
    embedded = [one for one in references if one.kind in {"frame", "object"} and not one.hidden]
    if not embedded or says_more_than(document.main_text, _MAX_BESIDE_DOCUMENT):
        return None
    if len(usable_controls(document)) > 1 or len(pictures(document)) > 1:
        return None
    for one in embedded:
        path, _, query = strip_fragment(one.url).lower().partition("?")
        # Services that show documents are told their address.
        named = (path, *(unquote(value).partition("?")[0] for value in query[:_MAX_QUERY].split("&")))
        kind = one.attrs.get("type", "").strip().lower()
        if any(name.endswith(_DOCUMENTS) for name in named) or kind == "application/pdf":
            return Stead("document", one.node, one.url)
    return None


def _in_frame(document: Document, lost: Collection[str]) -> Stead | None:
    """Another page that fills this one, or one that does not exist in place of what is between header and footer."""
    gone = [one for one in frames(document) if lost and strip_fragment(one.url or "") in lost]
    if gone and not says_more_than(document.main_text, MAX_FRAME_WORDS) and not usable_controls(document):
        return None if pictures(document)[1:] else Stead("nothing", gone[0].node, gone[0].url or "")
    shown = [one for one in frames(document) if is_http(one.url or "") and _is_high(one)]
    if len(shown) != 1 or says_more_than(document.text, MAX_FRAME_WORDS):
        return None
    if usable_controls(document) or len(pictures(document)) > 1 or own_links(document) > 2:
        return None
    frame = shown[0]
    return Stead("frame", frame.node, frame.url or "")


def _is_high(frame: Frame) -> bool:
    height = frame.attrs.get("height", "").strip()
    style = "".join(frame.attrs.get("style", "")[:1_000].lower().split())
    if height.removesuffix("px").isdecimal():
        return int(height.removesuffix("px")) >= _MIN_FRAME_PX
    # A frame of which no height is known is 150 pixels high, unless a style sheet says otherwise.
    return height.endswith("%") or (
        not height and _LOW.search(style) is None and ("height" in style or "inset" in style)
    )


def _in_picture(document: Document, sizes: dict[str, tuple[int, int]]) -> Stead | None:
    """A picture of what the page should say."""
    slices = _slices(document, sizes)
    if slices is not None:
        return slices
    if says_more_than(document.text, MAX_WORDS) or frames(document) or usable_controls(document):
        return None
    onward = own_links(document)
    shown = pictures(document)
    if onward > _MAX_ONWARD:
        return None
    is_all = not onward and not says_more_than(document.text, _MAX_NAME)
    large = [one for one in shown if _is_large(one, sizes, in_landscape=is_all)]
    if not large or len(shown) > _MAX_PICTURES or any(one.kind == "media" for one in document.references):
        return None
    return Stead("picture", large[0].node, large[0].url or "")


def _slices(document: Document, sizes: dict[str, tuple[int, int]]) -> Stead | None:
    """Large pictures without an alternative, and not a word beside them between the header and the footer."""
    if document.main_word_count == document.word_count or says_more_than(document.main_text, _MAX_FRAME_OF_SITE):
        return None
    regions = Regions()
    shown = [one for one in pictures(document) if regions.of(one.node) == "main"]
    large = [one for one in shown if _is_large(one, sizes, in_landscape=True)]
    is_all = len(large) >= _MIN_SLICES and not any(one.attrs.get("alt", "").strip() for one in shown)
    return Stead("picture", large[0].node, large[0].url or "") if is_all else None


def _is_large(image: Image, sizes: dict[str, tuple[int, int]], *, in_landscape: bool) -> bool:
    width, height = sizes.get(image.url or "", (0, 0))
    declared = [image.attrs.get(name, "").strip() for name in ("width", "height")]
    if all(one.isdecimal() and len(one) < 6 for one in declared):
        width, height = int(declared[0]), int(declared[1])
    # Text is written downwards; a picture in landscape may be a photograph, if there is anything beside it.
    is_sheet = height >= width or in_landscape
    return width >= _MIN_PICTURE_PX and width * height >= _MIN_AREA_PX and is_sheet


def _waiting(document: Document) -> Stead | None:
    """Most of the pictures, whose addresses wait for a script, on a page that runs none."""
    if document.running_scripts:
        return None
    shown = [one for one in document.images[:_MAX_LOOKED_AT] if not one.hidden]
    waiting = [one for one in shown if not is_http(one.url or "") and any(map(_is_put_off, one.attrs.items()))]
    is_most = len(waiting) >= MIN_WAITING and 2 * len(waiting) > len(shown)
    return Stead("waiting", waiting[0].node) if is_most else None


def _is_put_off(attribute: tuple[str, str]) -> bool:
    """Return whether an attribute holds the address of a picture that browsers do not know."""
    name, value = attribute
    return name.startswith("data-") and _PICTURE_FILE.search(value[:_MAX_QUERY].partition("?")[0]) is not None


def _in_apps(document: Document) -> Stead | None:
    """Links to stores of apps, and no other way on."""
    if not _is_deep(document) or says_more_than(document.text, MAX_APP_WORDS) or usable_controls(document):
        return None
    offers = []
    for one in document.anchors[:_MAX_LOOKED_AT]:
        address = (one.url or one.href or "").strip()
        if not one.hidden and (host(address) in _STORES or address.lower().startswith(_STORE_SCHEMES)):
            offers.append(one)
    if not offers or own_links(document) > 2 or len(document.paragraphs) > _MAX_ITEMS:
        return None
    return Stead("apps", offers[0].node, offers[0].url or "")


def _in_nothing(document: Document, body: Element, root: Element | None, own_share: float) -> Stead | None:
    """A heading and a sentence between the header and the footer of the site: an empty list, cart or search."""
    if _says_nothing(document, body):
        return Stead("nothing", body, scripts_may_add=bool(document.running_scripts))
    controls = usable_controls(document)
    if not _is_deep(document) or len(controls) > 2 or any(one.type == "password" for one in controls):
        return None
    if root is None and own_share == 1.0:
        is_frame = _is_frame_of_site(document, body) and own_links(document) > 2
        may_add = bool(document.running_scripts) and _has_place(body)
        return Stead("unwritten", body, scripts_may_add=may_add) if is_frame else None
    text = document.text if root is None else document.main_text
    within = root if isinstance(root, Element) else body
    says_little = not (round(own_share * document.word_count) > MAX_MAIN_WORDS and says_more_than(text, MAX_MAIN_WORDS))
    if not says_little:
        is_sorry = root is not None and not says_more_than(text, MAX_SORRY_WORDS) and _only_leads_back(document, within)
        if not (is_sorry and _is_about_something_else(document, text)):
            return None
    if root is not None and (_has_more(within, says_little=says_little) or hides_much(document, root)):
        return None
    if own_links(document) <= 2 or (root is None and (len(pictures(document)) > _MAX_PICTURES or frames(document))):
        return None
    return Stead("nothing", within, scripts_may_add=bool(document.running_scripts) and _has_place(within))


def _says_nothing(document: Document, body: Element) -> bool:
    """Return whether there are a few words at most, without a heading, and nothing to see, to follow or to fill in."""
    if any(one.text and not one.hidden for one in document.headings) or own_links(document):
        return False
    if says_more_than(document.text, MAX_HARDLY_ANY_WORDS) or usable_controls(document):
        return False
    return not (pictures(document) or frames(document) or next(iter(body.select(_DRAWN)), None))


def _has_more(root: Element, *, says_little: bool) -> bool:
    """Return whether there is something beside a heading, a sentence and a search."""
    for node in root.select(_HOLDS_MORE):
        if node.tag != "form" or (attribute_of(node, "method") or "").strip().lower() == "post":
            return True
        if next(iter(node.select("textarea, select, input[type=email], input[type=tel], input[type=password]")), None):
            return True
    # Lines of their own are those of a poem or an address.
    if next(iter(root.select("address")), None) is not None or len(list(islice(root.select("p > br"), 2))) == 2:
        return True
    for names in _LISTED if says_little else _LISTED[:-1]:
        items = (one for one in root.select(names) if one.tag != "li" or str(one.text).strip())
        if len(list(islice(items, _MAX_ITEMS + 1))) > _MAX_ITEMS:
            return True
    return False


def _is_frame_of_site(document: Document, body: Element) -> bool:
    """Return whether a page is a header, a menu and a footer, with nothing between them."""
    if document.main_word_count == document.word_count or says_more_than(document.main_text, _MAX_FRAME_OF_SITE):
        return False
    regions = Regions()
    if any(one.text and not one.hidden and one.level == 1 for one in document.headings):
        return False
    things = islice(body.select(f"{_HOLDS_MORE}, article, img, picture, svg, textarea, select"), _MAX_LOOKED_AT)
    return not any(regions.of(one) == "main" and one.closest("template") is None for one in things)


def _only_leads_back(document: Document, root: Element) -> bool:
    """Return whether every link of a part leads to the front page or to what the address lies below; there is one."""
    here = _path(document.url)
    above = {"/".join(here[:length]) for length in range(len(here))}
    found = 0
    for one in document.anchors[:_MAX_LOOKED_AT]:
        if (
            one.hidden
            or not is_http(one.url or "")
            or not isinstance(one.node, Element)
            or root not in one.node.ancestors
        ):
            continue
        if host(one.url or "") != host(document.url) or "/".join(_path(one.url or "")) not in above:
            return False
        found += 1
    return found > 0


def _is_about_something_else(document: Document, text: str) -> bool:
    """Return whether the address names a certain thing in words, and none of them is on the page.

    Where the page is written in another script than its address, nothing is known. A page that names itself to search
    engines is one.
    """
    path = _path(document.url)
    words = [_plain(one) for one in _SLUG.split(path[-1]) if len(one) > 3 and not one.isdecimal()] if path else []
    is_certain = len(words) > 1 or len(path) > 1 or any(one.isdecimal() for one in _SLUG.split(path[-1]))
    if not words or not is_certain or any("canonical" in one.rel for one in document.links):
        return False
    named = " ".join((*(one.text[:300] for one in document.titles[:1]), text))
    plain = _plain(named)
    is_latin = 2 * sum(map(str.isascii, filter(str.isalpha, plain))) > sum(map(str.isalpha, plain))
    return is_latin and not any(one[:_STEM] in plain for one in words)


def _path(url: str) -> list[str]:
    """The parts of the path of an address."""
    return [one for one in unquote(strip_fragment(url).partition("?")[0].partition("://")[2]).split("/")[1:] if one]


def _plain(text: str) -> str:
    """Small letters without marks, as addresses have them."""
    decomposed = unicodedata.normalize("NFKD", text.casefold().translate(_UNMARKED))
    return "".join(one for one in decomposed if not unicodedata.combining(one))


def _has_place(root: Element) -> bool:
    """Return whether there is an empty element that scripts may fill: named, or one of their own."""
    if next(iter(root.select(_PLACES)), None) is not None:
        return True
    for node in islice(root.select("div, section, ul, ol, tbody"), _MAX_LOOKED_AT):
        is_named = any(name in {"id", "class"} or name.startswith("data-") for name in node.attrs)
        is_hollow = len(str(node.text).strip()) < _MIN_CHARS and next(iter(node.select("img, svg")), None) is None
        if is_named and is_hollow:
            return True
    return any("-" in node.tag for node in islice(root.iter_elements(), _MAX_LOOKED_AT))


def _is_deep(document: Document) -> bool:
    """Return whether the address is that of a certain page and not the front page."""
    return is_http(document.url) and len(document.url.partition("://")[2].partition("/")[2]) > 0
