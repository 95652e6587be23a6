"""Slots shared between accounts, so that no account waits behind the work of another."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Hashable


class NoSlot(TimeoutError):
    """No slot came free in time, or too many tasks of the account wait for one already."""


class _Turn:
    """One task that waits."""

    __slots__ = ("called", "weight")

    def __init__(self, weight: int) -> None:
        self.weight = weight
        self.called = asyncio.Event()
        """Set when it may be its turn; it looks for itself whether it is."""


class FairSlots:
    """``async with slots.hold(account)``: a semaphore that knows for whom each slot is taken.

    ``count`` slots are for everything. ``spare`` more are only for accounts that hold none, so that such an account
    gets one at once even while another account holds all of the others. Of several accounts that wait, the one that
    holds the fewest is next, then the one that was served least recently. For one event loop.

    Slots may have a weight as well, such as the memory of their work; then the sum of the weights is limited in the
    same way. Work that does not fit is never overtaken by work that is not before it in this order, so it starts as
    soon as enough of what is under way has ended.

    No slot is ever handed over: a task that waits is only woken, and takes its slot itself, in one step with entering
    the block that gives it back. So a slot cannot get lost to a task that was cancelled in the moment of its turn.
    """

    def __init__(
        self,
        count: int,
        *,
        spare: int,
        wait_s: float,
        line: int | None = None,
        weight: int | None = None,
        spare_weight: int = 0,
    ) -> None:
        """Prepare the slots.

        Args:
            count: Slots for any account; at least 1.
            spare: Further slots, one for each account that holds none.
            wait_s: Longest wait for a slot, in seconds.
            line: Tasks of one account that may wait; ``None``: any number.
            weight: Largest sum of the weights of the slots; ``None``: any.
            spare_weight: Further weight for accounts that hold no slot.
        """
        self._count = count
        self._spare = spare
        self._wait_s = wait_s
        self._line = line
        self._weight = weight
        self._spare_weight = spare_weight
        self._held: Counter[Hashable] = Counter()
        self.held = 0
        """Slots that are held."""
        self.held_weight = 0
        """Sum of their weights."""
        self._waiting: OrderedDict[Hashable, deque[_Turn]] = OrderedDict()
        """Account -> those who wait, oldest first; the account served least recently stands first."""

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
            weight: Of the slot, 0 or more; more than there is counts as all there is for one account.

        Raises:
            NoSlot: None came free in time, or too many tasks of the account wait.
        """
        if self._weight is not None:
            weight = min(weight, self._weight)
        if not self.is_free(account, weight):
            await self._wait(account, weight)
        self._held[account] += 1
        self.held += 1
        self.held_weight += weight
        try:
            # Another one may fit as well.
            self._call_next()
            yield
        finally:
            self._held[account] -= 1
            if not self._held[account]:
                del self._held[account]
            self.held -= 1
            self.held_weight -= weight
            self._call_next()

    async def _wait(self, account: Hashable, weight: int) -> None:
        """Return in the turn of the caller, which takes its slot before anything else can happen."""
        if self._line is not None and len(self._waiting.get(account, ())) >= self._line:
            raise NoSlot("Too many tasks wait.")
        turn = _Turn(weight)
        self._waiting.setdefault(account, deque()).append(turn)
        served = False
        try:
            async with asyncio.timeout(self._wait_s):
                while self._next() is not turn:
                    turn.called.clear()
                    await turn.called.wait()
            served = True
        except TimeoutError:
            raise NoSlot(f"No slot came free within {self._wait_s:g} s.") from None
        finally:
            self._leave(account, turn)
            if served and account in self._waiting:
                self._waiting.move_to_end(account)
            elif not served:
                # Those behind it may fit.
                self._call_next()

    def _next(self) -> _Turn | None:
        """Return who is to start now."""
        if not self._waiting:
            return None
        account = min(self._waiting, key=lambda each: self._held[each])
        turn = self._waiting[account][0]
        return turn if self._may_start(account, turn.weight) else None

    def _call_next(self) -> None:
        turn = self._next()
        if turn is not None:
            turn.called.set()

    def _leave(self, account: Hashable, turn: _Turn) -> None:
        line = self._waiting[account]
        line.remove(turn)
        if not line:
            del self._waiting[account]

    def _comes_after(self, account: Hashable) -> bool:
        """Return whether another account waits that holds no more than this one."""
        return any(self._held[each] <= self._held[account] for each in self._waiting)

    def _may_start(self, account: Hashable, weight: int) -> bool:
        extra, extra_weight = (0, 0) if self._held[account] else (self._spare, self._spare_weight)
        has_slot = self.held < self._count + extra
        return has_slot and (self._weight is None or self.held_weight + weight <= self._weight + extra_weight)
