"""The root elements that ``aria-hidden`` takes from assistive technology."""

from __future__ import annotations

from pagegrade.model.document import Document, Node


def hidden_roots(document: Document) -> list[Node]:
    """Those of ``html`` and ``body`` that have ``aria-hidden="true"``."""
    return [
        one.node
        for one in (document.html, document.body)
        if one is not None and one.attrs.get("aria-hidden", "").strip().lower() == "true"
    ]
