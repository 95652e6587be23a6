"""Results of an analysis, which reports and runs have in common, as pieces of JSON.

Pieces are assembled from the bytes in which they are stored: parsing the results only to write them again would be most
of the cost of a request.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Final

import msgspec

from pagegrade.model.report import REPORT_VERSION
from pagegrade.model.stored import GRADES
from pagegrade.report.codec import Summary, detail_members
from pagegrade.report.serialize import timestamp

RESULTS: Final[dict[int | None, bytes]] = {rating: f'"{grade}"'.encode() for rating, grade in GRADES.items()}
"""Rating of a report or run -> its result in JSON; ratings that are not in it are null."""
_NULL: Final = msgspec.Raw(b"null")
NO_SUMMARY: Final = Summary(
    version=msgspec.Raw(str(REPORT_VERSION).encode()),
    final_url=_NULL,
    uncapped_score=_NULL,
    coverage=_NULL,
    caps=msgspec.Raw(b"[]"),
    counts=_NULL,
    categories=msgspec.Raw(b"{}"),
    run=_NULL,
)
"""Members of what has no results yet."""
_NO_DETAIL: Final = b'"results":null,"page":null,"rendered":null'


class Absent(Enum):
    """Not asked for, as opposed to not there."""

    ABSENT = 0


ABSENT: Final = Absent.ABSENT
DetailBytes = bytes | Absent | None
"""JSON object with ``results`` and ``page``; ``None``: there are none, ``ABSENT``: leave the members out."""
Part = bytes | memoryview | msgspec.Raw
"""A piece of a JSON document."""


_STATIC: Final = b',"rendered":null'


def result_members(
    summary: Summary, detail: DetailBytes, number: int | None, pending_run: int | None = None
) -> tuple[Part, ...]:
    """From ``uncapped_score`` to ``run``: what reports and runs have in common.

    Args:
        summary: Of the run.
        detail: Of the run.
        number: Of the run.
        pending_run: Number of the run in a browser that follows it by itself; ``None``: none does.
    """
    whole: tuple[Part, ...] = ()
    if not isinstance(detail, Absent):
        whole = (b",", _NO_DETAIL if detail is None else detail_members(detail))
    if pending_run is not None:
        # A run that another one follows is static: its detail ends like this.
        static = whole and bytes(whole[1][-len(_STATIC) :]) == _STATIC
        whole = (*whole[:1], whole[1][: -len(_STATIC)]) if static else ()
        whole = (*whole, b',"rendered":{"state":"pending","run":%d}' % pending_run)
    run = bytes(summary.run)
    if number is not None and run != b"null":
        run = b'{"number":%d,' % number + run[1:]
    return (
        b',"uncapped_score":',
        summary.uncapped_score,
        b',"coverage":',
        summary.coverage,
        b',"withheld":',
        summary.withheld,
        b',"analysis":',
        summary.analysis,
        b',"ignored":',
        summary.ignored,
        b',"caps":',
        summary.caps,
        b',"counts":',
        summary.counts,
        b',"categories":',
        summary.categories,
        *whole,
        b',"run":',
        run,
    )


def integer(number: int | None) -> bytes:
    """Return a number in JSON."""
    return b"null" if number is None else b"%d" % number


@lru_cache(maxsize=4_096)
def moment(at_ms: int | None) -> bytes:
    """Return a point in time in JSON."""
    return b"null" if at_ms is None else f'"{timestamp(at_ms)}"'.encode()
