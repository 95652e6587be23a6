"""Memory that the answers of one run may hold together, charged while their bytes arrive.

A run may hold ``SHARE_BYTES`` whatever other runs do. To hold more it needs a place, of which a process has few, so
that many large pages at once do not use the sum of what each may use. It waits for one between exchanges, and by
pausing those under way; a run that has a place never waits, and gives it back when it holds less or is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Final

MAX_HELD_BYTES: Final = 24_000_000
"""Of one run at any moment: bodies after decoding and heads of answers, over all its gatherers and connections.

Enough for the largest document, the largest sitemap, every file beside the page, and a dozen files under way.
"""
MAX_HEAD_BYTES: Final = 4_000_000
"""The share of it that heads may have, which stay until the page has been evaluated."""
SHARE_BYTES: Final = 5_000_000
"""Of it, what a run may hold without a place: more than nearly every page of the web ever does."""

Place = Callable[[], AbstractAsyncContextManager[None]]
"""Waits for a place and holds it; raises ``TimeoutError`` if none came free in time."""


class HeldBytes:
    """The budget of one run; shared by all its clients."""

    __slots__ = (
        "_holding",
        "_left",
        "_may_go_on",
        "_paused",
        "_place",
        "_returning",
        "left_for_heads",
        "peak_bytes",
        "share_bytes",
        "total_bytes",
    )

    def __init__(
        self, total_bytes: int = MAX_HELD_BYTES, *, place: Place | None = None, share_bytes: int = SHARE_BYTES
    ) -> None:
        """Prepare the budget.

        Args:
            total_bytes: The most the run may hold.
            place: Where to get a place for more than ``share_bytes``; ``None``: none is needed.
            share_bytes: What it may hold without one.
        """
        self.total_bytes = total_bytes
        self.share_bytes = share_bytes
        self._place = place
        self._holding: asyncio.Task[None] | None = None
        """Waits for a place, then holds it."""
        self._may_go_on = asyncio.Event()
        """Set while a place is held."""
        self._returning = asyncio.Event()
        """Set when the place is to be given back."""
        self._paused: list[Callable[[], None]] = []
        self._left = total_bytes
        self.left_for_heads = MAX_HEAD_BYTES
        """Return the bytes that response heads may still use."""
        self.peak_bytes = 0
        """The most that was held at any moment."""

    @property
    def held_bytes(self) -> int:
        """Return the bytes that are held now."""
        return self.total_bytes - self._left

    def take(self, count: int) -> bool:
        """Charge ``count`` bytes if there are so many left; nothing otherwise."""
        if count > self._left:
            return False
        self._left -= count
        self.peak_bytes = max(self.peak_bytes, self.held_bytes)
        return True

    def give_back(self, count: int) -> None:
        """Free what was charged before."""
        self._left += count
        if self._holding is not None and self.held_bytes <= self.share_bytes:
            self._let_go()

    def must_pause(self, resume: Callable[[], None]) -> bool:
        """Return whether an exchange has to stop reading until ``resume`` is called, once, from the event loop."""
        if not self._needs_place():
            return False
        self._paused.append(resume)
        return True

    async def wait(self) -> None:
        """Wait until the run may begin another exchange."""
        while self._needs_place():
            resumed = asyncio.Event()
            self._paused.append(resumed.set)
            await resumed.wait()

    def close(self) -> None:
        """Give back the place: the run is over."""
        self._place = None
        if self._holding is not None:
            self._let_go()

    def _needs_place(self) -> bool:
        if self._place is None or self.held_bytes <= self.share_bytes or self._may_go_on.is_set():
            return False
        if self._holding is None:
            self._returning = asyncio.Event()
            self._holding = asyncio.get_running_loop().create_task(self._hold(self._place(), self._returning))
        return True

    async def _hold(self, place: AbstractAsyncContextManager[None], returning: asyncio.Event) -> None:
        try:
            async with place:
                self._may_go_on.set()
                self._resume()
                await returning.wait()
        except TimeoutError:
            if self._returning is returning:
                # Those that pause ask again, until the time of the run is over.
                self._holding = None
                self._resume()

    def _let_go(self) -> None:
        if self._holding is not None and not self._may_go_on.is_set():
            self._holding.cancel()
        self._returning.set()
        self._holding = None
        self._may_go_on.clear()
        self._resume()

    def _resume(self) -> None:
        paused, self._paused = self._paused, []
        loop = asyncio.get_running_loop()
        for resume in paused:
            # Later: what is resumed may charge bytes, and this may be the middle of giving some back.
            loop.call_soon(resume)


class Hold:
    """Bytes charged for one response; held until released, or for the rest of the run."""

    __slots__ = ("_budget", "_heads", "count")

    def __init__(self, budget: HeldBytes) -> None:
        self._budget = budget
        self._heads = 0
        self.count = 0
        """Bytes."""

    def take(self, count: int) -> bool:
        """Charge ``count`` bytes more; whether that was possible."""
        if not self._budget.take(count):
            return False
        self.count += count
        return True

    def must_pause(self, resume: Callable[[], None]) -> bool:
        """As ``HeldBytes.must_pause``."""
        return self._budget.must_pause(resume)

    def take_head(self, count: int) -> bool:
        """Charge ``count`` bytes for the head of the answer; whether that was possible."""
        if count > self._budget.left_for_heads or not self.take(count):
            return False
        self._budget.left_for_heads -= count
        self._heads += count
        return True

    def release_body(self) -> None:
        """Free what is charged for the body: only the head is still kept. Further calls do nothing."""
        self._budget.give_back(self.count - self._heads)
        self.count = self._heads

    def release(self) -> None:
        """Free everything: nothing of the answer is kept. Further calls do nothing."""
        self._budget.give_back(self.count)
        self._budget.left_for_heads += self._heads
        self.count = self._heads = 0
