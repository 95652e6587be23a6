from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from pagegrade.model.errors import InvalidInput
from pagegrade.store.engine.postgresql import (
    driver_of,
    is_lost,
    is_worth_again,
    make_engine,
    postgres_url,
    trouble_of,
    was_silent,
    wrote_as_reader,
)
from tests import postgres

pytestmark = pytest.mark.backend("postgresql", reason="it is about nothing else")


@pytest.fixture
def url() -> Iterator[str]:
    """An empty database."""
    made = postgres.databases().make_empty()
    yield made
    postgres.databases().drop(made)


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    """Connections of ours to it."""
    made = make_engine(url, name="pagegrade test")
    yield made
    made.dispose()


def raise_state(engine: Engine, state: str) -> DBAPIError:
    """The error that the server answers with this code."""
    with engine.connect() as connection, pytest.raises(DBAPIError) as caught:
        connection.exec_driver_sql(f"DO $$ BEGIN RAISE EXCEPTION SQLSTATE '{state}'; END $$")
    return caught.value


def test_a_connection_keeps_what_was_promised(engine: Engine) -> None:
    """Committed data is on disk, and no idle connection keeps a lock."""
    names = ("synchronous_commit", "application_name", "timezone", "client_encoding", "lock_timeout")
    with engine.connect() as connection:
        found = {name: connection.exec_driver_sql(f"SHOW {name}").scalar_one() for name in names}
        idle = connection.exec_driver_sql("SHOW idle_in_transaction_session_timeout").scalar_one()

    assert found == {
        "synchronous_commit": "on",
        "application_name": "pagegrade test",
        "timezone": "UTC",
        "client_encoding": "UTF8",
        "lock_timeout": "6s",
    }
    assert idle != "0"


def test_changes_of_the_schema_may_take_their_time(url: str) -> None:
    """An index of millions of rows is made for minutes."""
    engine = make_engine(url, name="schema", patience_s=None)
    with engine.connect() as connection:
        limits = [
            connection.exec_driver_sql(f"SHOW {name}").scalar_one() for name in ("statement_timeout", "lock_timeout")
        ]
    engine.dispose()

    assert limits == ["0", "0"]


def test_the_url_may_hold_parameters_of_the_driver(url: str) -> None:
    """They win over ours."""
    engine = make_engine(f"{url}?application_name=mine&options=-c%20work_mem%3D5MB", name="ours")
    with engine.connect() as connection:
        found = [connection.exec_driver_sql(f"SHOW {name}").scalar_one() for name in ("application_name", "work_mem")]
    engine.dispose()

    assert found == ["mine", "5MB"]


@pytest.mark.parametrize(
    ("state", "word"),
    [
        ("08006", "database_unreachable"),
        ("25006", "database_readonly"),
        ("40001", "database_locked"),
        ("40P01", "database_locked"),
        ("53100", "database_full"),
        ("53200", "out_of_memory"),
        ("53300", "too_many_connections"),
        ("53400", "database_full"),
        ("55P03", "database_locked"),
        ("57014", "database_slow"),
        ("57P01", "database_unreachable"),
        ("58030", "disk_error"),
        ("XX001", "database_damaged"),
        ("22012", None),
        ("23505", None),
        ("42P01", None),
    ],
)
def test_troubles_of_the_database_have_words(engine: Engine, state: str, word: str | None) -> None:
    """A faulty statement is none of them."""
    assert trouble_of(raise_state(engine, state)) == word


@pytest.mark.parametrize(("state", "again"), [("40001", True), ("40P01", True), ("55P03", False), ("23505", False)])
def test_only_lost_races_are_worth_another_try(engine: Engine, state: str, *, again: bool) -> None:
    """A lock that was waited for in vain would be waited for again."""
    assert is_worth_again(raise_state(engine, state)) is again


def test_a_write_in_a_read_transaction_is_distinguished_from_a_read_only_server(engine: Engine) -> None:
    """By whom it was asked: the code is the same."""
    assert wrote_as_reader(raise_state(engine, "25006"))
    assert not wrote_as_reader(raise_state(engine, "25001"))


def test_a_silent_server_is_given_up(url: str) -> None:
    """The connection is closed without a word, because nothing would come of asking."""
    engine = make_engine(url, name="impatient", patience_s=0.3)
    with engine.connect() as connection:
        with pytest.raises(DBAPIError) as caught:
            connection.exec_driver_sql("SELECT pg_sleep(30)")
        lost = is_lost(connection)
    engine.dispose()

    assert trouble_of(caught.value) == "database_unreachable"
    assert (was_silent(caught.value), lost) == (True, True)


def test_a_terminated_connection_is_lost(engine: Engine) -> None:
    """It is not a silent one: the next request is answered by another."""
    with engine.connect() as connection, engine.connect() as other:
        pid = driver_of(connection).info.backend_pid
        before = is_lost(connection)
        other.exec_driver_sql(f"SELECT pg_terminate_backend({pid}, 5000)")
        with pytest.raises(DBAPIError) as caught:
            connection.exec_driver_sql("SELECT 1")
        after = is_lost(connection)

    assert (before, after, was_silent(caught.value)) == (False, True, False)


def test_a_refused_connection_is_no_fault_of_a_statement(url: str) -> None:
    """It has no code of the server, which never answered."""
    wrong = make_engine(postgres_url(url).set(port=1).render_as_string(hide_password=False), name="lost")
    with pytest.raises(DBAPIError) as caught:
        wrong.connect()
    wrong.dispose()

    assert isinstance(caught.value.orig, psycopg.OperationalError)
    assert trouble_of(caught.value) == "database_unreachable"


@pytest.mark.parametrize("url", ["", "nonsense", "sqlite:///x.db", "postgresql+psycopg://db/"])
def test_what_is_no_url_of_a_database_is_refused(url: str) -> None:
    """With the form that it should have."""
    with pytest.raises(InvalidInput, match="HOST:5432/DATABASE"):
        postgres_url(url)
