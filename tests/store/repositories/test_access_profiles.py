from __future__ import annotations

from pathlib import Path

from pagegrade.store.repositories.access_profiles import NewAccess, add_profile, change_profile, load_profile
from tests.store_builders import NOW_MS, add_owner, make_database

SHOWN = {"user": "reader", "has_password": True, "headers": ["X"], "cookies": [], "query": [], "user_agent": ""}


def test_a_profile_is_of_its_account_and_a_change_is_another_revision(tmp_path: Path) -> None:
    """No other account finds it."""
    database = make_database(tmp_path)
    alice, bob = (add_owner(database, name)[0].id for name in ("Alice", "Bob"))
    new = NewAccess(name="Staging", origins=("https://staging.example",), shown=SHOWN, sealed=b"sealed")
    made = database.write_here(lambda tx: add_profile(tx, alice, new, NOW_MS))
    changed = database.write_here(lambda tx: change_profile(tx, made.id, new, NOW_MS + 1))
    found = [database.read_here(lambda tx, who=who: load_profile(tx, who, made.id)) for who in (alice, bob)]  # type: ignore[misc]
    database.close()

    assert found == [changed, None]
    assert (changed.revision, changed.updated_at_ms) == (made.revision + 1, NOW_MS + 1)
