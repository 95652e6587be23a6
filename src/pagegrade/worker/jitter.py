"""When to look for a run that another process has queued, so that not everybody looks at once.

Everybody hears of it. About ``DRAWN`` processes look for it soon, by lot; the others later, should it still be there.
Whoever takes a run and sees that more wait says so, and the lot is drawn again: so as many look as are needed, and a
hundred idle processes do not ask the database all at the same moment.
"""

from __future__ import annotations

import random
from typing import Final

DRAWN: Final = 8
SOON_S: Final = 0.005
"""Between those who look soon."""
LATER_S: Final = 0.25
EACH_LATER_S: Final = 0.02
LATEST_S: Final = 3.0
"""The others look after ``LATER_S``, each ``EACH_LATER_S`` after the other: together some fifty times a second."""


def turn_s(peers: int) -> float:
    """After how many seconds to look.

    Args:
        peers: How many processes have heard of it, about.
    """
    if random.random() * peers < DRAWN:  # noqa: S311 - no secret
        return random.uniform(0, SOON_S * min(DRAWN, peers))  # noqa: S311
    return min(LATEST_S, random.uniform(LATER_S, LATER_S + EACH_LATER_S * peers))  # noqa: S311
