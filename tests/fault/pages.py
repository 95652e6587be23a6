"""Small page bodies that several groups use."""

from __future__ import annotations

from typing import Final

OK: Final = (
    "<!doctype html><html lang=en><head><meta charset=utf-8><title>A page in the lab</title></head>"
    "<body><h1>Hello</h1><p>Some words.</p></body></html>"
)


def with_body(markup: str) -> str:
    """An ordinary page around ``markup``."""
    return OK.replace("</body>", markup + "</body>")


def with_head(markup: str) -> str:
    """An ordinary page with ``markup`` in its head."""
    return OK.replace("</head>", markup + "</head>")
