"""Pictures of a load -> how much of the final picture each shows.

The mean histogram difference, read as Lighthouse reads it, so that its curves of the speed index apply: a load starts
white, progress is counted in whole percents, and between two pictures that hardly differ, those in between are taken
for the first of the two. Small moves of a page that is complete otherwise do not count as a part that is missing.

Source: https://developer.chrome.com/docs/lighthouse/performance/speed-index, "mean pixel-histogram difference" of
https://github.com/WPO-Foundation/visualmetrics, and the fast mode of https://github.com/paulirish/speedline.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Final

CHANNELS: Final = 3
LEVELS: Final = 256
_ALIKE_AT_ONCE: Final = 5
_ALIKE_AFTER_A_SECOND: Final = 3
_ALIKE_LATER: Final = -1
"""Percents by which two pictures may differ that are taken for alike; the fewer, the longer the time between them."""


def visual_progress(histograms: Sequence[object], times_ms: Sequence[float]) -> list[float]:
    """Compare pictures by their histograms.

    Args:
        histograms: Of each picture in order, 3 x 256 counts of red, green and blue values; near-white pixels are not
            counted.
        times_ms: When each was shown, after the start of the load.

    Returns:
        Shares from 0 to 1 in steps of a hundredth, one for each picture: of the change from a white screen to the last
        picture, how much has happened. Empty where a histogram is none.
    """
    read = [_counts(each) for each in histograms]
    counts = [each for each in read if each is not None]
    if not counts or len(counts) != len(read):
        return []
    final = counts[-1]
    total = sum(final)
    percents = [0, *(_percent(each, final, total) for each in counts)] if total else [100] * (len(counts) + 1)
    _take_alike_for_equal(percents, [0.0, *times_ms], 0, len(counts))
    return [percent / 100 for percent in percents[1:]]


def _percent(counts: Sequence[int], final: Sequence[int], total: int) -> int:
    return 100 * sum(map(min, counts, final)) // total


def _take_alike_for_equal(percents: list[int], times_ms: Sequence[float], first: int, last: int) -> None:
    """Give all pictures between two that are alike the progress of the first, by halves."""
    apart_s = (times_ms[last] - times_ms[first]) / 1_000
    span = _ALIKE_AT_ONCE - _ALIKE_LATER
    decay = math.log((_ALIKE_AFTER_A_SECOND - _ALIKE_LATER) / span)
    if abs(percents[first] - percents[last]) < span * math.exp(decay * apart_s) + _ALIKE_LATER:
        percents[first + 1 : last] = [percents[first]] * (last - first - 1)
    elif last - first > 1:
        middle = (first + last) // 2
        _take_alike_for_equal(percents, times_ms, first, middle)
        _take_alike_for_equal(percents, times_ms, middle, last)


def _counts(value: object) -> list[int] | None:
    if not isinstance(value, (list, tuple)) or len(value) != CHANNELS * LEVELS:
        return None
    return list(value) if all(isinstance(count, int) for count in chain(value)) else None
