"""Rate limits of one request (status 429 with Retry-After): analyses of a key, and pages of a client address."""

from __future__ import annotations

import contextlib
from typing import Final

from pagegrade.model.errors import RateLimited, Unavailable
from pagegrade.service.accounts.admission import Admission
from pagegrade.service.options import ServiceOptions
from pagegrade.service.rate_limit import Bucket, Buckets

ANALYSES: Final = "analyses"


class RateLimit:
    """Counts what one request uses up; the admission counts the request itself."""

    def __init__(self, limits: Buckets, options: ServiceOptions, admission: Admission) -> None:
        self._limits = limits
        self._options = options
        self._admission = admission

    async def take_analysis(self) -> None:
        """Count an analysis for the key, once for this request however often it is called.

        Raises:
            RateLimited: The key started too many in the last minute.
        """
        await self.count_analysis()
        self.check_analysis()

    async def count_analysis(self) -> None:
        """Count an analysis without refusing it; ``check_analysis`` refuses it later."""
        standings = self._admission.standings
        standing = standings.get(ANALYSES)
        if standing is None or not standing.allowed:
            identity = self._admission.admitted.identity
            bucket = Bucket((ANALYSES, identity), self._options.analyses_per_minute)
            standings[ANALYSES] = await self._limits.take_now(bucket)

    def check_analysis(self) -> None:
        """Go on only if the analysis was counted; also called inside of transactions.

        Raises:
            RateLimited: The key started too many in the last minute.
        """
        standing = self._admission.standings[ANALYSES]
        if not standing.allowed:
            raise RateLimited(
                f"This key may start {standing.limit} analyses a minute; wait and try again.",
                retry_after_s=standing.reset_s,
            )

    async def give_back(self, policy: str) -> None:
        """Take back a count that was not used; it stays while the database is unavailable."""
        standings = self._admission.standings
        standing = standings.get(policy)
        if standing is not None and standing.allowed:
            identity = self._admission.admitted.identity
            with contextlib.suppress(Unavailable):
                standings[policy] = await self._limits.give_back_now(Bucket((policy, identity), standing.limit))

    async def forget_analysis(self) -> None:
        """Take back the count of an analysis that was not started."""
        await self.give_back(ANALYSES)
        self._admission.standings.pop(ANALYSES, None)
