"""Location of an element for people: selector, line and a snippet without secrets."""

from __future__ import annotations

from typing import Final

from turbohtml import Element

from pagegrade.model.document import Node
from pagegrade.model.outcome import Evidence
from pagegrade.parse.html.flat_tree import without_scope

MAX_SNIPPET: Final = 200
MAX_SELECTOR: Final = 500
MAX_SELECTOR_DEPTH: Final = 200
"""Deeper elements get no selector: building one costs the depth each time."""
_MAX_ATTRIBUTE: Final = 120
_SECRET_NAMES: Final = frozenset({"nonce", "csrf-token", "csrf-param", "_token", "authenticity_token"})
_MAY_BE_SECRET: Final = frozenset({"nonce", "value", "content"})
_SHOWN_WITHOUT_TEXT: Final = frozenset(
    "area base br col embed hr img input link meta param script source style track wbr".split()
)


def locate(
    node: Node, reason: str = "", url: str = "", value: str = "", *, max_depth: int = MAX_SELECTOR_DEPTH
) -> Evidence:
    """Evidence for an element of the tree; line and column count from 1.

    Args:
        node: An element of the parser; anything else gets empty evidence.
        reason: Why it is evidence.
        url: What it refers to.
        value: What was read or computed of it.
        max_depth: Nesting of its document, if known: in a shallow one no element need be asked for its depth.
    """
    if not isinstance(node, Element):
        return Evidence(reason=reason, url=url, value=value)
    position = node.position
    line, column = position if position is not None else (None, None)
    return Evidence(
        selector=without_scope(_selector(node, max_depth)),
        line=line,
        column=None if column is None else column + 1,
        snippet=snippet(node),
        url=url,
        reason=reason,
        value=without_scope(value),
    )


def snippet(element: Element) -> str:
    """The start tag as parsed, with the text of an element that holds nothing else; at most 200 characters."""
    tag = element.tag
    whole = f"<{tag}"
    for name, value in element.attrs.items():
        text = value if type(value) is str else " ".join(value) if value else ""
        if not text:
            whole += f" {name}"
        elif name in _MAY_BE_SECRET and _is_secret(element, name):
            whole += f' {name}="…"'
        else:
            if len(text) > _MAX_ATTRIBUTE:
                text = text[:_MAX_ATTRIBUTE] + "…"
            if '"' not in text:
                whole += f' {name}="{text}"'
            elif "'" not in text:
                whole += f" {name}='{text}'"
            else:
                whole += f' {name}="{text.replace(chr(34), "&quot;")}"'
        if len(whole) > MAX_SNIPPET:
            # Nothing that follows is shown; one character more than fits says that something was cut.
            return without_scope(whole)[: MAX_SNIPPET - 1] + "…"
    whole += ">"
    if tag not in _SHOWN_WITHOUT_TEXT:
        children = element.children
        if len(children) == 1 and not isinstance(children[0], Element):
            text = " ".join(element.text[: 2 * MAX_SNIPPET].split())
            whole += f"{text}</{tag}>"
    whole = without_scope(whole)
    return whole if len(whole) <= MAX_SNIPPET else whole[: MAX_SNIPPET - 1] + "…"


def _is_secret(element: Element, name: str) -> bool:
    """Values that may be a password or token never leave the page."""
    if name == "nonce":
        return True
    if name == "value":
        return (element.attr("type") or "").lower() in {"password", "hidden"}
    return name == "content" and (element.attr("name") or "").lower() in _SECRET_NAMES


def _selector(element: Element, max_depth: int) -> str:
    if max_depth >= MAX_SELECTOR_DEPTH and any(depth > MAX_SELECTOR_DEPTH for depth, _ in enumerate(element.ancestors)):
        return ""
    path = element.css_path()
    return path if len(path) <= MAX_SELECTOR else ""
