from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller, Identity, MonthUsage, Usage, month_of
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.accounts import (
    DAY_MS,
    SHOWN_MONTHS,
    add_account,
    add_identity,
    count_accounts,
    count_admins,
    count_analysis,
    count_browser,
    count_pages,
    disable_account,
    enable_account,
    find_account_id,
    find_email,
    list_accounts,
    list_addresses,
    list_members,
    load_account,
    load_month,
    load_months,
    load_password,
    load_usage,
    mark_erasing,
    remove_identity,
    save_account,
    save_admin,
    save_email,
    save_password,
)
from pagegrade.store.repositories.audits import delete_audit
from pagegrade.store.repositories.crawls import advance_crawl
from pagegrade.store.repositories.credentials import add_session
from pagegrade.store.repositories.reports import delete_report
from tests.audit_builders import claim, make_audit
from tests.queue_builders import Queue, completed, failed
from tests.store_builders import BACKENDS, NOW_MS, Backend, add_owner, make_database, on


@pytest.fixture(params=BACKENDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database of each kind."""
    kind: Backend = request.param
    with on(kind):
        made = make_database(tmp_path)
    yield made
    made.close()


def test_each_month_and_account_counts_for_itself(database: Database) -> None:
    """Usage of one is not that of another."""
    alice, bob = (add_owner(database, name)[0].id for name in ("Alice", "Bob"))
    database.write_here(lambda tx: count_analysis(tx, alice, NOW_MS - 1))
    for _ in range(2):
        database.write_here(lambda tx: count_analysis(tx, alice, NOW_MS))
        database.write_here(lambda tx: count_browser(tx, alice, 1_500, NOW_MS))

    this = MonthUsage(202601, analyses=2, browser_ms=3_000)

    assert database.read_here(lambda tx: load_month(tx, alice, NOW_MS)) == this
    assert database.read_here(lambda tx: load_months(tx, alice)) == (this, MonthUsage(202512, analyses=1))
    assert database.read_here(lambda tx: load_month(tx, bob, NOW_MS)) == MonthUsage(202601)


def test_the_newest_months_are_listed(database: Database) -> None:
    """As many as are shown."""
    alice = add_owner(database, "Alice")[0].id
    for number in range(SHOWN_MONTHS + 1):
        moment = NOW_MS - 31 * number * DAY_MS
        database.write_here(lambda tx, moment=moment: count_analysis(tx, alice, moment))  # type: ignore[misc]

    assert len(database.read_here(lambda tx: load_months(tx, alice))) == SHOWN_MONTHS


def test_what_was_analyzed_counts_after_its_deletion(database: Database) -> None:
    """A run that a request joins is not another one."""
    alice = add_owner(database, "Alice")[0].id
    queue = Queue(database, alice)
    report_id = queue.add("https://a.example/").report_id
    queue.again(report_id)
    database.write_here(lambda tx: delete_report(tx, alice, report_id))

    assert database.read_here(lambda tx: load_month(tx, alice, NOW_MS)).analyses == 1


def test_pages_of_a_crawl_are_counted_once(database: Database) -> None:
    """By what was fetched since the last time; the deletion of the audit takes nothing back."""
    alice = Caller(account=add_owner(database, "Alice")[0])
    audit = make_audit(database, alice)
    crawl = claim(database)

    assert crawl is not None
    for fetched in (3, 3, 5):
        known = replace(crawl, fetched=fetched)
        database.write_here(lambda tx, known=known: advance_crawl(tx, known, now_ms()))  # type: ignore[misc]
    database.write_here(lambda tx: delete_audit(tx, audit.id))
    database.write_here(lambda tx: count_pages(tx, crawl.id, 9, now_ms()))

    found = database.read_here(lambda tx: load_months(tx, alice.account.id))

    assert found == (MonthUsage(month_of(now_ms()), audit_pages=5),)


def test_an_account_is_read_as_it_was_made(tmp_path: Path) -> None:
    """Every member of it, whatever its letters."""
    database = make_database(tmp_path)
    made = database.write_here(
        lambda tx: add_account(
            tx, name="Žofie 🐈", email="zofie@example.org", locale="cs", timezone="Europe/Prague", now_ms=NOW_MS
        )
    )

    assert database.read_here(lambda tx: load_account(tx, made.id)) == made
    assert (made.name, made.locale, made.timezone, made.created_at_ms) == ("Žofie 🐈", "cs", "Europe/Prague", NOW_MS)
    assert made.default_privacy is made.disabled_at_ms is None
    assert database.read_here(lambda tx: load_account(tx, made.id + 1)) is None
    database.close()


def test_accounts_are_listed_oldest_first(tmp_path: Path) -> None:
    """Disabled ones too."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    bob, _ = add_owner(database, "Bob")
    changed = [database.write_here(lambda tx: disable_account(tx, alice.id, NOW_MS + 1)) for _ in range(2)]
    listed = database.read_here(list_accounts)

    assert changed == [True, False]
    assert [account.id for account in listed] == [alice.id, bob.id]
    assert [account.disabled_at_ms for account in listed] == [NOW_MS + 1, None]
    database.close()


def test_usage_counts_what_an_account_has_and_has_had(tmp_path: Path) -> None:
    """Its own only; today begins at midnight UTC; deleted reports stay in the total."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    bob, _ = add_owner(database, "Bob")
    queue = Queue(database, alice.id)
    for url in ("https://example.com/", "https://example.com/a", "https://example.org/"):
        queue.add(url)
    queue.add("https://example.net/", account_id=bob.id)
    yesterday, today = NOW_MS - 1, NOW_MS + 5  # NOW_MS is a midnight
    first, second, _third = [run for run in queue.claim(4) if run.account_id == alice.id]
    queue.finish(first, failed(), now_ms=yesterday)
    queue.finish(second, completed(), now_ms=today)
    usage = database.read_here(lambda tx: load_usage(tx, alice.id, NOW_MS + DAY_MS - 1))

    stored = len(failed().detail) + len(completed().detail)

    assert usage == Usage(reports=3, projects=2, queued_runs=1, analyses_today=1, analyses_total=2, stored_bytes=stored)
    database.close()


def test_a_new_account_has_used_nothing(tmp_path: Path) -> None:
    """Zeros, not nulls; the same for one that does not exist."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    nothing = Usage(reports=0, projects=0, queued_runs=0, analyses_today=0, analyses_total=0, stored_bytes=0)

    assert database.read_here(lambda tx: load_usage(tx, alice.id, NOW_MS)) == nothing
    assert database.read_here(lambda tx: load_usage(tx, 99, NOW_MS)) == nothing
    database.close()


def test_what_is_deleted_is_not_stored_any_more(tmp_path: Path) -> None:
    """With the report go all of its runs, and those of others stay."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    queue = Queue(database, alice.id)
    for url in ("https://example.com/", "https://example.org/"):
        queue.add(url)
    for run in queue.claim(2):
        queue.finish(run)
    before = database.read_here(lambda tx: load_usage(tx, alice.id, NOW_MS)).stored_bytes
    database.write_here(lambda tx: delete_report(tx, alice.id, 1))
    after = database.read_here(lambda tx: load_usage(tx, alice.id, NOW_MS)).stored_bytes

    assert before == 2 * after == 2 * len(completed().detail)
    database.close()


def test_what_an_owner_changes_is_stored(tmp_path: Path) -> None:
    """All of it and nothing else, and of no other account."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    bob, _ = add_owner(database, "Bob")
    changed = replace(
        alice, name="Ada", email="ada@example.org", locale="de", timezone="Europe/Prague", default_privacy=1
    )
    database.write_here(lambda tx: save_account(tx, changed))

    assert database.read_here(list_accounts) == (changed, bob)
    database.close()


def test_a_password_is_kept_as_a_hash(tmp_path: Path) -> None:
    """The account says that it has one, and not which."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    before = database.read_here(lambda tx: load_password(tx, alice.id))
    database.write_here(lambda tx: save_password(tx, alice.id, "$argon2id$..."))

    assert before is None
    assert database.read_here(lambda tx: load_password(tx, alice.id)) == "$argon2id$..."
    assert database.read_here(lambda tx: load_account(tx, alice.id)) == replace(alice, has_password=True)
    database.close()


def test_rights_come_and_go(tmp_path: Path) -> None:
    """Doing it twice changes nothing; a disabled account counts no longer."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    bob, _ = add_owner(database, "Bob")

    def grant(account_id: int, *, is_admin: bool = True) -> bool:
        return database.write_here(lambda tx: save_admin(tx, account_id, is_admin=is_admin))

    done = [grant(alice.id), grant(alice.id), grant(bob.id)]
    both = database.read_here(count_admins)
    database.write_here(lambda tx: disable_account(tx, bob.id, NOW_MS))
    one = database.read_here(count_admins)
    done.append(grant(alice.id, is_admin=False))

    assert done == [True, False, True, True]
    assert (both, one, database.read_here(count_admins)) == (2, 1, 0)
    database.close()


def test_addresses_are_those_of_working_accounts(tmp_path: Path) -> None:
    """An account that is enabled again is among them again."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    bob, _ = add_owner(database, "Bob")
    database.write_here(lambda tx: disable_account(tx, bob.id, NOW_MS))
    without = database.read_here(list_addresses)
    enabled = [database.write_here(lambda tx: enable_account(tx, bob.id)) for _ in range(2)]

    assert without == ((alice.id, "alice@example.org"),)
    assert enabled == [True, False]
    assert [each for each, _ in database.read_here(list_addresses)] == [alice.id, bob.id]
    database.close()


def test_members_are_listed_with_what_they_have(tmp_path: Path) -> None:
    """Reports, keys that were not revoked, and when they were last here: by a browser or by a key."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    bob, _ = add_owner(database, "Bob")
    queue = Queue(database, alice.id)
    for url in ("https://example.com/", "https://example.org/"):
        queue.add(url)
    (run,) = queue.claim(1)
    queue.finish(run)
    database.write_here(
        lambda tx: add_session(
            tx, alice.id, token_sha256=b"1" * 32, agent="", now_ms=NOW_MS + 3, expires_at_ms=NOW_MS + 9
        )
    )
    first, second = database.read_here(lambda tx: list_members(tx, limit=5))

    assert (first.account, first.reports, first.keys, first.seen_at_ms) == (alice, 2, 1, NOW_MS + 3)
    assert first.analyses_total == 1
    assert first.stored_bytes > 0
    assert (second.account, second.reports, second.seen_at_ms) == (bob, 0, None)
    assert database.read_here(count_accounts) == 2
    assert database.read_here(lambda tx: list_members(tx, limit=5, offset=1)) == (second,)
    assert database.read_here(lambda tx: list_members(tx, account_id=alice.id)) == (first,)
    database.close()


ISSUER = "https://login.example.org"
OTHER = "https://login.example.org/"
BOB = Identity(issuer=ISSUER, subject="bob", email="bob@example.org")


def test_a_person_is_told_apart_letter_by_letter(tmp_path: Path) -> None:
    """By issuer and subject, not by address."""
    database = make_database(tmp_path)
    alice, carol = (add_owner(database, name)[0] for name in ("Alice", "Carol"))

    def work(tx: Transaction) -> None:
        add_identity(tx, alice.id, BOB, NOW_MS)
        add_identity(tx, carol.id, replace(BOB, subject="Bob"), NOW_MS)
        add_identity(tx, carol.id, replace(BOB, issuer=OTHER), NOW_MS)
        save_email(tx, replace(BOB, email="robert@example.org"))

    database.write_here(work)
    pairs = ((ISSUER, "bob"), (ISSUER, "Bob"), (OTHER, "bob"), (ISSUER, "BOB"), (ISSUER, "bob "))
    found = [database.read_here(lambda tx, pair=pair: find_account_id(tx, *pair)) for pair in pairs]  # type: ignore[misc]

    assert found == [alice.id, carol.id, carol.id, None, None]
    assert database.read_here(lambda tx: find_email(tx, alice.id, ISSUER)) == "robert@example.org"
    assert database.read_here(lambda tx: find_email(tx, carol.id, ISSUER)) == "bob@example.org"
    assert database.read_here(lambda tx: find_email(tx, alice.id, OTHER)) is None


def test_an_account_has_one_person_of_a_provider(tmp_path: Path) -> None:
    """The one before signs in no more; nor does anybody once the account is erased."""
    database = make_database(tmp_path)
    alice = add_owner(database)[0]
    robert = replace(BOB, subject="robert")

    def work(tx: Transaction) -> list[int | None]:
        seen = []
        add_identity(tx, alice.id, BOB, NOW_MS)
        add_identity(tx, alice.id, replace(BOB, issuer=OTHER), NOW_MS)
        add_identity(tx, alice.id, robert, NOW_MS)
        seen += [find_account_id(tx, ISSUER, name) for name in ("bob", "robert")]
        remove_identity(tx, alice.id, ISSUER)
        seen += [find_account_id(tx, ISSUER, "robert"), find_account_id(tx, OTHER, "bob")]
        mark_erasing(tx, alice.id, NOW_MS)
        seen.append(find_account_id(tx, OTHER, "bob"))
        return seen

    assert database.write_here(work) == [None, alice.id, None, alice.id, None]
