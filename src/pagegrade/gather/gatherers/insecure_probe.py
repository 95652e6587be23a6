"""The host over plain HTTP: ``http://host/`` on port 80."""

from __future__ import annotations

from typing import Final

from pagegrade.gather.context import Context
from pagegrade.model.artifacts import NotGathered, WellKnown
from pagegrade.parse.url import host, port, scheme

MAX_BYTES: Final = 65_536
KEPT_BYTES: Final = 4_096


async def gather_insecure_probe(context: Context) -> WellKnown | NotGathered:
    """See where plain HTTP leads; of no meaning where the document lives on an unusual port."""
    url = front_door(context.main_document_url)
    if url is None:
        return NotGathered(code="not_applicable", detail="The page is not on a standard port.")
    return await context.fetch_well_known(url, max_bytes=MAX_BYTES, keep_bytes=KEPT_BYTES, purpose="document")


def front_door(url: str) -> str | None:
    """The root of the host of ``url`` on port 80; ``None`` where ``url`` is not on the standard port of its scheme."""
    is_standard = (scheme(url), port(url)) in {("https", 443), ("http", 80)}
    return f"http://{host(url)}/" if is_standard else None
