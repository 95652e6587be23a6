"""Pages far from either end, and searches that no index answers: both take a way of their own."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Final

import pytest

from devtools.bench_store import fill
from pagegrade.model.stored import ORDERS, Filter, ListQuery, SortBy
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.report_list import FAR, index_of, list_reports
from pagegrade.store.repositories.search import _few_statement, as_parameters, find_few_of_account, plan_anew
from pagegrade.store.schema.tables import reports
from tests.store_builders import add_owner, make_database

COUNT: Final = 4 * FAR
SORTS: Final[tuple[SortBy, ...]] = tuple(ORDERS)


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("sort_by", SORTS)
def test_a_page_far_from_both_ends_is_a_part_of_the_whole(tmp_path: Path, sort_by: SortBy, *, descending: bool) -> None:
    """Each page holds the rows that are at that place when all are listed at once."""
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
    """The search results among the reports of an account."""

    def work(tx: Transaction) -> tuple[int, ...] | None:
        plan_anew(tx)
        return find_few_of_account(tx, patterns, account_id)

    return database.read_here(work)


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


@pytest.mark.backend("sqlite", reason="shows by the plan that no row is read")
def test_urls_of_an_account_are_read_without_their_rows(tmp_path: Path) -> None:
    """From an index that holds them, without making the letters of each small."""
    database = make_database(tmp_path)
    account_id = fill(database, 3)
    statement = _few_statement(1, within=True)
    given = {**as_parameters(("a",)), "few": 10, "the_account": account_id}

    def plan(tx: Transaction) -> str:
        written = str(statement.compile(tx.engine, compile_kwargs={"render_postcompile": True}))
        names = statement.compile(tx.engine).positiontup or []
        values = tuple({**given, "param_1": 0}.get(name, 0) for name in names)
        return str(tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {written}", values).all()) + written

    found = database.read_here(plan)
    database.close()

    assert "USING COVERING INDEX ix_reports_by_url" in found
    assert "lower(" not in found


@pytest.mark.parametrize(
    ("filters", "order", "index"),
    [
        (("state", "rating"), "score", "ix_reports_state_by_rating"),
        (("rating", "project"), "score", "ix_reports_project_by_rating"),
        (("project", "state", "rating"), "rating", "ix_reports_project_by_rating"),
        (("rating",), "score", "ix_reports_by_rating"),
        (("rating",), "rating", "ix_reports_by_rating"),
        (("rating",), "id", "ix_reports_rating_by_id"),
        (("state",), "score", "ix_reports_state_by_score"),
        ((), "score", "ix_reports_by_score"),
    ],
)
def test_one_result_in_the_order_of_scores_passes_over_no_other(
    filters: tuple[Filter, ...], order: str, index: str
) -> None:
    """The index has the other filter, the result and the score in front."""
    assert index_of(filters, order) == index


def test_every_index_of_a_list_exists() -> None:
    """Of every combination of filters in every order."""
    known = {str(index.name) for index in reports.indexes}
    names: tuple[Filter, ...] = ("project", "rating", "state")
    combined = [each for count in range(4) for each in permutations(names, count)]

    assert {index_of(filters, columns[0]) for filters in combined for columns in ORDERS.values()} <= known
