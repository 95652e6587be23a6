from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trustme
from sqlalchemy import update

from pagegrade.cli.access_options import TypedAccess
from pagegrade.model.access import MAX_PROFILES, NO_ACCESS, Access, StoredAccess
from pagegrade.model.account import Account, Caller
from pagegrade.model.audit import AuditSettings
from pagegrade.model.errors import NotFound, OtherProject, QuotaExceeded, ValidationFailed
from pagegrade.model.stored import ListPart, Privacy
from pagegrade.service.access.operations import (
    KEY_FILE,
    AccessFields,
    Locked,
    Uses,
    Vault,
    create_profile,
    delete_profile,
    list_profiles,
    profile_for,
    show_profile,
    show_with_uses,
    unseal,
    update_profile,
)
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.audits import add_audit
from pagegrade.store.repositories.monitors import add_monitor
from pagegrade.store.repositories.reports import load_report
from pagegrade.store.schema.tables import reports
from tests.queue_builders import Queue
from tests.store_builders import BACKENDS, NOW_MS, Backend, add_key, add_owner, make_database, on

OLD, NEW = "o" * 32, "n" * 32
SECRET = b"n0t-Shown"


def test_what_is_sealed_is_opened_with_the_same_key_alone() -> None:
    """And nothing of it shows meanwhile."""
    sealed = Vault(keys=(OLD,)).seal(SECRET)

    assert SECRET not in sealed
    assert Vault(keys=(OLD,)).open(sealed) == SECRET
    with pytest.raises(Locked, match="another key"):
        Vault(keys=(NEW,)).open(sealed)


def test_keys_are_rotated() -> None:
    """The first one encrypts; what a former one has encrypted is still read."""
    sealed = Vault(keys=(OLD,)).seal(SECRET)
    both = Vault(keys=(NEW, OLD))

    assert both.open(sealed) == SECRET
    assert [vault.key_of(sealed) for vault in (Vault(keys=(OLD,)), both, Vault(keys=(NEW,)), Vault())] == [
        "current", "former", "unknown", "unknown",
    ]  # fmt: skip
    assert Vault(keys=(NEW,)).open(both.seal(SECRET)) == SECRET


def test_without_a_key_one_is_made_for_this_user_alone(tmp_path: Path) -> None:
    """When it is first needed, and it stays."""
    path = tmp_path / KEY_FILE
    first = Vault(file=path)
    with pytest.raises(Locked):
        first.open(b"anything")
    kept_before = path.exists()
    sealed = first.seal(SECRET)

    assert not kept_before
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Vault(file=path).open(sealed) == SECRET
    assert Vault(file=path).open(Vault(file=path).seal(SECRET)) == SECRET
    assert [each.name for each in tmp_path.iterdir()] == [KEY_FILE]


def test_without_a_place_for_a_key_nothing_is_sealed(tmp_path: Path) -> None:
    """The message names the setting."""
    for vault in (Vault(), Vault(file=tmp_path / "missing" / KEY_FILE)):
        with pytest.raises((Locked, OSError)):
            vault.seal(SECRET)
    with pytest.raises(Locked, match="PAGEGRADE_SECRET_KEY"):
        Vault().seal(SECRET)


def test_keys_are_not_shown() -> None:
    """As values are in tracebacks."""
    assert OLD not in repr(Vault(keys=(OLD,)))


VAULT = Vault(keys=("k" * 32,))
FIELDS = AccessFields(
    name="Staging",
    origins=["https://staging.example", " https://Files.staging.example:443/ "],
    user="reader",
    password="n0t-Shown-1",
    headers=["X-Door: n0t-Shown-2"],
    cookies=["session=n0t-Shown-3; theme=dark"],
    query=["key=n0t-Shown-4"],
)


@pytest.fixture(params=BACKENDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database of each kind."""
    kind: Backend = request.param
    with on(kind):
        made = make_database(tmp_path)
    yield made
    made.close()


@pytest.fixture
def alice(database: Database) -> Account:
    """The owner of the profiles."""
    return add_owner(database, "Alice")[0]


def create(database: Database, account: Account, fields: AccessFields = FIELDS) -> StoredAccess:
    """A profile of an account."""
    caller = Caller(account=account)
    return database.write_here(lambda tx: create_profile(tx, caller, fields, VAULT, NOW_MS)).profile


def change(database: Database, account: Account, profile: StoredAccess, **fields: Any) -> Access:
    """The access of a profile after a change."""
    caller, wanted = Caller(account=account), replace(AccessFields(), **fields)
    saved = database.write_here(
        lambda tx: update_profile(tx, caller, profile.id, wanted, vault=VAULT, now_ms=NOW_MS)
    ).profile
    return unseal(saved, VAULT)


def test_secrets_are_stored_encrypted_alone(database: Database, alice: Account) -> None:
    """Names are shown, and the whole comes back for a run."""
    stored = create(database, alice)
    tables = database.read_here(lambda tx: str(tx.exec_driver_sql("SELECT * FROM access_profiles").all()))

    assert "n0t-Shown" not in tables
    assert "n0t-Shown" not in repr(stored)
    assert (stored.user, stored.has_password) == ("reader", True)
    assert (stored.headers, stored.cookies, stored.query) == (("X-Door",), ("session", "theme"), ("key",))
    assert unseal(stored, VAULT) == Access(
        name="Staging",
        origins=("https://staging.example", "https://files.staging.example"),
        user="reader",
        password="n0t-Shown-1",
        headers=(("X-Door", "n0t-Shown-2"),),
        cookies=(("session", "n0t-Shown-3"), ("theme", "dark")),
        query=(("key", "n0t-Shown-4"),),
    )


def test_certificates_are_named_and_need_nothing_else(database: Database, alice: Account) -> None:
    """They stay until others, or none, are sent; then something else must be."""
    pem = trustme.CA(organization_name="Company").cert_pem.bytes().decode()
    fields = AccessFields(name="Staging", origins=["https://staging.example"], certificates=pem)
    profile = create(database, alice, fields)
    (subject,) = profile.certificates
    kept = change(database, alice, profile, user="reader")
    removed = change(database, alice, profile, certificates="")

    assert "Company" in subject
    assert (kept.certificates, removed.certificates) == (pem, "")
    with pytest.raises(ValidationFailed) as refused:
        change(database, alice, profile, user="")

    assert [(each.field, each.code) for each in refused.value.violations] == [("user", "required")]


def test_a_change_keeps_what_is_not_sent(database: Database, alice: Account) -> None:
    """And the value of what is sent by its name alone."""
    profile = create(database, alice)
    changed = change(database, alice, profile, headers=["X-Other: 1", "x-door"], cookies=["theme"], user="other")

    assert changed.headers == (("X-Other", "1"), ("x-door", "n0t-Shown-2"))
    assert changed.cookies == (("theme", "dark"),)
    assert (changed.user, changed.password, changed.name) == ("other", "n0t-Shown-1", "Staging")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        (replace(FIELDS, name=" "), "name"),
        (replace(FIELDS, origins=["staging"]), "origins"),
        (replace(FIELDS, origins=None), "origins"),
        (replace(FIELDS, headers=["Host: evil"]), "headers"),
        (replace(FIELDS, headers=["X-Unknown"]), "headers"),
        (replace(FIELDS, cookies=["a b=c"]), "cookies"),
        (AccessFields(name="Staging", origins=["https://staging.example"]), "user"),
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path: Path, fields: AccessFields, field: str) -> None:
    """With its field, and without its value."""
    database = make_database(tmp_path)
    alice = add_owner(database, "Alice")[0]
    with pytest.raises(ValidationFailed) as caught:
        create(database, alice, fields)
    database.close()

    assert [each.field for each in caught.value.violations] == [field]
    assert "n0t-Shown" not in str(caught.value.violations)


def test_a_profile_gives_a_run_what_the_options_of_a_command_give(database: Database, alice: Account) -> None:
    """Both engines get the same, so that the reports differ by the name of the profile alone."""
    certificate = trustme.CA().cert_pem.bytes().decode()
    fields = AccessFields(
        name="Staging",
        origins=["https://staging.example"],
        user="reader",
        password="n0t:Shown-1",
        headers=["X-Door: n0t-Shown-2"],
        cookies=["a=b", "c=d"],
        user_agent="Company browser",
        certificates=certificate,
    )
    typed = TypedAccess(
        user="reader:n0t:Shown-1",
        headers=("X-Door: n0t-Shown-2",),
        cookies=("a=b; c=d",),
        user_agent="Company browser",
        certificates=certificate,
    )
    kept = unseal(create(database, alice, fields), VAULT)

    assert replace(kept, name="") == typed.for_page("https://staging.example/page")


def test_a_run_uses_the_oldest_profile_of_its_origin(database: Database, alice: Account) -> None:
    """Or the one that its report names, or none; and never one of another account."""
    first, second = create(database, alice), create(database, alice)
    bob = add_owner(database, "Bob")[0]

    def used(account: Account, url: str, access: int | None) -> int | None:
        found = database.read_here(lambda tx: profile_for(tx, account.id, url, access))
        return None if found is None else found.id

    assert used(alice, "https://staging.example/a", None) == first.id
    assert used(alice, "https://staging.example/a", second.id) == second.id
    assert used(alice, "https://staging.example/a", NO_ACCESS) is None
    assert used(alice, "http://staging.example/a", None) is None
    assert used(alice, "https://www.staging.example/", None) is None
    assert used(bob, "https://staging.example/a", None) is None
    assert used(bob, "https://staging.example/a", first.id) is None


def test_public_reports_of_its_origins_become_private(database: Database, alice: Account) -> None:
    """Their next run shows what is not public; those of other origins and accounts stay."""
    queue, bob = Queue(database, alice.id), add_owner(database, "Bob")[0]
    mine = [queue.add(url).report_id for url in ("https://staging.example/a", "https://staging.example.org/")]
    foreign = queue.add("https://staging.example/a", account_id=bob.id).report_id
    saved = database.write_here(lambda tx: create_profile(tx, Caller(account=alice), FIELDS, VAULT, NOW_MS))

    def privacy(account_id: int, report_id: int) -> int:
        report = database.read_here(lambda tx: load_report(tx, account_id, report_id))
        assert report is not None
        return report.privacy

    assert saved.made_private == 1
    assert [privacy(alice.id, each) for each in mine] == [Privacy.PRIVATE, Privacy.PUBLIC]
    assert privacy(bob.id, foreign) == Privacy.PUBLIC


def test_a_key_of_a_project_has_the_profiles_of_its_project_alone(database: Database, alice: Account) -> None:
    """It sees no other, and makes none."""
    profile = create(database, alice, replace(FIELDS, origins=["https://staging.example"]))
    both = create(database, alice)
    key, _ = add_key(database, alice.id, project="staging.example")
    caller = Caller(account=alice, key=key)
    listed = database.read_here(lambda tx: list_profiles(tx, caller, ListPart(page=1, per_page=10)))

    assert [each.id for each in listed.items] == [profile.id]
    with pytest.raises(NotFound):
        database.read_here(lambda tx: show_profile(tx, caller, both.id))
    with pytest.raises(OtherProject):
        database.write_here(lambda tx: create_profile(tx, caller, FIELDS, VAULT, NOW_MS))


def test_reports_of_a_profile_that_is_deleted_go_back_to_that_of_their_origin(
    database: Database, alice: Account
) -> None:
    """They name nothing that is gone."""
    profile = create(database, alice)
    report_id = Queue(database, alice.id).add("https://staging.example/").report_id
    database.write_here(lambda tx: tx.execute(update(reports).values(access=profile.id)))
    database.write_here(lambda tx: delete_profile(tx, Caller(account=alice), profile.id))
    report = database.read_here(lambda tx: load_report(tx, alice.id, report_id))

    assert report is not None
    assert report.access is None


def test_an_account_has_so_many_profiles_at_most(tmp_path: Path) -> None:
    """The message says what to do."""
    database = make_database(tmp_path)
    alice = add_owner(database, "Alice")[0]
    for _ in range(MAX_PROFILES):
        create(database, alice)
    with pytest.raises(QuotaExceeded, match="delete one first"):
        create(database, alice)
    database.close()


def test_what_uses_a_profile_is_counted(database: Database, alice: Account) -> None:
    """By its id, or as the oldest one for the origin; never what uses none or another."""
    first, second = create(database, alice), create(database, alice, replace(FIELDS, name="Second"))
    queue = Queue(database, alice.id)
    for url, access in (
        ("https://staging.example/", None),
        ("https://staging.example/none", NO_ACCESS),
        ("https://staging.example/second", second.id),
        ("https://staging.example.org/", None),
        ("http://staging.example/", None),
    ):
        report_id = queue.add(url, access=access).report_id
        add = partial(add_monitor, account_id=alice.id, report_id=report_id, schedule="daily", timezone="UTC", jitter=0)
        database.write_here(partial(add, budgets=(), paused=False, due_at_ms=NOW_MS, now_ms=NOW_MS))
    for url, access in (
        ("https://staging.example/", None),
        ("https://staging.example/deleted", second.id + 1),
        ("https://staging.example/none", NO_ACCESS),
        ("https://staging.example/second", second.id),
        ("http://staging.example/", None),
    ):
        settings = AuditSettings(access=access)
        made = partial(add_audit, account_id=alice.id, start_url=url, project="staging.example", now_ms=NOW_MS)
        database.write_here(partial(made, settings=settings))
    caller = Caller(account=alice)
    found = [
        database.read_here(lambda tx, which=which: show_with_uses(tx, caller, which.id)[1])  # type: ignore[misc]
        for which in (first, second)
    ]

    assert found == [Uses(reports=1, monitors=1, audits=2), Uses(reports=1, monitors=1, audits=1)]
