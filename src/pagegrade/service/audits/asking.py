"""Asks whether files are there that are no pages of the site."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from msgspec.structs import replace

from pagegrade.gather.context import GatherLimits
from pagegrade.gather.exchange import Followed, Request
from pagegrade.gather.http import HTTPClient
from pagegrade.model.artifacts import Response
from pagegrade.service.audits.pace import asks_to_wait

_LIMITS: Final = GatherLimits()
_ASKED_BYTES: Final = 1_024
"""Read of a file that does not answer HEAD."""
_HEAD_FAILED: Final = 400


async def ask(
    client: HTTPClient,
    url: str,
    timeout_s: float = _LIMITS.document_s,
    *,
    between: Callable[[Response], Awaitable[None]] | None = None,
) -> Followed:
    """Ask whether a file is there that is no page of the site, with its redirects.

    Args:
        client: That asks.
        url: Of the file.
        timeout_s: For each of two requests.
        between: Waited for before the second one, with the answer to the first.

    Raises:
        FetchError: There was no answer.
    """
    request = replace(asking(url), timeout_s=timeout_s)
    followed = await client.follow(request)
    if is_answer(followed.response):
        return followed
    followed.release()
    if between is not None:
        await between(followed.response)
    return await client.follow(replace(request, method="GET"))


def asking(url: str) -> Request:
    """A request that wants to know whether a file is there, and not what is in it."""
    return Request(
        url=url,
        method="HEAD",
        max_wire_bytes=_ASKED_BYTES,
        max_decoded_bytes=_ASKED_BYTES,
        keep_bytes=0,
        timeout_s=_LIMITS.document_s,
    )


def is_answer(response: Response) -> bool:
    """Return whether an answer to ``asking`` says what became of the file, or that the host wants fewer requests.

    Servers exist that know only GET: any other error need not be that of the file.
    """
    return response.status < _HEAD_FAILED or asks_to_wait(response.status, retry_after_of(response))


def retry_after_of(response: Response | None) -> str | None:
    """Return the header of an answer that says when to come back."""
    return None if response is None else response.header("retry-after")
