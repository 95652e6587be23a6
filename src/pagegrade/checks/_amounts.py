"""Numbers of things as people write them."""

from __future__ import annotations

from typing import Final

_DIGITS: Final = 2
"""Digits of an estimate that mean something."""


def amount(count: int, thing: str) -> str:
    """Format a count: "1 file", "1,200 files"; ``thing`` forms its plural with an s."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def part(count: int, whole: int, thing: str) -> str:
    """Format a part of a count: "2 of 12 files", "1 of 1 file"."""
    return f"{count:,} of {amount(whole, thing)}"


def rounded(estimate: int) -> str:
    """An estimate, not negative, without digits that no one can know: 21,527 becomes "22,000"."""
    return f"{round(estimate, _DIGITS - len(str(estimate))):,}"
