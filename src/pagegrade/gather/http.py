"""The HTTP client: one per report, nothing shared between reports, every limit hard."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from pagegrade.gather.exchange import DEFAULT_LIMITS, Exchange, FetchError, Followed, Limits, Request
from pagegrade.gather.guard import Policy
from pagegrade.gather.resolver import Resolver

__all__ = ["DEFAULT_LIMITS", "Exchange", "FetchError", "Followed", "HTTPClient", "Limits", "Request"]


class HTTPClient:
    """Sends GET and HEAD requests to addresses that the guard has judged; keeps no cookies, follows nothing by itself.

    Use as ``async with HTTPClient(policy=Policy()) as client:``.

    Args:
        policy: What may be contacted.
        resolver: Where addresses come from; ``None`` for DNS. Its answers are cached for the client's life.
        deadline: ``asyncio`` loop time at which every exchange ends with code ``budget``; ``None`` for none.
        limits: Of each exchange.
    """

    def __init__(
        self,
        *,
        policy: Policy,
        resolver: Resolver | None = None,
        deadline: float | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def fetch(self, request: Request) -> Exchange:
        """Make one exchange; a redirect is an answer like any other.

        Raises:
            FetchError: There was no answer; its codes are in its docstring.
        """
        ...

    async def follow(self, request: Request) -> Followed:
        """Make an exchange and follow its redirects, each judged anew, at most ten.

        Raises:
            FetchError: ``hops`` holds the redirect answers up to the failure.
        """
        ...
