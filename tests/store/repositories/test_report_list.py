"""Lists against a model that is too simple to be wrong, and what the database does to make them."""

from __future__ import annotations

import itertools
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from sqlalchemy import func, select

from devtools.bench_store import fill
from pagegrade.model.stored import STATES, UNFINISHED, PackedReport, State
from pagegrade.parse.url import project_of
from pagegrade.store.engine.database import Database, Transaction, is_shared
from pagegrade.store.repositories import search
from pagegrade.store.repositories.counts import count_matching, load_counts, recount
from pagegrade.store.repositories.projects import list_projects
from pagegrade.store.repositories.report_list import (
    _ORDERS,
    Filter,
    ListQuery,
    SortBy,
    _page_statement,
    _Shape,
    list_reports,
)
from pagegrade.store.repositories.reports import add_report, delete_report, mark_report
from pagegrade.store.schema.tables import reports
from tests.store_builders import NOW_MS, add_owner, make_database

URLS = (
    "https://example.com/",
    "https://www.example.com/Pricing?a=100%25_off",
    "https://example.com/pricing/old",
    "https://shop.example.com:8443/a_b",
    "https://xn--bcher-kva.example/%C3%BC",
    "https://other.example/b%5Cc",
)
SEARCHES = (
    None,
    "pric",
    "PRICING",
    "%",
    "_",
    "a_b",
    "100%25",
    "\\",
    '"',
    "xample.com/",
    "e",
    "ü",
    "bücher.example",
    "zzz",
)
PROJECTS = (None, "example.com", "other.example", "nowhere.example", "")
SORTS: tuple[SortBy, ...] = ("id", "generated_at", "url", "result")


def packed(rating: int | None, score: int | None, made_ms: int, *, failed: bool) -> PackedReport:
    """The outcome of a run with nothing in it."""
    return PackedReport(
        state="failed" if failed else "completed",
        rating=None if failed else rating,
        score=None if failed else score,
        engine="0",
        ruleset="0",
        summary=b"{}",
        detail=b"",
        error=b"{}" if failed else None,
        generated_at_ms=made_ms,
    )


@dataclass
class World:
    """Alice's and Bob's reports, in a database and in a plain list."""

    database: Database
    accounts: tuple[int, int]
    reports: dict[int, dict[str, Any]] = field(default_factory=dict)
    clock: itertools.count[int] = field(default_factory=lambda: itertools.count(NOW_MS))

    def add(self, account_id: int, url: str) -> None:
        """Create a report."""
        now = next(self.clock)
        report = self.database.write_here(
            lambda tx: add_report(
                tx, account_id=account_id, url=url, project=project_of(url), privacy=0, password_hash=None,
                slug=f"{now:022d}", now_ms=now,
            )
        )  # fmt: skip
        self.reports[report.id] = {
            "id": report.id, "account_id": account_id, "url": url, "project": project_of(url), "state": "queued",
            "rating": None, "score": None, "dated": now,
        }  # fmt: skip

    def mark(self, report_id: int, state: State, rating: int | None, score: int | None, made_ms: int) -> None:
        """Let the analysis of a report come to a state."""
        outcome = None if state in UNFINISHED else packed(rating, score, made_ms, failed=state == "failed")
        found = self.database.write_here(
            lambda tx: mark_report(tx, report_id, state=state, now_ms=next(self.clock), packed=outcome, run_number=1)
        )

        assert found == (report_id in self.reports)
        if found:
            self.reports[report_id]["state"] = state
            if state == "completed":
                self.reports[report_id] |= {"rating": rating, "score": score, "dated": made_ms}

    def delete(self, account_id: int, report_id: int) -> None:
        """Delete a report, if it is the account's."""
        mine = self.reports.get(report_id, {}).get("account_id") == account_id

        assert self.database.write_here(lambda tx: delete_report(tx, account_id, report_id)) == mine
        if mine:
            del self.reports[report_id]


def expected(world: World, query: ListQuery) -> tuple[list[int], int]:
    """Filter, sort and page by the letter of the contract."""
    found = [
        one
        for one in world.reports.values()
        if one["account_id"] == query.account_id
        and query.project in {None, one["project"]}
        and query.rating in {None, one["rating"]}
        and query.state in {None, one["state"]}
        and (not query.search or matches(one["url"], query.search))
        and (query.expired_before_ms is None or one["dated"] >= query.expired_before_ms or one["state"] in UNFINISHED)
    ]
    keys = {
        "id": lambda one: (one["id"],),
        "generated_at": lambda one: (one["dated"], one["id"]),
        "url": lambda one: (one["url"], one["id"]),
        "result": lambda one: (one["rating"] or 0, -1 if one["score"] is None else one["score"], one["id"]),
    }
    found.sort(key=keys[query.sort_by], reverse=query.descending)
    if query.sort_by == "result":
        found = [one for one in found if one["rating"]] + [one for one in found if not one["rating"]]
    start = (query.page - 1) * query.per_page
    return [one["id"] for one in found[start : start + query.per_page]], len(found)


def matches(url: str, text: str) -> bool:
    """Whether a search finds a URL."""
    forms = {"ü": "%c3%bc", "bücher.example": "xn--bcher-kva.example"}
    return forms.get(text, text).lower() in url.lower()


def check_all_lists(tx: Transaction, world: World) -> None:
    """Every combination of parameters gives what the model gives."""
    dates = sorted(one["dated"] for one in world.reports.values())
    cutoffs = (None, dates[len(dates) // 2] if dates else NOW_MS)
    for account_id, project, rating, state, text, sort_by, descending, expired in itertools.product(
        world.accounts, PROJECTS, (None, 3), (None, *STATES), SEARCHES, SORTS, (True, False), cutoffs
    ):
        # Searches and filters are not crossed with everything: what they share is one list of conditions.
        if text is not None and (rating or state):
            continue
        query = ListQuery(
            account_id=account_id, project=project, rating=rating, state=state, search=text, sort_by=sort_by,
            descending=descending, expired_before_ms=expired, per_page=7,
        )  # fmt: skip
        last = len(expected(world, replace(query, per_page=1_000))[0]) // query.per_page + 1
        for page in {1, 2, last}:
            check_list(tx, world, replace(query, page=page))


def check_list(tx: Transaction, world: World, query: ListQuery) -> None:
    """One list gives what the model gives."""
    found, total = list_reports(tx, query)
    ids, count = expected(world, query)

    assert ([report.id for report in found], total) == (ids, count), query


def check_counts(tx: Transaction, world: World) -> None:
    """The counts that are kept are those of counting."""
    for account_id in world.accounts:
        mine = [one for one in world.reports.values() if one["account_id"] == account_id]
        for project in (None, *{one["project"] for one in mine}, "nowhere.example"):
            counts = load_counts(tx, account_id, project)
            for state, rating in itertools.product((None, *STATES), (None, 1, 2, 3)):
                like = [
                    one
                    for one in mine
                    if project in {None, one["project"]}
                    and state in {None, one["state"]}
                    and rating in {None, one["rating"]}
                ]

                assert count_matching(counts, state=state, rating=rating) == len(like)
        projects, total = list_projects(tx, account_id, 1, 100)

        assert [project.name for project in projects] == sorted({one["project"] for one in mine})
        assert total == len(projects)
    real = tx.execute(select(func.count()).select_from(reports)).scalar_one()

    assert real == len(world.reports)


def test_every_combination_of_parameters(tmp_path: Path) -> None:
    """Filters, searches, orders and expiry agree with plain sorting in every combination, on every page."""
    check_every_combination(tmp_path)


@pytest.mark.backend("sqlite", reason="its search asks an index of its own first")
def test_every_combination_when_the_index_finds_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, found in another way."""
    monkeypatch.setattr(search, "FEW", 3)
    check_every_combination(tmp_path)


def check_every_combination(tmp_path: Path) -> None:
    """Many reports, and every list of them."""
    database = make_database(tmp_path)
    try:
        world = World(database, (add_owner(database)[0].id, add_owner(database, "Bob")[0].id))
        chance = random.Random(7)  # noqa: S311 - any history will do
        for number in range(60):
            world.add(world.accounts[number % 5 == 0], chance.choice(URLS))
            state, score = chance.choice(STATES), chance.choice([None, 40, 60, 60, 90])
            # A page too little of which was seen has neither.
            rating = None if score is None else chance.choice([None, 1, 2, 3])
            score = None if rating is None else score
            world.mark(number + 1, state, rating, score, NOW_MS + chance.randrange(40))
        database.read_here(lambda tx: check_all_lists(tx, world))
    finally:
        database.close()


actions = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "mark", "mark", "mark", "delete"]),
        st.integers(0, 1),
        st.sampled_from(URLS),
        st.integers(1, 12),
        st.sampled_from(STATES),
        st.sampled_from([None, 1, 2, 3]),
        st.sampled_from([None, 0, 60, 100]),
        st.integers(NOW_MS - 5, NOW_MS + 50),
    ),
    min_size=5,
    max_size=40,
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(actions, st.data())
def test_any_history_leaves_right_counts_and_lists(history: list[Any], data: DataObject) -> None:
    """Whatever happens to reports, counts are exact and each list is the one that plain sorting gives."""
    with tempfile.TemporaryDirectory() as folder:
        database = make_database(Path(folder))
        try:
            world = World(database, (add_owner(database)[0].id, add_owner(database, "Bob")[0].id))
            for action, whose, url, report_id, state, rating, score, made in history:
                account_id = world.accounts[whose]
                if action == "add":
                    world.add(account_id, url)
                elif action == "mark":
                    # A page too little of which was seen has neither a score nor a result.
                    whole = rating is not None and score is not None
                    world.mark(report_id, state, rating if whole else None, score if whole else None, made)
                else:
                    world.delete(account_id, report_id)
            database.read_here(lambda tx: check_counts(tx, world))
            for _ in range(150):
                query = data.draw(
                    st.builds(
                        ListQuery,
                        account_id=st.sampled_from(world.accounts),
                        search=st.sampled_from(SEARCHES),
                        project=st.sampled_from(PROJECTS),
                        rating=st.sampled_from([None, None, 1, 2, 3]),
                        state=st.sampled_from([None, None, *STATES]),
                        sort_by=st.sampled_from(SORTS),
                        descending=st.booleans(),
                        page=st.integers(1, 6),
                        per_page=st.integers(1, 4),
                        expired_before_ms=st.sampled_from([None, None, NOW_MS + 10]),
                    )
                )
                database.read_here(partial(check_list, world=world, query=query))
            for account_id in world.accounts:
                assert database.write_here(partial(recount, account_id=account_id))
        finally:
            database.close()


FILTERS: tuple[tuple[Filter, ...], ...] = (
    (),
    ("project",),
    ("rating",),
    ("state",),
    ("state", "rating"),
    ("rating", "state"),
    ("project", "rating"),
    ("project", "state", "rating"),
)


def plan(tx: Transaction, shape: _Shape, *, backwards: bool) -> str:
    """How the database means to find a page."""
    values = {
        "the_account": 1,
        "the_project": "site-0.example",
        "the_rating": 2,
        "the_state": "completed",
        "expired_before": NOW_MS,
        "the_limit": 10,
        "the_offset": 0,
    }
    statement: Any = _page_statement(shape, backwards=backwards).statement
    written = statement.params(values).compile(tx, compile_kwargs={"literal_binds": True})
    if is_shared(tx):
        return "; ".join(row[0] for row in tx.exec_driver_sql(f"EXPLAIN (COSTS OFF) {written}"))
    return "; ".join(row[3] for row in tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {written}"))


def shapes() -> Iterator[tuple[_Shape, bool]]:
    """Every way in which a page is read, forwards and backwards."""
    for filters, sort_by, descending, backwards, expiring in itertools.product(
        FILTERS, SORTS, (True, False), (True, False), (True, False)
    ):
        for rated in (True, False) if sort_by == "result" and "rating" not in filters else (None,):
            yield _Shape(filters, sort_by, descending, rated, 0, expiring), backwards


@pytest.mark.backend("sqlite", reason="names the index in each statement")
@pytest.mark.parametrize("analyzed", [False, True])
def test_every_list_is_read_from_the_index_of_its_first_filter(tmp_path: Path, *, analyzed: bool) -> None:
    """No list is sorted: whatever SQLite knows of the data, the index gives the order."""
    database = make_database(tmp_path)
    try:
        fill(database, 2_000)
        if analyzed:
            database.write_here(lambda tx: tx.exec_driver_sql("ANALYZE"))
        for shape, backwards in shapes():
            found = database.read_here(partial(plan, shape=shape, backwards=backwards))
            order = _ORDERS[shape.sort_by][0]
            leading = [name for name in shape.filters[:1] if name != order]
            index = "_".join(("ix_reports", *leading, "by", order))

            assert f"USING INDEX {index} (account_id=?" in found, (shape, found)
            assert "TEMP B-TREE" not in found, (shape, found)
    finally:
        database.close()


@pytest.mark.backend("postgresql", reason="chooses the index by what it knows of the data")
def test_every_list_has_an_index_that_gives_its_order(tmp_path: Path) -> None:
    """Where it would be dear, nothing has to be sorted and no table to be read: there is a way without."""
    database = make_database(tmp_path)

    def dearly(tx: Transaction, shape: _Shape, *, backwards: bool) -> str:
        for way in ("sort", "incremental_sort", "seqscan", "bitmapscan"):
            tx.exec_driver_sql(f"SET LOCAL enable_{way} = off")
        return plan(tx, shape, backwards=backwards)

    try:
        fill(database, 500)
        database.write_here(lambda tx: tx.exec_driver_sql("ANALYZE reports"))
        for shape, backwards in shapes():
            found = database.read_here(partial(dearly, shape=shape, backwards=backwards))

            assert "Index Scan" in found, (shape, found)
            assert "Sort" not in found, (shape, found)
            assert "Seq Scan" not in found, (shape, found)
    finally:
        database.close()


def test_pages_far_behind_the_end_are_empty(tmp_path: Path) -> None:
    """No number of a page is too large for the database."""
    database = make_database(tmp_path)
    try:
        account_id = fill(database, 25)
        query = ListQuery(account_id=account_id, page=10**30, per_page=100)

        assert database.read_here(lambda tx: list_reports(tx, query)) == ((), 25)
    finally:
        database.close()


def test_every_report_is_on_exactly_one_page(tmp_path: Path) -> None:
    """Walking through the pages of any order meets each report once."""
    database = make_database(tmp_path)
    try:
        account_id = fill(database, 137)
        for sort_by, descending in itertools.product(SORTS, (True, False)):
            seen: list[int] = []
            for page in range(1, 16):
                query = ListQuery(account_id=account_id, sort_by=sort_by, descending=descending, page=page)
                seen += [report.id for report in database.read_here(partial(list_reports, query=query))[0]]

            assert len(seen) == 137
            assert len(set(seen)) == 137
    finally:
        database.close()
