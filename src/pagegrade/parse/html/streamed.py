"""Parts of a page that a server streams in hidden elements, and that a line of script then puts in their place."""

from __future__ import annotations

import re
from typing import Final

from turbohtml import Document

_MOVES: Final = re.compile(
    r"\b(?:replaceChild|replaceWith|replaceChildren|insertBefore|insertAdjacentElement|appendChild|append|before|after)\("
)
_CALL: Final = re.compile(r"[\w$.]{1,40}\(\s?[\"'][^\"']{1,80}[\"']\s?,\s?[\"'][^\"']{1,80}[\"']")
"""A call that names a place and a part."""
_CHEAP: Final = (b"replace", b"insert", b"append", b"before", b"after")
_WAITS: Final = re.compile(r"addEventListener|\bon[a-z]{3,20}\s?=|setTimeout|IntersectionObserver")
"""Code that runs later: what it moves is hidden until a visitor does something."""
_MAX_PARTS: Final = 200
_MAX_SCRIPT: Final = 20_000
_MAX_SCRIPTS: Final = 400


def show_streamed_parts(tree: Document, body: bytes) -> None:
    """Take ``hidden`` from elements that inline scripts name and move as soon as they run.

    Server rendering sends a page in the order in which its parts are ready: a place for each first, then its content
    in ``<div hidden id="S:1">``, then a script that names both. Browsers and search engines show the content.
    """
    if b" hidden" not in body or not any(one in body for one in _CHEAP):
        return
    parts = {}
    for node in tree.iter_elements("div"):
        if "hidden" in node.attrs and isinstance(name := node.attrs.get("id"), str) and name:
            parts[name] = node
            if len(parts) >= _MAX_PARTS:
                break
    if not parts:
        return
    for count, script in enumerate(tree.iter_elements("script")):
        if not parts or count >= _MAX_SCRIPTS:
            return
        if "src" in script.attrs:
            continue
        source = script.text[:_MAX_SCRIPT]
        if (_MOVES.search(source) or _CALL.search(source)) and not _WAITS.search(source):
            for name in {one for one in re.findall(r"[\"']([^\"'\s]{1,80})[\"']", source) if one in parts}:
                del parts.pop(name).attrs["hidden"]
