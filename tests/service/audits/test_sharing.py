"""Access to an audit by its link."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.audit import Audit
from pagegrade.model.audit_result import Place
from pagegrade.model.errors import ValidationFailed
from pagegrade.model.stored import Privacy
from pagegrade.service.audits import operations as service
from pagegrade.service.audits.sharing import audit_of_link, share_audit, sharing_warnings, view_shared_audit
from pagegrade.service.reports.shares import find_shared
from pagegrade.service.reports.validation import SharingChange
from pagegrade.store.engine.database import Database
from tests.audit_builders import claim, fill, make_audit, result_of
from tests.store_builders import add_owner, make_database

PUBLIC = SharingChange(privacy=Privacy.PUBLIC)
PRIVATE = SharingChange(privacy=Privacy.PRIVATE)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated one."""
    made = make_database(tmp_path)
    yield made
    made.close()


def share(
    database: Database, caller: Caller, audit: Audit, change: SharingChange, password_hash: str | None = None
) -> Audit:
    """The audit after the change."""
    database.write_here(lambda tx: share_audit(tx, audit, change, password_hash, now_ms()))
    return database.read_here(lambda tx: service.show_audit(tx, caller, audit.id))


def test_a_link_is_made_once_and_works_as_long_as_the_audit_is_shared(database: Database) -> None:
    """A private audit has none; of two audits without one neither is in the way of the other."""
    alice, _ = add_owner(database)
    caller = Caller(account=alice)
    audit, other = make_audit(database, caller), make_audit(database, caller, "https://other.example/")

    shared = share(database, caller, audit, PUBLIC)
    seen = database.read_here(lambda tx: find_shared(tx, shared.slug, audit_of_link))
    hidden = share(database, caller, shared, PRIVATE)
    gone = database.read_here(lambda tx: find_shared(tx, hidden.slug, audit_of_link))
    own = database.read_here(lambda tx: find_shared(tx, hidden.slug, audit_of_link, account_id=alice.id))
    again = share(database, caller, hidden, PUBLIC)

    assert (audit.privacy, audit.slug, other.slug) == (Privacy.PRIVATE, "", "")
    assert seen is not None
    assert (seen.id, len(shared.slug)) == (audit.id, 22)
    assert gone is None
    assert own is not None
    assert again.slug == hidden.slug == shared.slug
    assert database.read_here(lambda tx: find_shared(tx, "A" * 22, audit_of_link)) is None


def test_a_password_is_needed_kept_and_erased(database: Database) -> None:
    """Whoever gave the password before has to give it anew once it was erased."""
    alice, _ = add_owner(database)
    caller = Caller(account=alice)
    audit = make_audit(database, caller)
    with pytest.raises(ValidationFailed):
        share(database, caller, audit, SharingChange(privacy=Privacy.PASSWORD))

    locked = share(database, caller, audit, SharingChange(privacy=Privacy.PASSWORD, password="x"), "hash")
    kept = share(database, caller, locked, SharingChange(privacy=Privacy.PASSWORD))
    opened = share(database, caller, kept, PUBLIC)
    ignored = SharingChange(password="y")
    warnings = database.read_here(partial(sharing_warnings, caller=caller, audit=opened, change=ignored))

    assert (locked.password_hash, locked.password_version) == (kept.password_hash, kept.password_version) == ("hash", 1)
    assert (opened.password_hash, opened.password_version) == (None, 2)
    assert [one.code for one in warnings] == ["password_ignored"]


def test_people_with_the_link_see_no_value_of_a_query(database: Database) -> None:
    """In no address and in nothing that was found: it may let its reader in somewhere."""
    alice, _ = add_owner(database)
    caller = Caller(account=alice)
    audit = make_audit(database, caller)
    waiting = database.read_here(lambda tx: view_shared_audit(tx, audit))
    found = result_of("https://example.com/")
    (finding,) = found.findings
    secret = "https://example.com/reset?token=s3cr3t-R4nd0m"
    place = Place(url=secret, value=f"from {secret}", sources=(secret,), count=1)
    result = replace(found, findings=(replace(finding, message="s3cr3t-R4nd0m", places=(place,)),), worst=(place,))
    fill(database, claim(database), result)
    audit = database.read_here(lambda tx: service.show_audit(tx, caller, audit.id))
    seen = database.read_here(lambda tx: view_shared_audit(tx, audit))

    assert waiting is None
    assert seen is not None
    assert "s3cr3t" not in repr(seen.result)
    assert seen.result.findings[0].places[0].url == "https://example.com/reset?token=…"
