"""The counts that spare lists from counting; ``test_listing`` compares them with real ones over any history."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import delete

from devtools.bench_store import fill
from pagegrade.model.stored import State
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import load_usage
from pagegrade.store.repositories.counts import (
    Kind,
    count_change,
    count_matching,
    count_projects,
    load_counts,
)
from pagegrade.store.schema.tables import accounts
from tests.store_builders import NOW_MS, add_owner, make_database


def test_a_change_moves_reports_from_one_kind_to_another(tmp_path: Path) -> None:
    """Both the project and the account as a whole are counted, and kinds without reports vanish."""
    database = make_database(tmp_path)
    account_id = add_owner(database)[0].id

    def work(tx: Transaction) -> None:
        count_change(tx, account_id, "a.example", was=None, is_=("queued", None), reports=3)
        count_change(tx, account_id, "b.example", was=None, is_=("queued", None))
        count_change(tx, account_id, "a.example", was=("queued", None), is_=("completed", 2), reports=2)
        count_change(tx, account_id, "b.example", was=("queued", None), is_=None)

        assert load_counts(tx, account_id, "a.example") == {("queued", None): 1, ("completed", 2): 2}
        assert load_counts(tx, account_id) == {("queued", None): 1, ("completed", 2): 2}
        assert load_counts(tx, account_id, "b.example") == {}
        assert count_projects(tx, account_id) == 1
        assert load_usage(tx, account_id, NOW_MS).reports == 3
        assert load_usage(tx, account_id, NOW_MS).projects == 1

    database.write_here(work)
    database.close()


@pytest.mark.parametrize(
    ("state", "rating", "count"),
    [(None, None, 9), ("failed", None, 4), (None, 2, 7), ("failed", 2, 2), ("queued", 1, 0)],
)
def test_filters_add_up_the_kinds_they_let_through(state: State | None, rating: int | None, count: int) -> None:
    """A filter that is not set lets every kind through, those without a result included."""
    counts: dict[Kind, int] = {("completed", 2): 5, ("failed", None): 2, ("failed", 2): 2}

    assert count_matching(counts, state=state, rating=rating) == count


def test_accounts_are_counted_apart(tmp_path: Path) -> None:
    """Bob's reports are none of Alice's."""
    database = make_database(tmp_path)
    alice, bob = add_owner(database)[0].id, add_owner(database, "Bob")[0].id

    def work(tx: Transaction) -> None:
        count_change(tx, bob, "a.example", was=None, is_=("queued", None))

        assert load_counts(tx, alice) == {}
        assert load_counts(tx, alice, "a.example") == {}

    database.write_here(work)
    database.close()


def test_counts_go_with_their_account(tmp_path: Path) -> None:
    """Nothing is left of an account that is deleted."""
    database = make_database(tmp_path)
    account_id = fill(database, 20)

    def work(tx: Transaction) -> None:
        tx.execute(delete(accounts).where(accounts.c.id == account_id))

        assert load_counts(tx, account_id) == {}
        assert tx.exec_driver_sql("SELECT COUNT(*) FROM reports").scalar() == 0

    database.write_here(work)
    database.close()
