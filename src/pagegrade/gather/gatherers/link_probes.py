"""Own pages that the page links to: whether they are there.

Only pages of the page's own host are asked for. Asking others would let one page make every installation send requests
to sites of its author's choice, and their robots.txt would have to be read first.
"""

from __future__ import annotations

from typing import Final

from pagegrade.gather.context import Context
from pagegrade.gather.exchange import Request
from pagegrade.gather.probing import MAX_REDIRECTS, ask_all
from pagegrade.model.artifacts import LinkProbes, NotGathered

MAX_BYTES: Final = 1_024
"""Read of a page that does not answer HEAD."""


async def gather_link_probes(context: Context) -> LinkProbes | NotGathered:
    """Ask for the first ``limits.links`` of them that robots.txt permits, after the page's own times were measured.

    Raises:
        OffloadFailed: The HTML or robots.txt could not be read.
    """
    if not context.options.subresources:
        return NotGathered(code="skipped", detail="Linked pages were not asked for.")
    named = await context.named_urls()
    if not named.links:
        return LinkProbes()
    allowed = await context.permitted_urls(named.links)
    if allowed is None:
        return NotGathered(code="skipped", detail="robots.txt could not be fetched, so no link was followed.")
    if not allowed:
        return NotGathered(code="skipped", detail="robots.txt does not permit to follow the links.")
    # Pages that are asked for meanwhile would make the page itself look slow.
    await context.artifact("load_samples", tuple)
    limits = context.options.limits
    requests = [
        Request(
            url=url,
            method="HEAD",
            max_wire_bytes=MAX_BYTES,
            max_decoded_bytes=MAX_BYTES,
            keep_bytes=0,
            timeout_s=limits.link_s,
            max_redirects=MAX_REDIRECTS,
        )
        for url in allowed[: limits.links]
    ]
    return LinkProbes(items=await ask_all(context, requests, within_s=limits.links_s), found=named.link_count)
