from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from pagegrade.model.errors import InvalidInput
from pagegrade.store.engine.database import name_of, parse_database_url
from pagegrade.store.engine.factory import open_database
from tests.store_builders import make_file

SECRET: Final = "hunter2"
pytestmark = pytest.mark.backend("sqlite", "nothing is asked")


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_spelling_of_postgresql_uses_the_same_driver(scheme: str) -> None:
    """``postgres`` is what hosting providers hand out."""
    parsed = parse_database_url(f"{scheme}://alice:a%40b%2Fc@db.example:6543/reports?sslmode=require")

    assert parsed.drivername == "postgresql+psycopg"
    assert (parsed.username, parsed.password, parsed.host, parsed.port) == ("alice", "a@b/c", "db.example", 6543)
    assert (parsed.database, dict(parsed.query)) == ("reports", {"sslmode": "require"})


def test_a_file_is_its_path() -> None:
    """Three slashes are relative, four absolute."""
    assert parse_database_url("sqlite:////var/lib/pagegrade/pagegrade.db").database == "/var/lib/pagegrade/pagegrade.db"
    assert parse_database_url("sqlite:///pagegrade.db").database == "pagegrade.db"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        (SECRET, "cannot be read"),
        (f"mysql://u:{SECRET}@db/x", "not used here"),
        (f"postgresql+asyncpg://u:{SECRET}@db/x", "Begin it with postgresql"),
        (f"postgresql://u:a@{SECRET}@db/x", "more than one @"),
        (f"postgresql://u:{SECRET}@db:0/x", "no usable host and port"),
        (f"postgresql://u:{SECRET}@db:65536/x", "no usable host and port"),
        (f"postgresql://u:{SECRET}@d b/x", "no usable host and port"),
        (f"postgresql://u:{SECRET}@db:5432", "names no database"),
        (f"sqlite:////srv/x.db?key={SECRET}", "a path and nothing else"),
        (f"sqlite://{SECRET}/x.db", "a path and nothing else"),
    ],
)
def test_a_refusal_says_what_to_write_and_nothing_of_the_url(url: str, says: str) -> None:
    """A part of a password may stand anywhere in it."""
    with pytest.raises(InvalidInput, match=says) as refused:
        parse_database_url(url)

    assert SECRET not in str(refused.value)


def test_ports_at_the_limits_are_taken() -> None:
    """From 1 to 65535."""
    assert [parse_database_url(f"postgresql://u@db:{port}/x").port for port in (1, 65_535)] == [1, 65_535]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("postgresql+psycopg://alice:s3cret@db.example:6543/reports", "reports on db.example:6543"),
        ("postgresql://alice@[::1]/reports", "reports on [::1]"),
        ("postgresql:///reports?user=alice&password=s3cret", "reports on this machine"),
    ],
)
def test_a_database_on_a_server_is_named_without_its_password(url: str, name: str) -> None:
    """And without the user, who does not belong in a log."""
    database = open_database(url)
    database.close()

    assert name_of(database) == name


def test_a_file_is_named_by_its_path(tmp_path: Path) -> None:
    """People find it there."""
    database = make_file(tmp_path)
    database.close()

    assert name_of(database) == str(database.path)
