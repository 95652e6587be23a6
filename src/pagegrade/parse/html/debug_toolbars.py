"""Finds the toolbars in which frameworks show their developers queries, sessions and settings of a request."""

from __future__ import annotations

from itertools import islice
from typing import Final

from turbohtml import Element

from pagegrade.model.document import Document, Node
from pagegrade.parse.secure_context import is_private_host
from pagegrade.parse.url import host

MAX_FOUND: Final = 5
_TOOLBARS: Final = {
    "Django": "div#djDebug:has(#djDebugToolbar)",
    "Symfony": "div.sf-toolbar[id^=sfwdt]",
    "Laravel": "div.phpdebugbar, script[src*='/_debugbar/assets']",
    "Yii": "div#yii-debug-toolbar[data-url]",
    "CakePHP": "script#__debug_kit_script, iframe#__debug_kit_app",
    "CodeIgniter": "script#debugbar_loader[data-time]",
    "Flask": "div#flDebug:has(#flDebugToolbar)",
    "Pyramid": "div#pDebug:has(#pDebugToolbarHandle)",
    "Nette": "div#tracy-debug, script[src*='_tracy_bar=']",
    "Joomla": "div#system-debug.profiler",
}
"""Framework -> its toolbar, as the framework itself makes it: a heading in a manual may have the same id."""
_SHOWN: Final = "pre, code, samp, blockquote, figure, noscript, textarea, template"
_MAX_LOOKED_AT: Final = 20


def find_debug_toolbars(document: Document) -> list[tuple[Node, str]]:
    """(element, framework) of each toolbar of a page that is public; on the machine of a developer they belong."""
    body = document.body.node if document.body is not None else None
    root = body.parent if isinstance(body, Element) else None
    name = host(document.url)
    if not isinstance(root, Element) or "." not in name or is_private_host(name):
        return []
    found = (
        (
            next(
                (node for node in islice(root.select(selector), _MAX_LOOKED_AT) if node.closest(_SHOWN) is None), None
            ),
            name,
        )
        for name, selector in _TOOLBARS.items()
    )
    return [*islice(((node, name) for node, name in found if node is not None), MAX_FOUND)]
