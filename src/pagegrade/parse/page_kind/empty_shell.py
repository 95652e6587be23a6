"""Recognizes a page that is served without its content, which scripts add: by what is missing, not by framework."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec
from turbohtml import Element, Text

from pagegrade.model.document import Document, Frame
from pagegrade.parse.page_kind.sketch import fold, phrases
from pagegrade.parse.url import is_http

THRESHOLD: Final = 10
MAX_WORDS: Final = 60
"""Words of main text, without pleas and loading messages, from which a page has content of its own."""
_MAX_ALL_WORDS: Final = 260
"""The same with header, navigation and footer."""
_MAX_NODES: Final = 3_000
_FEW: Final = 12
_LARGE_INLINE: Final = 3_000
_MIN_SENTENCE: Final = 40
"""Characters of a paragraph that is more than a label."""
_MAX_MESSAGE: Final = 120
_MAX_WORD: Final = 24
_MOUNT: Final = re.compile(r"(?:^|[_-])(?:app|root|mount|application)(?:$|[_-])")
_MAX_WAIT_WORDS: Final = 6
"""Words of a message that ends with an ellipsis and says only that something is being done."""
_PLEA: Final = phrases(
    r"(?:please )?(?:enable|turn on|activate|allow|switch on)\b.{0,25}\bjava ?script",
    r"java ?script\b.{0,40}\b(?:is |must be |needs to be |has to be |to be )?(?:required|enabled|disabled|needed|"
    r"turned (?:on|off)|necessary|not (?:enabled|available|supported))",
    r"(?:requires?|needs?|without|doesn't work|does not work|works? (?:best )?with|depends on|"
    r"uses)\b.{0,30}\bjava ?script",
    r"(?:aktivieren|erlauben|einschalten|aktiviere|benötigt|benötigen|ohne|erfordert|braucht)\b.{0,40}\bjava ?script",
    r"java ?script\b.{0,40}\b(?:aktivier|eingeschaltet|erforderlich|benötigt|deaktiviert|einschalten)",
    r"(?:activer|activez|autoriser|nécessite|sans|besoin de)\b.{0,30}\bjava ?script",
    r"java ?script\b.{0,40}\b(?:activé|désactivé|nécessaire|requis|habilitado|necesario|requerido|activado|desactivado|"
    r"necessário|ativado|desativado|attiv|abilitato|disattivato|disabilitato|necessario|richiesto|ingeschakeld|"
    r"uitgeschakeld|nodig|"
    r"vereist|włączon|wyłączon|wymagan|povolen|zapnut|vypnut|nutný|aktiverat|aktiveret|aktivert|krävs|kræves|käytössä)",
    r"(?:habilit[aeo]|activ[aeo]r?|active|requiere|necesita|ativ[aeo]r?|ative|precisa|requer|attiv[ai]re?|"
    r"abilit[ai]|richiede|"
    r"schakel|zet|vereist|włącz|wymaga|povolte|zapněte|vyžaduje|kapcsolja|engedélyezze|activați|aktivera|aktiver|"
    r"slå på|ota)"
    r"\b.{0,30}\bjava ?script",
    r"java ?script.{0,3}(?:を|が)?.{0,5}(?:有効|必要|オン)|(?:启用|啟用|开启|打开|需要)"
    r".{0,8}java ?script|java ?script.{0,20}(?:활성|켜|필요)",
    r"(?:включите|необходим|требуется|без|отключен)\b.{0,30}\bjava ?script|java ?script\b.{0,30}(?:включ|отключ|"
    r"необходим|требуется)",
    r"(?:etkinleştir|gerekli|يرجى تفعيل|تمكين|הפעל).{0,20}java ?script|java ?script.{0,30}(?:etkin|gerek|מופעל)",
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_PLACEHOLDERS: Final = re.compile(
    r"(?:^|[\s_-])(?:skeleton|shimmer|placeholder|spinner|loader|loading|preloader|splash|sk|ghost|bone|pulse|"
    r"progress|lds|loadingio|boot|app-loading|throbber|ssc)(?:$|[\s_-]|\d)|animate-pulse|lds-|skeleton|spinner|"
    r"loader|shimmer"
)
_BUNDLE: Final = re.compile(
    r"(?:^|[/._-])(?:main|app|index|bundle|chunk|runtime|vendors?|polyfills?|bootstrap|flutter|blazor|elm|client|entry|"
    r"start|dotnet|webpack|umi|framework|boot|init|application|pages|commons?|manifest|react|vue|angular|svelte|ember)"
    r"[\w.~-]*\.(?:m?js|dart\.js)|[.-][0-9a-z_-]{6,24}\.m?js|/[0-9a-f]{8,64}\.m?js|/assets/[\w.-]+\.js|/static/js/|/_next/|/_nuxt/|/_app/|"
    r"/build/"
)
_IMPORT: Final = re.compile(
    r"\bimport\s?\(|\bimport\s[^;\n]{0,200}\bfrom\b|\b(?:create_?root|createApp|bootstrapApplication)\b"
)
_UNKNOWN: Final = frozenset({"app", "root", "main"})
"""Elements that mean a place for an application although their name has no hyphen."""
_SKIPPED: Final = frozenset({"script", "noscript", "style", "template", "link", "meta", "title", "base", "head"})
_DRAWN: Final = frozenset({"canvas", "svg", "progress", "slot"})
_SHOWN: Final = frozenset(
    {"video", "audio", "object", "embed", "picture", "table", "textarea", "select", "iframe", "frame"}
)
_LAYOUT: Final = frozenset({"header", "footer", "nav", "aside"})


class _Body(msgspec.Struct):
    """Content of the body, counted within limits."""

    mounts: int = 0
    """Named or custom elements that hold nothing, or only a message that something loads."""
    hollow: int = 0
    """Elements without text and media, all their descendants included."""
    elements: int = 0
    placeholders: int = 0
    """Elements whose class or id is that of a placeholder, or that report progress."""
    messages: int = 0
    """Elements that say only that something loads."""
    waiting: int = 0
    """Mounts that hold a placeholder."""
    cut: bool = False


def score_empty_shell(document: Document) -> int:
    """Points of the signals of a page without its content: ``THRESHOLD`` and more mean one.

    A page is none that has text, images, fields or media of its own, or no scripts that could add any.
    """
    scripts = document.running_scripts
    external = [one.url for one in scripts if one.url is not None]
    inline = max((len(one.text) for one in scripts), default=0)
    if document.body is None or not (external or inline) or document.main_word_count > 4 * MAX_WORDS:
        return 0
    text, rest = _own_text(document.main_text)
    words = len(rest.split())
    if words > MAX_WORDS or document.word_count > _MAX_ALL_WORDS + MAX_WORDS or _shows_something(document, words):
        return 0
    root = document.body.node
    if not isinstance(root, Element) or _says_something(root):
        return 0
    body = _survey(root)
    if body.cut:
        return 0
    noscript = fold(" ".join(document.noscripts)[:6_000])
    plea = _PLEA.search(noscript) is not None or _PLEA.search(text) is not None
    loads = _is_loading(text) or body.messages > 0
    names_bundle = any(_BUNDLE.search(url) for url in external) or any(
        _IMPORT.search(one.text[:4_000]) for one in scripts
    )
    if words > _FEW and document.headings and 2 * body.hollow < body.elements and not (plea or loads):
        return 0  # a page with a heading, of which scripts draw a part: charts, a map
    signals = (
        4 * (body.mounts > 0),
        4 * (not words and body.hollow == body.elements and (names_bundle or inline > _LARGE_INLINE)),
        4 * plea,
        3 * (loads or body.placeholders > 1) + 1 * (body.placeholders > 0),
        4 if not words else 2 if words <= _FEW else 0,
        2 if names_bundle else 1 if inline > _LARGE_INLINE or external else 0,
        1 * any(one.kind == "module" for one in scripts),
        # What is said beside a place that waits, without a heading, is a notice about cookies or the like.
        3 * (body.waiting > 0 and words > _FEW and not document.headings),
        1 * (body.hollow * 10 >= body.elements * 7 and body.elements > 0),
    )
    # Something has to say that content is to come: a place for it, a message, a plea, or nothing at all.
    is_due = body.mounts or plea or loads or body.placeholders > 1 or not words
    return sum(signals) if is_due else 0


def _own_text(main_text: str) -> tuple[str, str]:
    """(the main text, folded; the same without pleas for JavaScript and messages that something loads)."""
    text = fold(main_text[:6_000])
    sentences = re.split(r"(?<=[.!?…。])\s+", text)
    kept = [one for one in sentences if not (_PLEA.search(one) or _is_loading(one))]
    if len(kept) < len(sentences):
        kept = [
            one
            for one in kept
            if not re.fullmatch(r"(?:please )?(?:we're|we are )?(?:sorry|enable it to continue).{0,40}", one)
        ]
    return text, " ".join(kept)


def _is_loading(text: str) -> bool:
    """Return whether a text is a few words that end with an ellipsis: whatever they say, it is not finished."""
    return text.endswith("...") and len(text) <= _MAX_MESSAGE and len(_WORD.findall(text)) <= _MAX_WAIT_WORDS


def _shows_something(document: Document, words: int) -> bool:
    """Return whether the page as served has something to see or to use besides text."""
    images = [one for one in document.images if not one.hidden and one.attrs.get("width") not in {"0", "1"}]
    frames = [one for one in document.frames if not one.hidden and _is_shown_frame(one)]
    controls = [one for one in document.controls if not one.hidden]
    headings = [
        one for one in document.headings if not one.hidden and one.text and not _is_loading(fold(one.text[:200]))
    ]
    links = [one for one in document.anchors if not one.hidden and one.href]
    paragraphs = [one for one in document.paragraphs if len(one.text) > 60 and not _PLEA.search(fold(one.text[:400]))]
    return (
        len(images) > 3  # a logo and what stands beside it
        or bool(frames)
        or len(controls) > 1
        or (bool(controls) and words > _FEW)
        or len(headings) > 3  # a heading for the page, and for its parts
        or len(paragraphs) > 1
        or (len(links) > _FEW and words > _FEW)
    )


def _is_shown_frame(frame: Frame) -> bool:
    """Return whether a frame loads another page and has a size."""
    style = "".join(frame.attrs.get("style", "")[:400].lower().split())
    is_sized = frame.attrs.get("width") not in {"0", "1"} and "width:0" not in style and "height:0" not in style
    return is_sized and frame.url is not None and is_http(frame.url)


_Open = tuple[Element, Iterator[object], bool, list[str], bool, int]


def _says_something(body: Element) -> bool:
    """Return whether a main element has a heading, a sentence, and no place for more: scripts add what is beside it."""
    mains = list(islice(body.select("main, [role=main]"), 2))
    if len(mains) != 1 or next(iter(mains[0].select("h1, h2")), None) is None:
        return False
    texts = (fold(str(one.text)[:400]) for one in islice(mains[0].select("p"), _FEW))
    if not any(len(text) >= _MIN_SENTENCE and not _is_loading(text) and not _PLEA.search(text) for text in texts):
        return False
    found = _survey(mains[0])
    return not (found.mounts or found.placeholders or found.messages or found.cut)


def _survey(root: Element) -> _Body:
    """Count what stands in the body, or in a part of it, bottom up, within ``_MAX_NODES``."""
    found = _Body()
    left = _MAX_NODES
    # (element, its children, whether it holds something, its own text, whether it stands in header, footer, menu;
    # the placeholders that were found before it)
    stack: list[_Open] = [(root, iter(root), False, [], False, 0)]
    while stack:
        element, children, holds, texts, is_layout, before = stack.pop()
        descended = False
        for child in children:
            left -= 1
            if not left:
                found.cut = True
                return found
            if isinstance(child, Text):
                if child.data.strip():
                    texts.append(child.data[:400])
                continue
            if not isinstance(child, Element) or child.tag in _SKIPPED:
                continue
            stack.append((element, children, holds, texts, is_layout, before))
            stack.append((child, iter(child), False, [], is_layout or child.tag in _LAYOUT, found.placeholders))
            descended = True
            break
        if descended:
            continue
        if not stack:
            break
        waiting = found.placeholders > before
        holds = _close(element, texts, found, holds=holds, is_layout=is_layout, is_waiting=waiting)
        parent, siblings, outer, said, layout, earlier = stack.pop()
        stack.append((parent, siblings, outer or holds, said, layout, earlier))
    return found


def _close(element: Element, texts: list[str], found: _Body, *, holds: bool, is_layout: bool, is_waiting: bool) -> bool:
    """Count a whole element; whether it holds something that a visitor sees."""
    attrs = element.attrs
    tag = element.tag
    marks = " ".join(_string(attrs.get(name)) for name in ("class", "id", "role", "data-testid")).lower()
    said = fold(" ".join(texts))
    waits = _is_loading(said) or (len(said) <= _MAX_WORD and _is_mount(element))
    is_message = bool(said) and (waits or _PLEA.search(said) is not None)
    is_placeholder = tag == "progress" or "progressbar" in marks or _PLACEHOLDERS.search(marks) is not None
    found.elements += 1
    found.messages += is_message
    found.placeholders += is_placeholder or "aria-busy" in attrs
    shows = tag in _SHOWN or (tag == "img" and not is_placeholder) or tag in {"input", "button"}
    filled = holds or shows or (bool(said) and not is_message)
    if not filled:
        found.hollow += 1
        is_named = "id" in attrs or "-" in tag or tag in _UNKNOWN or any(name.startswith("data-") for name in attrs)
        is_mount = is_named and not is_layout and tag not in _DRAWN
        found.mounts += is_mount
        found.waiting += is_mount and is_waiting
    return filled


def _is_mount(element: Element) -> bool:
    """Return whether an element has the name of a place for an application; a word in it is there until it starts."""
    return "-" in element.tag or element.tag in _UNKNOWN or _MOUNT.search(_string(element.attrs.get("id"))) is not None


def _string(value: object) -> str:
    return value if isinstance(value, str) else " ".join(map(str, value)) if isinstance(value, list | tuple) else ""
