from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.model.errors import NotFound
from pagegrade.service.accounts.sessions import NewPerson
from pagegrade.service.sign_up import LINK_MS, finish_sign_up, is_fresh, proves, sign_address
from pagegrade.store.repositories.installation import load_or_make_secret
from tests.store_builders import NOW_MS, make_database


@pytest.mark.parametrize(
    ("address", "late_ms", "works"),
    [
        ("bob@example.org", 0, True),
        (" BOB@example.org ", 0, True),
        ("bob@example.org", LINK_MS - 1_000, True),
        ("bob@example.org", LINK_MS, False),
        ("eve@example.org", 0, False),
        ("", 0, False),
        ("\ud800", 0, False),
    ],
    ids=["the address", "another case", "in time", "late", "another address", "none", "no text"],
)
def test_a_link_proves_one_address_for_a_day(
    tmp_path: Path,
    address: str,
    late_ms: int,
    works: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """However it is written."""
    database = make_database(tmp_path)
    secret = database.write_here(lambda tx: load_or_make_secret(tx, "sign-up"))
    token = sign_address(secret, "bob@example.org", NOW_MS)

    assert database.read_here(lambda tx: proves(tx, token, address, NOW_MS + late_ms)) == works
    assert is_fresh(token, NOW_MS + late_ms) == (late_ms < LINK_MS)


def test_a_link_that_was_changed_proves_nothing(tmp_path: Path) -> None:
    """Neither with more time nor with the proof of another installation, nor what is no link at all."""
    database = make_database(tmp_path)
    token = sign_address(b"another", "bob@example.org", NOW_MS)
    before = database.read_here(lambda tx: proves(tx, token, "bob@example.org", NOW_MS))
    secret = database.write_here(lambda tx: load_or_make_secret(tx, "sign-up"))
    own = sign_address(secret, "bob@example.org", NOW_MS)
    longer = f"{int(own[:8], 16) + 9:08x}{own[8:]}"
    wrong = (token, longer, own[:-1], own + "A", "", "x" * 10_000, "ffffffffff-" + "\ud800" * 43)
    after = [database.read_here(lambda tx, each=each: proves(tx, each, "bob@example.org", NOW_MS)) for each in wrong]  # type: ignore[misc]

    assert before is False
    assert after == [False] * len(wrong)


def test_nobody_becomes_the_first_administrator(tmp_path: Path) -> None:
    """Administration belongs to the first account of an installation."""
    database = make_database(tmp_path)
    eve = NewPerson(name="Eve", email="eve@example.org", locale="en", password_hash="-", agent="", tokens=())

    with pytest.raises(NotFound):
        database.write_here(lambda tx: finish_sign_up(tx, eve, now_ms=NOW_MS))
