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
    "Django": "#djDebug",
    "Symfony": "div.sf-toolbar[id^=sfwdt]",
    "Laravel": "div.phpdebugbar, script[src*='/_debugbar/assets']",
    "Yii": "#yii-debug-toolbar",
    "CakePHP": "#__debug_kit_script, #__debug_kit_app",
    "CodeIgniter": "#debugbar_loader",
    "Flask": "#flDebug",
    "Pyramid": "#pDebug",
    "Nette": "#tracy-debug, script[src*='_tracy_bar=']",
    "Query Monitor": "#query-monitor-main",
    "Joomla": "#system-debug.profiler",
}
"""Framework -> its toolbar, as the framework itself names it; none is a name that others use."""
_SHOWN: Final = "pre, code, textarea, iframe, template"


def find_debug_toolbars(document: Document) -> list[tuple[Node, str]]:
    """(element, framework) of each toolbar of a page that is public; on the machine of a developer they belong."""
    body = document.body.node if document.body is not None else None
    if not isinstance(body, Element) or is_private_host(host(document.url)):
        return []
    found = ((name, next(iter(body.select(selector)), None)) for name, selector in _TOOLBARS.items())
    shown = ((node, name) for name, node in found if node is not None and node.closest(_SHOWN) is None)
    return [*islice(shown, MAX_FOUND)]
