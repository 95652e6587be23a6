"""One small function per tag, called once per element by the walk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from turbohtml import Element

from pagegrade.parse.html.collect import Attributes, Closer, Collector
from pagegrade.parse.html.elements import head, interactive, media, structure, text

Handler = Callable[[Collector, Element, Attributes, int], tuple[int, Closer]]
"""(collector, element, attributes, flags) -> (flags of its subtree, what to do when it closes)."""

HANDLERS: Final[dict[str, Handler]] = {
    **dict.fromkeys(text.OBSOLETE, text.obsolete),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), text.heading),
    **dict.fromkeys(("nav", "header", "footer", "aside"), text.boilerplate),
    "article": text.article,
    "p": text.paragraph,
    "main": text.main,
    **dict.fromkeys(("noscript", "noembed", "noframes"), text.silent),
    **dict.fromkeys(("video", "audio"), media.player),
    **dict.fromkeys(("iframe", "frame"), media.iframe),
    **dict.fromkeys(("select", "textarea"), interactive.select_element),
    **dict.fromkeys(("desc", "metadata", "defs", "image", "feImage"), text.foreign_element),
    **dict.fromkeys(("ul", "ol", "menu", "dl"), structure.collection),
    **dict.fromkeys(("dt", "dd"), structure.term),
    "li": structure.list_item,
    "table": structure.table,
    "html": head.html,
    "head": head.head,
    "body": head.body,
    "title": head.title,
    "base": head.base,
    "meta": head.meta,
    "link": head.link,
    "a": interactive.anchor,
    "area": interactive.area,
    "img": media.img,
    "picture": media.picture,
    "source": media.source,
    "object": media.object_element,
    "embed": media.embed,
    "script": head.script,
    "style": head.style,
    "form": interactive.form,
    "input": interactive.input_element,
    "details": interactive.details,
    "label": interactive.label,
    "button": interactive.button,
    "summary": interactive.summary,
    "template": head.template,
    "dialog": text.dialog,
}
"""Local name -> handler; SVG and MathML elements go to ``foreign_element``."""
MODEST: Final = frozenset("article aside dd dt footer header li nav p".split())
"""Elements whose handlers want the attributes only where one of them means something on any element."""
