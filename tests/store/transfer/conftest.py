"""An installation to transfer, and where to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import inspect

from pagegrade.clock import now_ms
from pagegrade.store.engine.factory import open_database
from pagegrade.store.engine.postgresql import PostgresDatabase
from pagegrade.store.transfer.copy import Transferred, open_source, transfer
from tests.populated_installation import Left, moved_in
from tests.postgres import databases
from tests.store_builders import on


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """An installation that was stopped; it does not change."""

    async def fill() -> Left:
        async with moved_in(tmp_path_factory.mktemp("filled")) as (_, left):
            return left

    with on("sqlite"):
        return asyncio.run(fill())


@pytest.fixture
def target() -> Iterator[PostgresDatabase]:
    """A database without tables."""
    made = open_database(databases().make_empty())
    assert isinstance(made, PostgresDatabase)
    yield made
    made.close()


def move(path: Path, target: PostgresDatabase, watched: list[tuple[object, ...]] | None = None) -> Transferred:
    """Transfer a file."""
    source = open_source(path)
    seen = [] if watched is None else watched
    try:
        return transfer(source, target, now_ms=now_ms(), watch=lambda *words: seen.append(words))
    finally:
        source.close()


def is_empty(target: PostgresDatabase) -> bool:
    """Return whether there is not even a table."""
    return target.read_here(lambda tx: inspect(tx).get_table_names()) == []
