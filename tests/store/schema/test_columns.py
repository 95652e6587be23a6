from __future__ import annotations

import pytest
from sqlalchemy import BigInteger, Column, Index, Integer, MetaData, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from pagegrade.store.schema.columns import ID, NAMES, text, where

THINGS = Table(
    "things",
    MetaData(naming_convention=NAMES),
    Column("id", ID, primary_key=True),
    Column("name", text(20)),
    Column("size", BigInteger),
    Index("ix_things_large", "name", **where(Column("size", Integer) > 5)),
)


def test_a_number_is_given_by_each_database() -> None:
    """SQLite does that for INTEGER alone."""
    lite, post = (str(CreateTable(THINGS).compile(dialect=each())) for each in (sqlite.dialect, postgresql.dialect))

    assert "id INTEGER NOT NULL" in lite
    assert "id BIGSERIAL NOT NULL" in post
    assert "CONSTRAINT pk_things PRIMARY KEY" in lite


def test_text_is_sorted_by_its_bytes() -> None:
    """SQLite does so by itself."""
    lite, post = (str(CreateTable(THINGS).compile(dialect=each())) for each in (sqlite.dialect, postgresql.dialect))

    assert "name VARCHAR(20)," in lite
    assert 'name VARCHAR(20) COLLATE "C"' in post


@pytest.mark.parametrize("dialect", [sqlite.dialect, postgresql.dialect])
def test_an_index_has_the_rows_of_its_condition(dialect: type) -> None:
    """On every database."""
    (index,) = THINGS.indexes

    assert str(CreateIndex(index).compile(dialect=dialect())).endswith("WHERE size > 5")
