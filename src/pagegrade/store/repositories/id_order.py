"""Lists by id, the newest first: numbered pages (pagination), and what is beside an id."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Row, Select

from pagegrade.model.stored import ListPart
from pagegrade.store.engine.database import Transaction


def rows_of(tx: Transaction, query: Select[Any], column: Column[Any], part: ListPart) -> list[Row[Any]]:
    """Return the rows of a part of a list, newest first.

    Args:
        query: The whole list, without an order.
        column: The id.
    """
    if part.beside is not None:
        query = query.where(column > part.beside if part.backward else column < part.beside)
    query = query.order_by(column.asc() if part.backward else column.desc()).limit(part.per_page)
    found = list(tx.execute(query.offset(part.skipped) if part.skipped else query))
    return found[::-1] if part.backward else found
