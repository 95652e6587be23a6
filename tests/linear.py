"""Measurement of how the processor time of a function grows with its input."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from functools import partial
from typing import Final

CHEAP_S: Final = 0.02
"""CPU time of the largest input below which nothing can be wrong: quadratic work takes longer even for that."""
MAX_RATIO: Final = 9.0
"""Time of 4n in times of n: 4 where it is linear, 16 where it is quadratic."""
ATTEMPTS: Final = 40
"""At most that many attempts to time each size: other processes disturb single measurements, but not all of them."""
SETTLED: Final = 6
"""Attempts after which the times of a function that is expected to be slow are known."""


def _cpu_s(run: Callable[[], object]) -> float:
    gc.collect(0)
    collecting = gc.isenabled()
    gc.disable()  # a collection walks through all that earlier tests have left, which has nothing to do with the input
    try:
        start = time.thread_time()
        run()
        return time.thread_time() - start
    finally:
        if collecting:
            gc.enable()


def growth(run: Callable[[int], object], size: int, *, cheap_s: float = CHEAP_S, settled: bool = False) -> float:
    """Return the time of an input of 4 x `size` in times of one of `size`, at best; 0 below `cheap_s` seconds.

    The attempts end with the first ratio that is low enough. `settled` makes a fixed number of them instead: one
    disturbed measurement of the smallest input can make quadratic work look linear, which only a test that expects
    quadratic work has to exclude.
    """
    if _cpu_s(partial(run, 4 * size)) < cheap_s:
        return 0.0
    best = [float("inf")] * 3
    ratio = float("inf")
    for _ in range(SETTLED if settled else ATTEMPTS):
        for index, factor in enumerate((1, 2, 4)):
            best[index] = min(best[index], _cpu_s(partial(run, factor * size)))
        one, two, four = (max(seconds, 1e-4) for seconds in best)
        ratio = 0.0 if four < cheap_s else min(four / one, (four / two) ** 2)
        if ratio <= MAX_RATIO and not settled:
            break
    return ratio
