"""Pictures of a load -> how much of the final picture each shows.

Source: https://developer.chrome.com/docs/lighthouse/performance/speed-index, "mean pixel-histogram difference" of
https://github.com/WPO-Foundation/visualmetrics.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final

CHANNELS: Final = 3
LEVELS: Final = 256


def visual_progress(histograms: Sequence[object]) -> list[float]:
    """Compare pictures by their histograms.

    Args:
        histograms: Of each picture in order, 3 x 256 counts of red, green and blue values; near-white pixels are not
            counted.

    Returns:
        Shares from 0 to 1, one for each picture: of what changes from the first picture to the last, how much has
        changed. Empty where a histogram is none.
    """
    read = [_counts(each) for each in histograms]
    counts = [each for each in read if each is not None]
    if not counts or len(counts) != len(read):
        return []
    first, last = counts[0], counts[-1]
    changes = [abs(final - initial) for initial, final in zip(first, last, strict=True)]
    total = sum(changes)
    return [
        1.0
        if total == 0
        else sum(min(abs(now - initial), change) for now, initial, change in zip(each, first, changes, strict=True))
        / total
        for each in counts
    ]


def _counts(value: object) -> list[int] | None:
    if not isinstance(value, (list, tuple)) or len(value) != CHANNELS * LEVELS:
        return None
    return list(value) if all(isinstance(count, int) for count in chain(value)) else None
