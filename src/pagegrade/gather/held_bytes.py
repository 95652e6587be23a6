"""Memory that the answers of one run may hold together, charged while their bytes arrive."""

from __future__ import annotations

from typing import Final

MAX_HELD_BYTES: Final = 24_000_000
"""Of one run at any moment: bodies after decoding and heads of answers, over all its gatherers and connections.

Enough for the largest document, the largest sitemap, every file beside the page, and a dozen files under way.
"""
MAX_HEAD_BYTES: Final = 4_000_000
"""The share of it that heads may have, which stay until the page has been evaluated."""


class HeldBytes:
    """The budget of one run; shared by all its clients."""

    __slots__ = ("_left", "left_for_heads", "peak_bytes", "total_bytes")

    def __init__(self, total_bytes: int = MAX_HELD_BYTES) -> None:
        self.total_bytes = total_bytes
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
