"""Slots shared between accounts, so that no account waits behind the work of another."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Hashable


class FairSlots:
    """``async with slots.hold(account)``: a semaphore that knows for whom each slot is taken.

    ``count`` slots are for everything. ``spare`` more are only for accounts that hold none, so that such an account
    gets one at once even while another account holds all of the others. Of several accounts that wait, the one that
    holds the fewest is next, then the one that was served least recently. For one event loop.
    """

    def __init__(self, count: int, *, spare: int) -> None:
        """Prepare the slots.

        Args:
            count: Slots for any account; at least 1.
            spare: Further slots, one for each account that holds none.
        """
        self._count = count
        self._spare = spare
        self._held: Counter[Hashable] = Counter()
        self._total = 0
        self._waiting: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()
        """Account -> those who wait, oldest first; the account served least recently stands first."""

    @property
    def waiting(self) -> int:
        """Return the number of waiting tasks."""
        return sum(len(line) for line in self._waiting.values())

    @contextlib.asynccontextmanager
    async def hold(self, account: Hashable) -> AsyncIterator[None]:
        """Wait for a slot and hold it.

        Args:
            account: For whom the work is done.
        """
        await self._acquire(account)
        try:
            yield
        finally:
            self._release(account)

    async def _acquire(self, account: Hashable) -> None:
        if account not in self._waiting and self._may_start(account):
            self._take(account)
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(account, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # The slot was given in the same moment.
                self._release(account)
            else:
                self._leave(account, turn)
            raise

    def _release(self, account: Hashable) -> None:
        self._held[account] -= 1
        if not self._held[account]:
            del self._held[account]
        self._total -= 1
        self._serve()

    def _serve(self) -> None:
        while self._waiting:
            account = min(self._waiting, key=lambda each: self._held[each])
            if not self._may_start(account):
                return
            turn = self._waiting[account].popleft()
            self._waiting.move_to_end(account)
            if not self._waiting[account]:
                del self._waiting[account]
            self._take(account)
            turn.set_result(None)

    def _leave(self, account: Hashable, turn: asyncio.Future[None]) -> None:
        line = self._waiting[account]
        line.remove(turn)
        if not line:
            del self._waiting[account]

    def _may_start(self, account: Hashable) -> bool:
        return self._total < self._count or (self._total < self._count + self._spare and not self._held[account])

    def _take(self, account: Hashable) -> None:
        self._held[account] += 1
        self._total += 1
