"""Random delays before processes look for a run that another process queued.

All processes are notified. About ``DRAWN`` random processes look for the run soon; the others later, if it is still
queued. A process that claims a run and sees more of them sends another notification: so as many processes look as are
needed, and a hundred idle processes do not query the database at the same moment.
"""

from __future__ import annotations

import random
from typing import Final

DRAWN: Final = 8
SOON_S: Final = 0.005
"""Interval between the processes that look soon."""
LATER_S: Final = 0.25
EACH_LATER_S: Final = 0.02
LATEST_S: Final = 3.0
"""The others look after ``LATER_S``, at intervals of ``EACH_LATER_S``: together some fifty times a second."""


def turn_s(peers: int) -> float:
    """Return the delay in seconds before looking.

    Args:
        peers: Approximate number of notified processes.
    """
    if random.random() * peers < DRAWN:  # noqa: S311 - no secret
        return random.uniform(0, SOON_S * min(DRAWN, peers))  # noqa: S311
    return min(LATEST_S, random.uniform(LATER_S, LATER_S + EACH_LATER_S * peers))  # noqa: S311
