"""Load times of the document, measured several times, each on a new connection."""

from __future__ import annotations

from typing import Final

from pagegrade.gather.context import Context
from pagegrade.gather.exchange import FetchError, Request

SLOW_MS: Final = 5_000.0
"""A page slower than this has failed already; asking again would only burden it."""
MIN_LEFT_RATIO: Final = 0.4
"""Share of the budget that must be left before another sample is taken."""


async def gather_load_samples(context: Context) -> tuple[float, ...]:
    """Fetch the final document again and again.

    Returns:
        Total milliseconds of each whole fetch, the first one first; at least that one.
    """
    limits = context.options.limits
    samples = [context.navigation.response.timings.total_ms]
    while len(samples) < context.options.load_samples and samples[-1] <= SLOW_MS:
        if context.left_s() < MIN_LEFT_RATIO * context.options.budget_s:
            break
        request = Request(
            url=context.main_document_url,
            cookie=context.document.exchange.request.cookie,
            max_wire_bytes=limits.document_wire_bytes,
            max_decoded_bytes=limits.document_decoded_bytes,
            keep_bytes=0,
            timeout_s=context.timeout_s(2 * SLOW_MS / 1_000),
        )
        try:
            async with context.fresh_client() as client:
                exchange = await client.fetch(request)
        except FetchError:
            break
        exchange.hold.release()
        response = exchange.response
        if response.status != context.navigation.response.status or response.truncated is not None:
            break  # Another answer than the one that is checked, so its time says nothing about it.
        samples.append(response.timings.total_ms)
    return tuple(samples)
