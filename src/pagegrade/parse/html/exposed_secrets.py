"""The keys that stand in a page: where they are, and that the page does not merely write about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from turbohtml import Comment, Element, Text

from pagegrade.model.document import Document, Node
from pagegrade.parse.secrets import Group, Secret, find_secrets

_HINT: Final = "placeholder"
"""Attribute that shows what a value looks like."""
MAX_NODES: Final = 200_000
_CODE: Final = frozenset({"pre", "code", "samp", "kbd", "blockquote", "textarea", "xmp", "listing", "plaintext"})
"""Elements that show a text as an example."""


@dataclass(frozen=True, slots=True)
class ExposedSecret:
    """A key in the page as served."""

    group: Group
    kind: str
    masked: str
    node: Node | None
    """The element that holds it; ``None`` for one in a comment, or written with escapes."""
    line: int
    """In the body as served, from 1."""
    value: str = field(repr=False)
    """The key itself; never leaves the process."""


def find_exposed_secrets(document: Document, body: bytes) -> tuple[ExposedSecret, ...]:
    """The keys in a page, those left out that it shows as code anywhere: a page about keys shows examples.

    Args:
        document: The page.
        body: The same as served.
    """
    secrets = find_secrets(body)
    if not secrets:
        return ()
    places: dict[str, Node] = {}
    examples: set[str] = set()
    if document.html is not None:
        for node, text, is_code in _texts(document.html.node):
            for secret in secrets:
                if secret.value in text:
                    places.setdefault(secret.value, node)
                    if is_code:
                        examples.add(secret.value)
    return tuple(_exposed(secret, places, body) for secret in secrets if secret.value not in examples)


def _exposed(secret: Secret, places: dict[str, Node], body: bytes) -> ExposedSecret:
    return ExposedSecret(
        group=secret.group,
        kind=secret.kind,
        masked=secret.masked,
        node=places.get(secret.value),
        line=body.count(b"\n", 0, secret.start) + 1,
        value=secret.value,
    )


def _texts(root: Node) -> Iterator[tuple[Node, str, bool]]:
    """(element, a text or an attribute's value in it, whether it is shown as code), in document order."""
    if not isinstance(root, Element):
        return
    stack: list[tuple[Element, bool]] = [(root, False)]
    left = MAX_NODES
    while stack and left:
        left -= 1
        element, is_code = stack.pop()
        if not is_code and element.tag in _CODE:
            is_code = True
            # Highlighted code is cut into many elements.
            yield element, element.text, True
        for name, value in element.attrs.items():
            text = value if isinstance(value, str) else " ".join(value) if value else ""
            if text:
                yield element, text, name == _HINT
        inner: list[tuple[Element, bool]] = []
        for child in element:
            if isinstance(child, Element):
                inner.append((child, is_code))
            elif isinstance(child, Text | Comment):
                yield element, child.data, is_code and isinstance(child, Text)
        stack.extend(reversed(inner))


def masked_text(text: str, secrets: Sequence[ExposedSecret]) -> str:
    """The text with every one of these keys masked."""
    for secret in secrets:
        if secret.value in text:
            text = text.replace(secret.value, secret.masked)
    return text
