"""The titles of analyzed pages, for lists: a title says more than an address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from pagegrade.model.stored import StoredReport
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.run_history import load_details


class _Page(msgspec.Struct):
    title: str = ""


class _Result(msgspec.Struct):
    outcome: str
    title: str = ""
    lost: float = 0.0
    counted_in: str | None = None


class _Detail(msgspec.Struct):
    page: _Page | None = None


class _Results(msgspec.Struct):
    results: dict[str, _Result] | None = None


class SharedFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding of several pages."""

    check: str
    title: str
    pages: int
    lost: float
    """Points of all these pages together."""


_decode: Final = msgspec.json.Decoder(_Detail).decode
_decode_results: Final = msgspec.json.Decoder(_Results).decode
MAX_SHARED: Final = 8
"""Findings of several pages that are listed."""


def find_titles(tx: Transaction, reports: Sequence[StoredReport]) -> dict[int, str]:
    """Report id -> title of its page as it was last seen; without those that have none, or were never seen.

    Args:
        tx: Any transaction.
        reports: A page of a list: the results of each are read.
    """
    found: dict[int, str] = {}
    for number, detail in load_details(tx, reports).items():
        page = _decode(detail).page
        if page is not None and page.title:
            found[number] = page.title
    return found


def find_shared_findings(tx: Transaction, reports: Sequence[StoredReport]) -> tuple[SharedFinding, ...]:
    """List the findings that at least two of the reports have: those of the most pages first, then by points.

    Args:
        tx: Any transaction.
        reports: At most a hundred or so: the results of each are read.
    """
    found: dict[str, SharedFinding] = {}
    for detail in load_details(tx, reports).values():
        for check, result in (_decode_results(detail).results or {}).items():
            if result.outcome not in {"warning", "failed"} or result.counted_in is not None:
                continue
            known = found.get(check)
            found[check] = SharedFinding(
                check=check,
                title=result.title if known is None else known.title,
                pages=1 if known is None else known.pages + 1,
                lost=result.lost if known is None else known.lost + result.lost,
            )
    shared = sorted(
        (one for one in found.values() if one.pages > 1), key=lambda one: (-one.pages, -one.lost, one.check)
    )
    return tuple(shared[:MAX_SHARED])
