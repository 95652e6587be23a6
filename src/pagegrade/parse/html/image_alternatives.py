"""Text alternatives of images: those without one, elements that have no name for that reason, and repeated ones."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from turbohtml import Element, Text

from pagegrade.model.document import Anchor, Image, NamedElement, Node
from pagegrade.parse.aria.implicit import keeps_role
from pagegrade.parse.aria.roles import first_role
from pagegrade.parse.cascade.visibility import Visibility
from pagegrade.parse.html.accessible_names import is_hidden

MAX_LEVELS: Final = 10
"""Elements around an image that are looked at."""
MIN_DIGITS: Final = 4
"""Fewer belong to the name of a thing: "chair2", "A320"."""
_DIGIT: Final = re.compile(r"\d")
_FILE_NAME: Final = re.compile(r"[^\r\n]{0,199}[^\s]\.(?:jpe?g|png|gif|webp|avif|svg|bmp|tiff?|heic)", re.IGNORECASE)
_GENERIC: Final = frozenset(
    # What is another word or a name as well is left out: "imagine", "figure", "null" (zero), "фотография".
    "image img photo photograph picture pic graphic icon thumbnail untitled placeholder alt dsc dscf dscn"
    " undefined bild bilde billede foto fotó fotka grafik grafika afbeelding argazkia ảnh attēls fénykép"
    " gambar görsel hình imagem imagen imatge imaxe immagine kuva kép mynd nuotrauka obraz obrazek obrázek"
    " obrázok paveikslėlis pilt poză resim slika valokuva zdjęcie şəkil εικόνα выява зображення изображение"
    " картинка світлина слика снимка сурет фото նկար լուսանկար სურათი ფოტო תמונה تصویر صورة الصورة عکس"
    " चित्र छवि तस्वीर फोटो ছবি รูป รูปภาพ ภาพ ภาพถ่าย 画像 写真 イメージ 图片 图像 照片 相片 圖片 圖像 이미지 사진".split(),
)
_NAME_INSIDE: Final = r"(?:[\w\s.,|:;?!&/'\"()\[\]$@+~>-]|=>){1,200}"
_UNFILLED: Final = re.compile(
    rf"(?=.{{0,200}}?[^\W\d_]{{3}})(?:\{{\{{\{{?{_NAME_INSIDE}\}}\}}\}}?|\{{%{_NAME_INSIDE}%\}}|\$\{{{_NAME_INSIDE}\}}"
    rf"|<%=?{_NAME_INSIDE}%>|%[A-Za-z_.]{{3,80}}%|\[object Object\])",
    re.DOTALL,
)
"""A name in the braces of a template; formulas have braces in braces, other signs, or single letters."""
_NUMBER: Final = re.compile(r"[\s_.#()-]{0,9}\d{1,9}\)?$")
"""The number after a filler word in names such as "bild1", "Image 2" and "IMG_2041"."""
_DECORATIVE_ROLES: Final = frozenset({"none", "presentation"})
_PIXEL: Final = frozenset({"0", "1", "0px", "1px"})
_CONTROLS: Final = frozenset({"button", "link", "summary"})
_NAMED_BY_CONTENT: Final = frozenset("a summary h1 h2 h3 h4 h5 h6".split())


def lacks_alternative(image: Image) -> bool:
    """Return whether the image is content and has neither a name nor an empty ``alt``."""
    return not image.hidden and not image.name and image.alt != "" and _is_content(image)


def poor_alternative(name: str, url: str | None) -> str:
    """Explain why a text alternative says nothing: a filler word or the name of the file; "" when it says something."""
    if name and not name[-1].isalnum() and _UNFILLED.fullmatch(name):
        return "left by a template"
    if _NUMBER.sub("", unicodedata.normalize("NFC", name.lower())) in _GENERIC:
        return "generic word"
    if _is_written_like_a_file(name) or _is_file_name_of(name, url):
        return "file name"
    return ""


def _is_written_like_a_file(name: str) -> bool:
    """Return whether the name ends like a file; one of several words has the number that cameras and programs give."""
    return _FILE_NAME.fullmatch(name) is not None and (" " not in name or len(_DIGIT.findall(name)) >= MIN_DIGITS)


def _is_file_name_of(name: str, url: str | None) -> bool:
    """Return whether the name is a number or a checksum: the name of the file without its extension."""
    if url is None or len(_DIGIT.findall(name)) < MIN_DIGITS:
        return False
    file = url.partition("?")[0].rpartition("/")[2]
    return name.casefold() in {file.casefold(), file.rpartition(".")[0].casefold()}


def images_in_buttons(images: Sequence[Image]) -> frozenset[Node]:
    """Images without an alternative inside a button, whose content assistive technology reads as its name only.

    Source: WAI-ARIA 1.2, section 5.4 "Presentational Children"
    """
    return frozenset(
        image.node for image in images if lacks_alternative(image) and any(map(_is_button, _around(image.node)))
    )


def named_by_nameless_images(images: Sequence[Image]) -> frozenset[Node]:
    """Links, summaries and headings around an image that would give them a name if it had one itself."""
    return frozenset(
        around
        for image in images
        if lacks_alternative(image)
        for around in _around(image.node)
        if around.tag in _NAMED_BY_CONTENT
    )


def drawings_of_nameless_controls(anchors: Sequence[Anchor], named: Sequence[NamedElement]) -> frozenset[Node]:
    """SVGs without a name in a link, button or summary that has none either: a name for one of them is one for both."""
    controls: set[Node] = {one.node for one in anchors if one.href is not None and not one.hidden and not one.name}
    controls |= {one.node for one in named if one.role in _CONTROLS and not one.hidden and not one.name}
    if not controls:
        return frozenset()
    return frozenset(
        drawing.node
        for drawing in named
        if drawing.role == "img" and not drawing.name and any(one in controls for one in _around(drawing.node))
    )


def _is_content(image: Image) -> bool:
    """Return whether the image has a size and no decorative role; a script may still give it its source."""
    attrs = image.attrs
    if first_role(attrs.get("role", "")) in _DECORATIVE_ROLES and not keeps_role("img", attrs):
        return False
    return not (attrs.get("width", "").strip() in _PIXEL and attrs.get("height", "").strip() in _PIXEL)


def _around(node: Node) -> Iterator[Element]:
    if isinstance(node, Element):
        yield from (one for one in islice(node.ancestors, MAX_LEVELS) if isinstance(one, Element))


def _is_button(element: Element) -> bool:
    if "role" in element.attrs:
        return first_role(element.attr("role") or "") == "button"
    return element.tag == "button"


MAX_STEPS: Final = 50_000
"""Nodes looked at for all images of a document together."""
_SURROUNDINGS: Final = frozenset({"button", "p", "li", "td", "th"})
_SILENT: Final = frozenset({"script", "style", "template", "noscript", "svg"})


def repeated_images(images: Sequence[Image], visibility: Visibility) -> list[Image]:
    """Images whose alternative is the whole text of the link, button, paragraph, list item or cell around them.

    In a figure its caption is what stands beside the image.
    """
    found: list[Image] = []
    steps = MAX_STEPS
    for image in images:
        wanted = _squeeze(image.name)
        if not wanted or image.hidden or image.decorative or not isinstance(image.node, Element):
            continue
        around = _surroundings(image.node)
        if around is None:
            continue
        says, steps = _says(around, wanted, steps, visibility)
        if says:
            found.append(image)
        if steps <= 0:
            break
    return found


def _surroundings(node: Element) -> Element | None:
    at: Any = node.parent
    for _ in range(MAX_LEVELS):
        if not isinstance(at, Element):
            return None
        if at.tag == "figure":
            caption = next((one for one in at if isinstance(one, Element) and one.tag == "figcaption"), None)
            if caption is not None:
                return caption
        if at.tag in _SURROUNDINGS or (at.tag == "a" and "href" in at.attrs):
            return at
        if "role" in at.attrs and first_role(at.attr("role") or "") in {"button", "link"}:
            return at
        at = at.parent
    return None


def _says(node: Element, wanted: str, steps: int, visibility: Visibility) -> tuple[bool, int]:
    """(whether the text inside is ``wanted``, steps that are left); text that is longer is not read to its end."""
    said = ""
    stack = [iter(node)]
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
            continue
        steps -= 1
        if steps <= 0:
            return False, 0
        if isinstance(child, Text):
            said += _squeeze(child.data)
            if not wanted.startswith(said):
                return False, steps
        elif isinstance(child, Element) and child.tag not in _SILENT and not is_hidden(child, visibility):
            stack.append(iter(child))
    return said == wanted, steps


def _squeeze(text: str) -> str:
    """Without blanks and case: markup breaks lines where it likes."""
    return "".join(text.split()).casefold()
