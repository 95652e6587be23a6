"""Public source maps of the site's own scripts."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from pagegrade.gather.context import Context
from pagegrade.gather.exchange import Request
from pagegrade.gather.probing import MAX_REDIRECTS, ask_all
from pagegrade.model.artifacts import NotGathered, Resources, SourceMaps
from pagegrade.parse.url import is_http, join_url, same_site, strip_fragment

MAX_BYTES: Final = 4_096
"""Bytes read of a map; its start identifies it."""
KEPT_BYTES: Final = 64


async def gather_source_maps(context: Context) -> SourceMaps | NotGathered:
    """Ask for the first ``limits.source_maps`` that scripts of the own site name on the own site."""
    if not context.options.subresources:
        return NotGathered(code="skipped", detail="Source maps were not asked for.")
    resources = await context.artifact("resources", Resources)
    if resources is None:
        return NotGathered(code="skipped", detail="The scripts of the page are not known.")
    named: dict[str, str] = {}
    for item in resources.items:
        if item.first_party and item.response is not None and item.script is not None and item.script.source_map:
            url = join_url(item.response.url, item.script.source_map)
            if url is not None and is_http(url) and _is_beside(url, item.response.url, context.main_document_url):
                named.setdefault(strip_fragment(url), item.url)
    requests = [
        Request(
            url=url,
            purpose="any",
            max_wire_bytes=MAX_BYTES,
            max_decoded_bytes=MAX_BYTES,
            keep_bytes=KEPT_BYTES,
            timeout_s=context.options.limits.link_s,
            max_redirects=MAX_REDIRECTS,
        )
        for url in list(named)[: context.options.limits.source_maps]
    ]
    probes = await ask_all(context, requests, within_s=context.options.limits.links_s)
    return SourceMaps(items=tuple(replace(probe, named_by=named[probe.url]) for probe in probes), found=len(named))


def _is_beside(url: str, script_url: str, page_url: str) -> bool:
    """Return whether a map lies on the site of its script or of the page."""
    return same_site(url, script_url) or same_site(url, page_url)
