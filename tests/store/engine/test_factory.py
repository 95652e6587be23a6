from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pagegrade.model.errors import InvalidInput
from pagegrade.store.engine.database import is_shared_url
from pagegrade.store.engine.factory import open_database
from tests import postgres

pytestmark = pytest.mark.backend("sqlite", reason="it chooses the kind of database itself")


def test_a_file_is_opened_by_one_process(tmp_path: Path) -> None:
    """SQLite knows where it is and shares it with no other process."""
    database = open_database(f"sqlite:///{tmp_path / 'reports.db'}")
    database.close()

    assert database.path == tmp_path / "reports.db"
    assert not database.shared


def test_a_server_is_opened_by_many() -> None:
    """PostgreSQL lists the connections under the name that was given."""
    database = open_database(postgres.databases().make_empty(), readers=1, writers=1, name="pagegrade here")
    name = database.read_here(lambda tx: tx.exec_driver_sql("SHOW application_name").scalar_one())
    database.close()

    assert name == "pagegrade here"
    assert database.path is None
    assert database.shared


@pytest.mark.parametrize(
    ("url", "shared"),
    [
        ("sqlite:////srv/reports.db", False),
        ("postgresql://alice@db/reports", True),
        ("postgresql+psycopg://alice:secret@db:5433/reports?sslmode=verify-full", True),
    ],
)
def test_the_kind_shows_in_the_url(url: str, *, shared: bool) -> None:
    """Nothing is opened to find out."""
    assert is_shared_url(url) is shared


@pytest.mark.parametrize(
    "url",
    ["", "reports.db", "mysql://db/reports", "postgresql+asyncpg://db/reports", "postgresql+psycopg2://db/reports"],
)
def test_other_databases_are_refused(url: str) -> None:
    """The sentence says how a URL looks, and does not repeat the one that was given."""
    with pytest.raises(InvalidInput, match=r"postgresql\+psycopg://") as caught:
        open_database(url)

    assert "asyncpg" not in caught.value.message


@pytest.mark.parametrize("url", ["postgresql+psycopg://db", "postgresql+psycopg://"])
def test_a_server_needs_the_name_of_a_database(url: str) -> None:
    """The driver would take that of the user, which is not intended."""
    with pytest.raises(InvalidInput, match="HOST:5432/DATABASE"):
        open_database(url)


@pytest.mark.parametrize("package", ["procrastinate", "psycopg"])
def test_an_installation_without_the_driver_says_how_to_get_it(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Installed by an extra; SQLite needs neither package."""
    monkeypatch.setattr("pagegrade.store.engine.factory.find_spec", lambda name: None if name == package else sys)

    with pytest.raises(InvalidInput, match=r"pip install 'pagegrade\[postgresql\]'"):
        open_database("postgresql+psycopg://db/reports")
