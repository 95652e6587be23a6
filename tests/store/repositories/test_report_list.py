"""Lists against a model that is too simple to be wrong, and what the database does to make them."""

from __future__ import annotations

import itertools
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from msgspec.structs import replace
from sqlalchemy import func, select

from devtools.bench_store import fill
from pagegrade.model.stored import (
    ORDERS,
    STATES,
    UNFINISHED,
    Filter,
    ListQuery,
    PackedReport,
    Position,
    SortBy,
    State,
    parts_of,
)
from pagegrade.parse.url import project_of
from pagegrade.store.engine.database import Database, Transaction, is_shared
from pagegrade.store.repositories import report_list, search
from pagegrade.store.repositories.counts import count_matching, load_counts
from pagegrade.store.repositories.projects import list_projects
from pagegrade.store.repositories.report_list import (
    _page_statement,
    _seek_statement,
    _Shape,
    index_of,
    list_reports,
    list_window,
)
from pagegrade.store.repositories.reports import add_report, delete_report, mark_report
from pagegrade.store.schema.tables import reports
from tests.store_builders import NOW_MS, add_owner, make_database, recount

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
SORTS: tuple[SortBy, ...] = tuple(ORDERS)


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

    def add(self, account_id: int, url: str, privacy: int = 0) -> None:
        """Create a report."""
        now = next(self.clock)
        report = self.database.write_here(
            lambda tx: add_report(
                tx, account_id=account_id, url=url, project=project_of(url), privacy=privacy, password_hash=None,
                slug=f"{now:022d}", now_ms=now,
            )
        )  # fmt: skip
        self.reports[report.id] = {
            "id": report.id, "account_id": account_id, "url": url, "project": project_of(url), "state": "queued",
            "rating": None, "score": None, "dated": now, "updated": now, "privacy": privacy,
        }  # fmt: skip

    def mark(self, report_id: int, state: State, rating: int | None, score: int | None, made_ms: int) -> None:
        """Let the analysis of a report come to a state."""
        outcome = None if state in UNFINISHED else packed(rating, score, made_ms, failed=state == "failed")
        now = next(self.clock)
        found = self.database.write_here(
            lambda tx: mark_report(tx, report_id, state=state, now_ms=now, packed=outcome, run_number=1)
        )

        assert found == (report_id in self.reports)
        if found:
            self.reports[report_id]["state"] = state
            if state == "completed":
                self.reports[report_id] |= {"rating": rating, "score": score, "dated": made_ms}
            read = select(reports.c.updated_at_ms).where(reports.c.id == report_id)
            self.reports[report_id]["updated"] = self.database.read_here(lambda tx: tx.execute(read).scalar_one())

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
        and query.url in {None, one["url"]}
        and query.privacy in {None, one["privacy"]}
        and one["updated"] >= (query.updated_since_ms or 0)
        and (not query.search or matches(one["url"], query.search))
        and (query.expired_before_ms is None or one["dated"] >= query.expired_before_ms or one["state"] in UNFINISHED)
    ]
    keys = {
        "id": lambda one: (one["id"],),
        "generated_at": lambda one: (one["dated"], one["id"]),
        "updated_at": lambda one: (one["updated"], one["id"]),
        "url": lambda one: (one["url"], one["id"]),
        "result": lambda one: (one["rating"] or 0, -1 if one["score"] is None else one["score"], one["id"]),
        "score": lambda one: (-1 if one["score"] is None else one["score"], one["id"]),
    }
    found.sort(key=keys[query.sort_by], reverse=query.descending)
    # What has no value comes last in both directions.
    if query.sort_by in {"result", "score"}:
        found.sort(key=lambda one: one["score"] is None)
    if query.sort_by == "result":
        found.sort(key=lambda one: one["rating"] is None)
    start = (query.page - 1) * query.per_page
    return [one["id"] for one in found[start : start + query.per_page]], len(found)


def matches(url: str, text: str) -> bool:
    """Return whether a search finds a URL."""
    forms = {"ü": "%c3%bc", "bücher.example": "xn--bcher-kva.example"}
    return forms.get(text, text).lower() in url.lower()


def combinations(world: World, searches: tuple[str | None, ...], cutoffs: tuple[int | None, ...]) -> list[Any]:
    """Combinations of parameters in which every three values that go together do so at least once.

    The account is a condition of its own, and what searches and filters share is one list of conditions: these are
    crossed with fewer others.
    """
    whole = [
        (account_id, project, rating, state, text, sort_by, descending, expired)
        for account_id, project, rating, state, text, sort_by, descending, expired in itertools.product(
            world.accounts, PROJECTS, (None, 3), (None, *STATES), searches, SORTS, (True, False), cutoffs
        )
        if account_id == world.accounts[0] or not (rating or state or project is not None)
        if text is None or not (rating or state or sort_by not in {"id", "result"})
    ]
    random.Random(7).shuffle(whole)  # noqa: S311 - any order will do
    chosen, met = [], set[tuple[tuple[int, object], ...]]()
    for one in whole:
        threes = set(itertools.combinations(enumerate(one), 3))
        if not threes <= met:
            met |= threes
            chosen.append(one)
    return chosen


def check_all_lists(tx: Transaction, world: World, searches: tuple[str | None, ...]) -> None:
    """Every three values of parameters together give what the model gives."""
    dates = sorted(one["dated"] for one in world.reports.values())
    changed = sorted(one["updated"] for one in world.reports.values())
    furthers: tuple[dict[str, Any], ...] = (
        {"url": URLS[1]},
        {"privacy": 2},
        {"updated_since_ms": changed[len(changed) // 2]},
        {"url": URLS[2], "privacy": 0, "updated_since_ms": changed[2]},
    )
    cutoffs = (None, dates[len(dates) // 2] if dates else NOW_MS)
    for account_id, project, rating, state, text, sort_by, descending, expired in combinations(
        world, searches, cutoffs
    ):
        query = ListQuery(
            account_id=account_id, project=project, rating=rating, state=state, search=text, sort_by=sort_by,
            descending=descending, expired_before_ms=expired, per_page=7,
        )  # fmt: skip
        last = len(expected(world, replace(query, per_page=1_000))[0]) // query.per_page + 1
        for page in {1, 2, last}:
            check_list(tx, world, replace(query, page=page))
        if text is None and not rating and (state is None or (expired is None and sort_by == "id")):
            for further in furthers:
                check_list(tx, world, replace(query, **further))


def check_list(tx: Transaction, world: World, query: ListQuery) -> None:
    """One list gives what the model gives, by the number of the page and by walking."""
    found, total = list_reports(tx, query)
    ids, count = expected(world, query)

    assert ([report.id for report in found], total) == (ids, count), query
    if query.page == 1 and (not query.search or query.sort_by == "result"):
        whole = expected(world, replace(query, per_page=1_000))[0]

        assert walk(tx, query) == whole, query
        assert list_window(tx, query, None, count=True)[1] == count, query


def walk(tx: Transaction, query: ListQuery) -> list[int]:
    """The ids of the whole list, read window by window to the end; and back, where it must be the same."""
    windows = []
    position: Position | None = None
    while True:
        window, total = list_window(tx, query, position, count=False)
        windows.append(window)

        assert len(windows) <= 100, query  # or else the walk goes round in circles
        assert total is None
        assert (window.before is None) == (len(windows) == 1)
        if window.after is None:
            break
        position = window.after
    back = windows[-1]
    for window in reversed(windows[:-1]):
        back, _ = list_window(tx, query, back.before, count=False)

        assert [each.id for each in back.reports] == [each.id for each in window.reports], query
    assert back.before is None
    return [report.id for window in windows for report in window.reports]


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


def test_combinations_of_parameters(tmp_path: Path) -> None:
    """Filters, searches, orders and expiry agree with plain sorting, every three of them together, on every page."""
    check_every_combination(tmp_path)


@pytest.mark.backend("sqlite", reason="its search asks an index of its own first")
def test_combinations_when_the_index_finds_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, found in another way."""
    monkeypatch.setattr(search, "FEW", 3)
    check_every_combination(tmp_path, tuple(text for text in SEARCHES if text))


def test_combinations_when_nothing_is_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, with every filter read in the order of the list."""
    monkeypatch.setattr(report_list, "FEW", 3)
    check_every_combination(tmp_path)


def check_every_combination(tmp_path: Path, searches: tuple[str | None, ...] = SEARCHES) -> None:
    """Many reports, and every list of them."""
    database = make_database(tmp_path)
    try:
        world = World(database, (add_owner(database)[0].id, add_owner(database, "Bob")[0].id))
        chance = random.Random(7)  # noqa: S311 - any history will do
        for number in range(60):
            world.add(world.accounts[number % 5 == 0], chance.choice(URLS), chance.choice([0, 0, 1, 2]))
            state, score = chance.choice(STATES), chance.choice([None, 40, 60, 60, 90])
            # A page too little of which was seen has a score and no result.
            rating = None if score is None else chance.choice([None, 1, 2, 3])
            world.mark(number + 1, state, rating, score, NOW_MS + chance.randrange(40))
        database.read_here(lambda tx: check_all_lists(tx, world, searches))
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
                    # A page too little of which was seen has a score and no result.
                    world.mark(report_id, state, None if score is None else rating, score, made)
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
                        url=st.sampled_from([None, None, None, URLS[0]]),
                        updated_since_ms=st.sampled_from([None, None, NOW_MS + 10]),
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
    """The plan of the database for a page."""
    values = {
        "the_account": 1,
        "the_project": "site-0.example",
        "the_rating": 2,
        "the_state": "completed",
        "expired_before": NOW_MS,
        "the_limit": 10,
        "the_offset": 0,
        "from_id": 7,
        "from_rating": 2,
        "from_score": 60,
        "from_url": "https://m.example/",
        "from_dated_at_ms": NOW_MS,
        "from_updated_at_ms": NOW_MS,
    }
    if shape.seeking:
        statement: Any = _seek_statement(shape, backwards=backwards, touching=False).statement
    else:
        statement = _page_statement(shape, backwards=backwards).statement
    named = set(statement.compile(tx).params)
    values = {name: value for name, value in values.items() if name in named}
    written = statement.params(values).compile(tx, compile_kwargs={"literal_binds": True})
    if is_shared(tx):
        return "; ".join(row[0] for row in tx.exec_driver_sql(f"EXPLAIN (COSTS OFF) {written}"))
    return "; ".join(row[3] for row in tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {written}"))


def shapes() -> Iterator[tuple[_Shape, bool]]:
    """Every way in which a page is read, forwards and backwards."""
    for filters, sort_by, descending, backwards, expiring, seeking in itertools.product(
        FILTERS, SORTS, (True, False), (True, False), (True, False), (True, False)
    ):
        query = ListQuery(account_id=1, sort_by=sort_by, rating=2 if "rating" in filters else None)
        for part in parts_of(query):
            yield _Shape(filters, sort_by, descending, part, 0, expiring, seeking=seeking), backwards


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
            index = index_of(shape.filters, ORDERS[shape.sort_by][0])

            assert f"USING INDEX {index} (account_id=?" in found, (shape, found)
            assert "TEMP B-TREE" not in found, (shape, found)
    finally:
        database.close()


@pytest.mark.backend("postgresql", reason="chooses the index by what it knows of the data")
def test_every_list_has_an_index_that_gives_its_order(tmp_path: Path) -> None:
    """Nothing has to be sorted and no table to be read where that would be expensive: there is a way without."""
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
