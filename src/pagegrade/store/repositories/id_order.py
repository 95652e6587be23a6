"""Lists by id, the newest first, that are read from any row on."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Row, Select

from pagegrade.store.engine.database import Transaction


def rows_beside(
    tx: Transaction, query: Select[Any], column: Column[Any], count: int, *, beside: int | None, backward: bool
) -> list[Row[Any]]:
    """Return up to ``count`` rows just after the one with the id ``beside`` in the list, or just before it.

    Args:
        beside: An id, whether that row is there or not; ``None``: from the beginning of the list.
        backward: Those before; newest first as well.
    """
    if beside is not None:
        query = query.where(column > beside if backward else column < beside)
    found = list(tx.execute(query.order_by(column.asc() if backward else column.desc()).limit(count)))
    return found[::-1] if backward else found
