"""The titles of analysed pages, for lists: a title says more than an address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from pagegrade.model.stored import StoredReport
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.run_history import load_details


class _Page(msgspec.Struct):
    title: str = ""


class _Detail(msgspec.Struct):
    page: _Page | None = None


_decode: Final = msgspec.json.Decoder(_Detail).decode


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
