"""The style sheets of a document, in the order in which they count."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

import turbohtml
from turbohtml import Element

from pagegrade.parse.cascade.conditions import BOTH_SCREENS, screens_of
from pagegrade.parse.cascade.rule_index import DocumentNames
from pagegrade.parse.cascade.rules import reduce_stylesheet
from pagegrade.parse.cascade.states import attribute_of
from pagegrade.parse.cascade.visibility import Visibility
from pagegrade.parse.url import join_url, strip_fragment

_SHEETS: Final = "style, link[href]"
_TYPES: Final = frozenset({"", "text/css"})
_MAX_SCRIPTS: Final = 20
_MAX_SCRIPT: Final = 2_000
"""Characters of a script that does no more than that."""
_REMOVES: Final = re.compile(r"\.remove(?:Child)?\(")


def visibility_of(
    tree: turbohtml.Document, base_url: str, sheets: Mapping[str, Sequence[str] | None], *, quirks: bool
) -> Visibility:
    """Stylesheets of a document that hide elements.

    Args:
        tree: The parsed document.
        base_url: What the addresses in it resolve against.
        sheets: Address -> kept rules of the sheets that were fetched.
        quirks: Classes and ids match in any case.
    """
    found = Visibility(DocumentNames(tree, quirks=quirks), quirks=quirks)
    if tree.root is None:
        return found
    for node in tree.root.select(_SHEETS):
        kind = (attribute_of(node, "type") or "").partition(";")[0].strip().lower()
        if kind not in _TYPES or not _applies(node):
            continue
        media = attribute_of(node, "media") or ""
        if node.tag == "style":
            if (name := attribute_of(node, "id")) and _is_taken_away(tree.root, name):
                continue
            found.add_sheet(reduce_stylesheet(node.text, base_url=base_url, media=media), sheets)
            continue
        certain, possible = _screens_of_link(node, media)
        href = (attribute_of(node, "href") or "").strip()
        url = join_url(base_url, href) if href else None
        if url is None or not possible or url.startswith("file:"):
            # A page of the web loads nothing from a disk.
            continue
        url = strip_fragment(url)
        found.add_sheet(sheets.get(url), sheets, url=url, certain=certain, possible=possible)
    return found


def _is_taken_away(root: Element, name: str) -> bool:
    """Return whether a script of the page removes the element of that id, as it does where no other site frames it."""
    scripts = (str(one.text)[:_MAX_SCRIPT] for one in islice(root.select("script:not([src])"), _MAX_SCRIPTS))
    return any(name in one and _REMOVES.search(one) is not None for one in scripts)


def becomes_stylesheet(attrs: Mapping[str, str]) -> bool:
    """Return whether a script turns a preloaded file into a stylesheet once loaded: the usual way to load late."""
    return attrs.get("as", "").strip().lower() == "style" and "stylesheet" in attrs.get("onload", "")


def _applies(node: Element) -> bool:
    """Return whether browsers use the sheet that the element holds or names, in time or later."""
    if any(isinstance(one, Element) and one.tag == "template" for one in node.ancestors):
        return False
    if node.tag == "style":
        return True
    rel = (attribute_of(node, "rel") or "").lower().split()
    if "stylesheet" in rel:
        return "alternate" not in rel and "disabled" not in node.attrs
    return "preload" in rel and becomes_stylesheet({name: attribute_of(node, name) or "" for name in ("as", "onload")})


def _screens_of_link(node: Element, media: str) -> tuple[int, int]:
    """The screens a linked sheet is for; one for print that a script redirects is for all."""
    if "media" in (attribute_of(node, "onload") or ""):
        return BOTH_SCREENS, BOTH_SCREENS
    return screens_of(media)
