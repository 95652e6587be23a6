"""``/.well-known/security.txt``: the security contact of a site."""

from __future__ import annotations

from typing import Final

from pagegrade.gather.context import Context
from pagegrade.model.artifacts import WellKnown

MAX_BYTES: Final = 65_536


async def gather_security_txt(context: Context) -> WellKnown:
    """Fetch the file of the document's origin; whatever answers is kept, also an application's HTML."""
    return await context.fetch_well_known(f"{context.origin}/.well-known/security.txt", max_bytes=MAX_BYTES)
