from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import bindparam, insert, select
from sqlalchemy.exc import IntegrityError

from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.schema.tables import installation
from tests.store_builders import make_database

BY_NAME = select(installation.c.value, installation.c.name).where(installation.c.name == bindparam("name"))
OF_TWO = select(installation.c.name).where(installation.c.name.in_(("a", "b"))).order_by(installation.c.name)
ADD = insert(installation).values(name=bindparam("the_name"), value=bindparam("the_value"))


def test_a_prepared_statement_finds_what_the_statement_finds(tmp_path: Path) -> None:
    """Values come as the driver knows them, lists and constants of the statement included."""
    database = make_database(tmp_path)

    def work(tx: Transaction) -> tuple[object, ...]:
        add = Prepared(ADD)
        added = [add.rows(tx, {"the_name": name, "the_value": name.encode()}) for name in ("a", "b", "c")]
        by_name = Prepared(BY_NAME)
        return added, by_name.rows(tx, {"name": "a"}), by_name.first(tx, {"name": "x"}), Prepared(OF_TWO).rows(tx, {})

    found = database.write_here(work)
    database.close()

    assert found == ([[], [], []], [(b"a", "a")], None, [("a",), ("b",)])


def test_an_error_is_reported_as_those_of_every_statement(tmp_path: Path) -> None:
    """Callers catch one kind of error, whichever way a statement went."""
    database = make_database(tmp_path)
    add = Prepared(ADD)

    def work(tx: Transaction) -> None:
        for _ in range(2):
            add.rows(tx, {"the_name": "a", "the_value": b""})

    with pytest.raises(IntegrityError):
        database.write_here(work)

    database.close()
