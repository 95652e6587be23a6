"""The front door without encryption: ``http://host/`` on port 80."""

from __future__ import annotations

from typing import Final

from pagegrade.gather.context import Context
from pagegrade.model.artifacts import NotGathered, WellKnown
from pagegrade.parse.url import port, scheme

MAX_BYTES: Final = 65_536
KEPT_BYTES: Final = 4_096


async def gather_insecure_probe(context: Context) -> WellKnown | NotGathered:
    """See where plain HTTP leads; of no meaning where the document lives on an unusual port."""
    url = context.main_document_url
    if (scheme(url), port(url)) not in {("https", 443), ("http", 80)}:
        return NotGathered(code="not_applicable", detail="The page is not on a standard port.")
    return await context.fetch_well_known(
        f"http://{context.host}/", max_bytes=MAX_BYTES, keep_bytes=KEPT_BYTES, purpose="document"
    )
