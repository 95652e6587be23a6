from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound, QuotaExceeded, ValidationFailed
from pagegrade.model.monitors import LONGEST_MS, MAX_REASON, MAX_SILENCES, Silence
from pagegrade.model.stored import ListPart
from pagegrade.service.monitors.operations import (
    begin_silence,
    end_silence,
    list_silences,
    show_silence,
)
from pagegrade.store.engine.database import Database
from tests.store_builders import NOW_MS, add_owner, make_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated one."""
    made = make_database(tmp_path)
    yield made
    made.close()


def begin(database: Database, caller: Caller, **changes: Any) -> Silence:
    """Begin a silence of a site."""
    values = {"monitor_id": None, "project": "https://WWW.Example.com/x", "reason": " Repair. ", "until_ms": NOW_MS + 1}
    return database.write_here(lambda tx: begin_silence(tx, caller, NOW_MS, **{**values, **changes}))


def test_a_silence_is_begun_shown_and_ended(database: Database) -> None:
    """By its account only; a second end finds nothing."""
    alice, bob = (Caller(account=add_owner(database, name)[0]) for name in ("Alice", "Bob"))
    made = begin(database, alice)

    assert (made.project, made.reason, made.author) == ("example.com", "Repair.", "Alice")
    assert database.read_here(lambda tx: show_silence(tx, alice, made.id, NOW_MS)) == made
    assert database.read_here(lambda tx: list_silences(tx, alice, NOW_MS, ListPart(page=1, per_page=10))).items == (
        made,
    )
    walked = database.read_here(lambda tx: list_silences(tx, alice, NOW_MS, ListPart(per_page=10, count=True)))

    assert (walked.items, walked.total) == ((made,), 1)
    with pytest.raises(NotFound):
        database.write_here(lambda tx: end_silence(tx, bob, made.id, NOW_MS))
    database.write_here(lambda tx: end_silence(tx, alice, made.id, NOW_MS))
    with pytest.raises(NotFound):
        database.write_here(lambda tx: end_silence(tx, alice, made.id, NOW_MS))


@pytest.mark.parametrize(
    ("changes", "field", "code"),
    [
        ({"project": ""}, "monitor_id", "required"),
        ({"project": "//"}, "project", "invalid"),
        ({"monitor_id": 7}, "project", "not_with_monitor_id"),
        ({"monitor_id": 7, "project": ""}, "monitor_id", "unknown"),
        ({"reason": " \n"}, "reason", "required"),
        ({"reason": "x" * (MAX_REASON + 1)}, "reason", "too_long"),
        ({"until_ms": None}, "until", "required"),
        ({"until_ms": NOW_MS}, "until", "past"),
        ({"until_ms": NOW_MS + LONGEST_MS + 1}, "until", "too_late"),
    ],
)
def test_what_cannot_be_used_is_named(database: Database, changes: dict[str, Any], field: str, code: str) -> None:
    """Each field with its own code."""
    alice = Caller(account=add_owner(database)[0])
    with pytest.raises(ValidationFailed) as refused:
        begin(database, alice, **changes)

    assert (field, code) in [(each.field, each.code) for each in refused.value.violations]


def test_limits_are_where_they_are_said_to_be(database: Database) -> None:
    """The longest reason and time, and the last silence of an account."""
    alice = Caller(account=add_owner(database)[0])
    begin(database, alice, reason="x" * MAX_REASON, until_ms=NOW_MS + LONGEST_MS)
    for _ in range(MAX_SILENCES - 1):
        begin(database, alice)
    with pytest.raises(QuotaExceeded):
        begin(database, alice)
