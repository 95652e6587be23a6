"""Ignore rules of an account, on both kinds of database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.model.account import Account, Caller
from pagegrade.model.errors import NotFound, QuotaExceeded, ValidationFailed
from pagegrade.model.outcome import MAX_RULES, IgnoreRule, StoredIgnore
from pagegrade.model.stored import ListPart
from pagegrade.service.ignores.operations import create_ignore, delete_ignore, list_ignores, show_ignore
from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.database import Database
from pagegrade.store.queue.runs import finish_run
from tests.queue_builders import Queue, completed
from tests.store_builders import BACKENDS, NOW_MS, Backend, add_owner, make_database, on

OPTIONS = ServiceOptions()
RULE = IgnoreRule(check="image-alt", reason="Known.")


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
    """The owner of the rules."""
    return add_owner(database, "Alice")[0]


def create(database: Database, account: Account, rule: IgnoreRule = RULE, report_id: int | None = None) -> StoredIgnore:
    """A rule of an account."""
    caller = Caller(account=account)
    return database.write_here(lambda tx: create_ignore(tx, caller, rule, OPTIONS, NOW_MS, report_id=report_id))


def test_the_author_is_the_account(database: Database, alice: Account) -> None:
    """Whatever the rule says."""
    assert create(database, alice).rule.author == "Alice"


def test_a_rule_for_a_report_is_bounded_by_its_finding(database: Database, alice: Account) -> None:
    """Unless it has bounds of its own, or there is no such finding."""
    queue = Queue(database, alice.id)
    report_id = queue.add("https://example.com/").report_id
    before = create(database, alice, report_id=report_id).rule
    (run,) = queue.claim()
    database.write_here(lambda tx: finish_run(tx, run, completed(60), NOW_MS))
    bounded = create(database, alice, report_id=report_id).rule
    own = create(database, alice, IgnoreRule(check="image-alt", reason="Known.", places=99), report_id).rule
    passed = create(database, alice, IgnoreRule(check="frame-title", reason="Known."), report_id).rule

    assert (before.state, before.places) == (None, None)
    assert (bounded.state, bounded.places) == ("missing", 14)
    assert (own.state, own.places) == (None, 99)
    assert (passed.state, passed.places) == (None, None)


def test_reports_and_rules_of_others_are_not_there(database: Database, alice: Account) -> None:
    """As if they did not exist."""
    bob = Caller(account=add_owner(database, "Bob")[0])
    report_id = Queue(database, alice.id).add("https://example.com/").report_id
    number = create(database, alice).rule.id or 0

    with pytest.raises(ValidationFailed):
        create(database, bob.account, report_id=report_id)
    for use_case in (show_ignore, delete_ignore):
        with pytest.raises(NotFound):
            database.write_here(lambda tx, use_case=use_case: use_case(tx, bob, number))  # type: ignore[misc]

    assert database.read_here(lambda tx: list_ignores(tx, bob, ListPart(page=1, per_page=10))).total == 0


def test_an_account_has_a_bounded_number_of_rules(database: Database, alice: Account) -> None:
    """The last one that is allowed is stored, one more is refused."""
    for _ in range(MAX_RULES):
        create(database, alice)

    with pytest.raises(QuotaExceeded):
        create(database, alice)
    left = database.read_here(lambda tx: list_ignores(tx, Caller(account=alice), ListPart(page=1, per_page=10)))

    assert left.total == MAX_RULES
