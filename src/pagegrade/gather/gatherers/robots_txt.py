"""``/robots.txt`` of the document's own scheme, host and port."""

from __future__ import annotations

from typing import Final

from pagegrade.gather.context import Context
from pagegrade.model.artifacts import WellKnown

MAX_BYTES: Final = 512_000
"""500 KiB: what a crawler must be able to read (https://www.rfc-editor.org/rfc/rfc9309#section-2.5)."""


async def gather_robots_txt(context: Context) -> WellKnown:
    """Fetch the rules for robots as robots get them; whatever answers is kept, also an application's HTML."""
    return await context.fetch_well_known(f"{context.origin}/robots.txt", max_bytes=MAX_BYTES, as_visitor=True)
