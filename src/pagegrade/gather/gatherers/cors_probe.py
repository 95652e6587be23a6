"""The document once more, as if a script of another site wanted to read it."""

from __future__ import annotations

from typing import Final

from pagegrade.gather.context import Context
from pagegrade.gather.exchange import Request
from pagegrade.model.artifacts import WellKnown

MAX_BYTES: Final = 16_384
"""Only the headers matter; the rest of the page is not read."""


async def gather_cors_probe(context: Context) -> WellKnown:
    """Ask once, with an Origin that cannot exist; redirects are not followed, because the page was none.

    Raises:
        FetchError: There was no answer.
    """
    url = context.main_document_url
    request = Request(
        url=url,
        from_elsewhere=True,
        max_wire_bytes=MAX_BYTES,
        max_decoded_bytes=MAX_BYTES,
        keep_bytes=0,
        timeout_s=context.timeout_s(context.options.limits.well_known_s),
    )
    exchange = await context.client.fetch(request)
    return WellKnown(requested_url=url, response=exchange.response)
