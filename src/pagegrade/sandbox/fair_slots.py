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

    Slots may have a weight as well, such as the memory of their work; then the sum of the weights is limited in the
    same way. Work that does not fit is never overtaken by work that is not before it in this order, so it starts as
    soon as enough of what is under way has ended.
    """

    def __init__(self, count: int, *, spare: int, weight: int | None = None, spare_weight: int = 0) -> None:
        """Prepare the slots.

        Args:
            count: Slots for any account; at least 1.
            spare: Further slots, one for each account that holds none.
            weight: Largest sum of the weights of the slots; ``None``: any.
            spare_weight: Further weight for accounts that hold no slot.
        """
        self._count = count
        self._spare = spare
        self._weight = weight
        self._spare_weight = spare_weight
        self._held: Counter[Hashable] = Counter()
        self._total = 0
        self.held_weight = 0
        """Sum of the weights of the slots that are held."""
        self._waiting: OrderedDict[Hashable, deque[tuple[int, asyncio.Future[None]]]] = OrderedDict()
        """Account -> (weight, turn) of those who wait, oldest first; the account served least recently stands first."""

    @property
    def waiting(self) -> int:
        """Return the number of waiting tasks."""
        return sum(len(line) for line in self._waiting.values())

    def is_free(self, account: Hashable, weight: int = 0) -> bool:
        """Return whether ``hold`` would not have to wait."""
        return account not in self._waiting and not self._comes_after(account) and self._may_start(account, weight)

    @contextlib.asynccontextmanager
    async def hold(self, account: Hashable, weight: int = 0) -> AsyncIterator[None]:
        """Wait for a slot and hold it.

        Args:
            account: For whom the work is done.
            weight: Of the slot, 0 or more; more than there is counts as all there is for one account.
        """
        if self._weight is not None:
            weight = min(weight, self._weight)
        await self._acquire(account, weight)
        try:
            yield
        finally:
            self._release(account, weight)

    async def _acquire(self, account: Hashable, weight: int) -> None:
        if self.is_free(account, weight):
            self._take(account, weight)
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting = weight, turn
        self._waiting.setdefault(account, deque()).append(waiting)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # The slot was given in the same moment.
                self._release(account, weight)
            else:
                self._leave(account, waiting)
                # Those behind it may fit.
                self._serve()
            raise

    def _release(self, account: Hashable, weight: int) -> None:
        self._held[account] -= 1
        if not self._held[account]:
            del self._held[account]
        self._total -= 1
        self.held_weight -= weight
        self._serve()

    def _serve(self) -> None:
        while self._waiting:
            account = min(self._waiting, key=lambda each: self._held[each])
            weight, turn = self._waiting[account][0]
            if not self._may_start(account, weight):
                return
            self._waiting[account].popleft()
            self._waiting.move_to_end(account)
            if not self._waiting[account]:
                del self._waiting[account]
            self._take(account, weight)
            turn.set_result(None)

    def _leave(self, account: Hashable, waiting: tuple[int, asyncio.Future[None]]) -> None:
        line = self._waiting[account]
        line.remove(waiting)
        if not line:
            del self._waiting[account]

    def _comes_after(self, account: Hashable) -> bool:
        """Return whether another account waits that holds no more than this one."""
        return any(self._held[each] <= self._held[account] for each in self._waiting)

    def _may_start(self, account: Hashable, weight: int) -> bool:
        extra, extra_weight = (0, 0) if self._held[account] else (self._spare, self._spare_weight)
        has_slot = self._total < self._count + extra
        return has_slot and (self._weight is None or self.held_weight + weight <= self._weight + extra_weight)

    def _take(self, account: Hashable, weight: int) -> None:
        self._held[account] += 1
        self._total += 1
        self.held_weight += weight
