"""An address that should not exist, to see whether the site says so."""

from __future__ import annotations

from typing import Final

from pagegrade.gather.context import Context
from pagegrade.model.artifacts import WellKnown

MAX_BYTES: Final = 262_144
"""Enough to see whether the error page says something and what its title is."""


async def gather_not_found_probe(context: Context) -> WellKnown:
    """Ask once for a path of harmless words: suspicious ones make firewalls answer instead of the site."""
    return await context.fetch_well_known(
        f"{context.origin}/zebra-lantern-{context.probe_token}", max_bytes=MAX_BYTES, purpose="document"
    )
