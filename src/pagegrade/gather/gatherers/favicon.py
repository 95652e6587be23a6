"""``/favicon.ico``, which browsers ask for when a page names no icon."""

from __future__ import annotations

from typing import Final

from pagegrade.gather.context import Context
from pagegrade.model.artifacts import WellKnown

MAX_BYTES: Final = 1_000_000
KEPT_BYTES: Final = 4_096
"""Enough to recognize the format, the sizes and a page that is no icon."""


async def gather_favicon(context: Context) -> WellKnown:
    """Fetch the default icon of the document's origin (https://html.spec.whatwg.org/multipage/links.html#rel-icon)."""
    return await context.fetch_well_known(
        f"{context.origin}/favicon.ico", max_bytes=MAX_BYTES, keep_bytes=KEPT_BYTES, purpose="image"
    )
