"""The canonical URL, where the page names one of its own site that is not its own URL."""

from __future__ import annotations

from typing import Final

from pagegrade.gather.context import Context
from pagegrade.model.artifacts import NotGathered, WellKnown
from pagegrade.parse.url import origin

MAX_BYTES: Final = 131_072


async def gather_canonical_probe(context: Context) -> WellKnown | NotGathered:
    """Fetch the page that is named as preferred, as far as robots.txt permits it.

    Raises:
        FetchError: There was no answer.
        OffloadFailed: The HTML of the page or robots.txt could not be read.
    """
    if not context.options.subresources:
        return NotGathered(code="skipped", detail="The canonical URL was not asked for.")
    url = (await context.named_urls()).canonical
    if not url:
        return NotGathered(code="not_applicable", detail="The page names no other URL of its site as canonical.")
    if origin(url) == origin(context.main_document_url) and not await context.permitted_urls((url,)):
        return NotGathered(code="skipped", detail="robots.txt does not permit to ask for the canonical URL.")
    return await context.fetch_well_known(url, max_bytes=MAX_BYTES, purpose="document")
