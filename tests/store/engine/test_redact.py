from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.store.engine.factory import open_database
from pagegrade.store.engine.redact import name_of
from tests.store_builders import make_file

pytestmark = pytest.mark.backend("sqlite", "nothing is asked")


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
