"""Pages far from either end, and searches that no index answers: on PostgreSQL both take a way of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from devtools.bench_store import fill
from pagegrade.model.report_list import ORDERS, ListQuery, SortBy
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.report_list import FAR, list_reports
from pagegrade.store.repositories.search import find_few_of_account, plan_anew
from tests.store_builders import add_owner, make_database

COUNT: Final = 4 * FAR
SORTS: Final[tuple[SortBy, ...]] = tuple(ORDERS)


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("sort_by", SORTS)
def test_a_page_far_from_both_ends_is_a_part_of_the_whole(tmp_path: Path, sort_by: SortBy, *, descending: bool) -> None:
    """What is on each page is what is at that place when all are listed at once."""
    database = make_database(tmp_path)
    account_id = fill(database, COUNT)

    def ids(page: int, per_page: int) -> list[int]:
        query = ListQuery(account_id=account_id, sort_by=sort_by, descending=descending, page=page, per_page=per_page)
        return [report.id for report in database.read_here(lambda tx: list_reports(tx, query))[0]]

    whole = ids(1, COUNT)

    assert len(set(whole)) == COUNT
    for page in (11, 12, 17, 20, 25, 30):
        assert ids(page, 10) == whole[10 * page - 10 : 10 * page]
    database.close()


def read(database: Database, patterns: tuple[str, ...], account_id: int) -> tuple[int, ...] | None:
    """What is found among the reports of an account."""

    def work(tx: Transaction) -> tuple[int, ...] | None:
        plan_anew(tx)
        return find_few_of_account(tx, patterns, account_id)

    return database.read_here(work)


@pytest.mark.backend("postgresql", reason="SQLite reads rows of an account in any order")
def test_all_urls_of_an_account_can_be_read_at_once(tmp_path: Path) -> None:
    """Also for one or two letters; Bob's are not among them, and too many are none."""
    database = make_database(tmp_path)
    alice = fill(database, 30)
    bob = add_owner(database, "Bob")[0].id

    assert len(read(database, ("/",), alice) or ()) == 30
    assert read(database, ("000001d",), alice) == (30,)
    assert read(database, ("no-such",), alice) == ()
    assert read(database, ("/",), bob) == ()
    database.close()


@pytest.mark.backend("sqlite", reason="has one file, whose rows it reads as quickly in any order")
def test_on_sqlite_nothing_is_found_that_way(tmp_path: Path) -> None:
    """Its index of parts answers, or the list is read in its order."""
    database = make_database(tmp_path)
    account_id = fill(database, 3)

    assert read(database, ("/",), account_id) is None
    database.close()
