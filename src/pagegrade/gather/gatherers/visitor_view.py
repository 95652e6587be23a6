"""The page once more without the access profile of the run, as visitors without a sign-in see it."""

from __future__ import annotations

from typing import Final

from pagegrade.gather.context import Context
from pagegrade.gather.exchange import Request
from pagegrade.model.access import VisitorView
from pagegrade.model.artifacts import NOT_LET_IN, NotGathered
from pagegrade.parse.html.parser import may_be_indexed
from pagegrade.parse.url import origin, strip_fragment

MAX_WIRE_BYTES: Final = 300_000
"""The rules stand in the head."""
MAX_DECODED_BYTES: Final = 1_000_000
_ERROR: Final = 400


async def gather_visitor_view(context: Context) -> VisitorView | NotGathered:
    """Ask for the URL without the access, after the page's own times were measured.

    Raises:
        FetchError: There was no answer.
        OffloadFailed: The answer could not be read.
    """
    access, url = context.options.access, context.target.document_url
    if access is None or not access.note.lets_in or origin(url) not in access.origins:
        return NOT_LET_IN
    await context.artifact("load_samples", tuple)
    request = Request(
        url=url,
        purpose="document",
        max_wire_bytes=MAX_WIRE_BYTES,
        max_decoded_bytes=MAX_DECODED_BYTES,
        timeout_s=context.timeout_s(context.options.limits.well_known_s),
    )
    response = (await context.visitor.follow(request)).response
    is_page = response.status < _ERROR
    return VisitorView(
        status=response.status,
        url=_place(response.url),
        is_elsewhere=_place(response.url) != _place(context.main_document_url),
        indexable=await context.parse(may_be_indexed, response) if is_page else None,
    )


def _place(url: str) -> str:
    """A URL without what may be private in it."""
    return strip_fragment(url).partition("?")[0]
