"""Cost of storing a run, and of lists as an account grows: every filter in every order.

What counts is the last column, the time against that of the smallest database: a first page, a last page and a search
for something rare should cost the same however many reports there are. A page in the middle has to step over half of
an index; its column shows how cheap that is.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from msgspec.structs import replace

from devtools.bench import REAL_PAGES, URL, generated_pages
from devtools.bench_fill import BATCH, put_rows, refresh
from devtools.bench_meter import durable_postgres
from pagegrade.model.stored import ORDERS, UNFINISHED, ListQuery, PackedReport, StoredReport
from pagegrade.report.codec import check_packed, pack_report, unpack_detail
from pagegrade.service.runs.analysis import artifacts_of_document
from pagegrade.service.runs.evaluation import evaluate_artifacts
from pagegrade.store.engine.database import Database, Transaction, is_shared
from pagegrade.store.engine.factory import open_database
from pagegrade.store.engine.sqlite_database import SQLiteDatabase
from pagegrade.store.repositories.accounts import add_account
from pagegrade.store.repositories.projects import list_projects
from pagegrade.store.repositories.report_list import list_reports
from pagegrade.store.repositories.reports import load_report
from pagegrade.store.schema.migrate import migrate
from pagegrade.store.schema.tables import reports
from pagegrade.web.schemas.report import ABSENT, report_object
from tests.postgres import Databases
from tests.store_builders import recount

SIZES: Final = (1_000, 10_000, 100_000)
LARGE: Final = 1_000_000
GOAL_RUN_KB: Final = 30
BASE_URL: Final = "https://reports.example"
NOW_MS: Final = 1_767_225_600_000
SUMMARY: Final = (
    b'{"version":1,"categories":{' + b'"seo":{"score":81,"result":"good","passed":20,"failed":3},' * 20 + b"}}"
)
_WORDS: Final = "about blog buy cart contact docs event faq gallery guide help info jobs news press shop team".split()


def make_rows(count: int, account_id: int) -> Iterator[dict[str, Any]]:
    """Reports over many hosts, a few of which have most of them, in states and with results as a service has them."""
    chance = random.Random(1)  # noqa: S311 - made-up addresses
    hosts = max(10, count // 20)
    for number in range(count):
        host = f"site-{int(hosts * chance.random() ** 3)}.example"
        path = "/".join(chance.choice(_WORDS) for _ in range(chance.randrange(1, 4)))
        state = chance.choices(("completed", "failed", "queued", "running"), (90, 7, 2, 1))[0]
        done = state == "completed"
        score = min(100, max(0, int(chance.gauss(68, 15)))) if done else None
        rating = None if score is None or chance.random() < 0.01 else 3 if score >= 80 else 2 if score >= 50 else 1  # noqa: PLR2004
        created = NOW_MS + number * 1_000
        made = created + chance.randrange(1_000, 90 * 86_400_000)
        yield {
            "account_id": account_id,
            "url": f"https://www.{host}/{path}/{number:07x}?page={chance.randrange(50)}",
            "project": host,
            "privacy": 0,
            "slug": f"{number:022d}",
            "state": state,
            "rating": rating,
            "score": score,
            "run_number": 1 if done else None,
            "summary": SUMMARY if done else None,
            "error": b"{}" if state == "failed" else None,
            "generated_at_ms": made if done else None,
            "dated_at_ms": made if done else created,
            "created_at_ms": created,
            "updated_at_ms": made if state not in UNFINISHED else created,
        }


def fill(database: Database, count: int) -> int:
    """Put so many reports under a new account; its id."""
    account_id = database.write_here(
        lambda tx: add_account(tx, name="Bench", email="bench@example.org", now_ms=NOW_MS)
    ).id
    large = count > BATCH
    indexes = sorted((index for index in reports.indexes if large), key=lambda index: str(index.name))

    def insert_all(tx: Transaction) -> None:
        # Fifteen indexes are made faster at the end than kept up to date on the way.
        for index in indexes:
            index.drop(tx)
        put_rows(tx, reports, make_rows(count, account_id))
        for index in indexes:
            index.create(tx)

    database.change_schema(insert_all)
    if database.shared:
        refresh(database)
    database.change_schema(lambda tx: recount(tx, account_id))
    return account_id


def queries(tx: Transaction, account_id: int) -> Iterator[tuple[str, ListQuery]]:
    """(name, query) of everything that is measured: each filter in each order, at the beginning, middle and end."""
    everything = ListQuery(account_id=account_id)
    filters: dict[str, ListQuery] = {
        "all": everything,
        "result=bad": replace(everything, rating=1),
        "state=completed": replace(everything, state="completed"),
        "state=failed": replace(everything, state="failed"),
        "project": replace(everything, project="site-0.example"),
        "good, completed": replace(everything, rating=3, state="completed"),
        "project, decent": replace(everything, project="site-0.example", rating=2),
    }
    for name, query in filters.items():
        pages = max(1, -(-list_reports(tx, query)[1] // query.per_page))
        for order in ORDERS:
            for place, page in (("first", 1), ("middle", pages // 2 + 1), ("last", pages)):
                yield f"{name} by {order}, {place} page", replace(query, sort_by=order, page=page)
    for order in ORDERS:
        yield f"search rare by {order}", replace(everything, sort_by=order, search="/00001FF")
    yield "search common, first page", replace(everything, search="shop")
    yield "search of 2 letters, first page", replace(everything, search="zz")


def best_us(work: Callable[[], object], repeat: int) -> float:
    """Least time of several runs, in microseconds."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter_ns()
        work()
        best = min(best, time.perf_counter_ns() - start)
    return best / 1_000


def measure(database: Database, count: int, repeat: int) -> dict[str, float]:
    """Name -> microseconds, on a new database, which gets so many reports and is closed."""
    try:
        migrate(database)
        start = time.perf_counter()
        account_id = fill(database, count)
        size = database.read_here(_size) / count
        print(f"{count} reports: filled in {time.perf_counter() - start:.1f} s, {size:.0f} bytes each", flush=True)

        def work(tx: Transaction) -> dict[str, float]:
            figures = {}
            for name, query in queries(tx, account_id):
                # PostgreSQL plans a statement anew for its first ten times, and then perhaps for all values at once.
                for _ in range(12 if database.shared and "middle" not in name else 0):
                    list_reports(tx, query)
                figures[name] = best_us(lambda query=query: list_reports(tx, query), repeat)  # type: ignore[misc]
            figures["one report"] = best_us(lambda: load_report(tx, account_id, count // 2), repeat * 5)
            figures["projects, first page"] = best_us(lambda: list_projects(tx, account_id, 1, 10), repeat)
            return figures

        return database.read_here(work)
    finally:
        database.close()


def _size(tx: Transaction) -> int:
    """Bytes of the database."""
    if is_shared(tx):
        return int(tx.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one())
    pages = tx.exec_driver_sql("PRAGMA page_count").scalar_one()
    return int(pages) * int(tx.exec_driver_sql("PRAGMA page_size").scalar_one())


def print_table(figures: dict[int, dict[str, float]]) -> float:
    """The times and their ratios; gives the worst ratio of those that should be flat."""
    sizes = sorted(figures)
    print(f"{'microseconds':<42}" + "".join(f"{size:>10}" for size in sizes) + f"{'ratio':>9}")
    worst = 0.0
    for name in figures[sizes[0]]:
        times = [figures[size][name] for size in sizes]
        ratio = times[-1] / times[0]
        print(f"{name:<42}" + "".join(f"{time:>10.0f}" for time in times) + f"{ratio:>8.1f}x")
        if ("first page" in name and not name.startswith(("search", "projects"))) or "last" in name or "rare" in name:
            worst = max(worst, ratio)
    print(f"worst ratio of first pages, last pages and rare searches: {worst:.1f}x (goal: flat)")
    return worst


def print_runs(pages: list[tuple[str, bytes]], repeat: int) -> float:
    """Measure storing and showing a run of each page; returns the median of stored bytes."""
    stored: list[tuple[int, int, int, int]] = []
    times: dict[str, list[float]] = {}
    for _name, body in pages:
        artifacts = artifacts_of_document(body, url=URL, headers=(("Content-Type", "text/html; charset=utf-8"),))
        report = evaluate_artifacts(artifacts)
        packed = pack_report(report)
        plain = unpack_detail(packed.detail)
        stored.append(
            (len(packed.summary) * 2 + len(packed.detail), len(packed.summary), len(packed.detail), len(plain))
        )
        row = _stored(packed)
        for step, work in {
            "pack (in the child)": lambda: pack_report(report),  # noqa: B023 - done before the next page
            "check": lambda: check_packed(packed),  # noqa: B023
            "unpack": lambda: unpack_detail(packed.detail),  # noqa: B023
            "write whole": lambda: report_object(row, base_url=BASE_URL, detail=plain),  # noqa: B023
            "write for a list": lambda: report_object(row, base_url=BASE_URL, detail=ABSENT),  # noqa: B023
        }.items():
            times.setdefault(step, []).append(best_us(work, repeat))
    whole, summary, detail, plain_bytes = (statistics.median(column) for column in zip(*stored, strict=True))
    print(
        f"a stored run, median of {len(pages)} pages: {whole / 1000:.1f} kB (goal: at most {GOAL_RUN_KB} kB): results "
        f"{detail / 1000:.1f} kB (unpacked {plain_bytes / 1000:.1f} kB), summary {summary / 1000:.1f} kB twice"
    )
    print("microseconds: " + ", ".join(f"{step} {statistics.median(each):.0f}" for step, each in times.items()))
    return float(whole)


def _stored(packed: PackedReport) -> StoredReport:
    """The report that shows a run."""
    return StoredReport(
        id=1, account_id=1, url=URL, project="bench.example", privacy=0, password_hash=None, password_version=0,
        slug="s" * 22, state=packed.state, rating=packed.rating, score=packed.score, run_number=1,
        summary=packed.summary, error=packed.error, generated_at_ms=NOW_MS, created_at_ms=NOW_MS, updated_at_ms=NOW_MS,
        revision=3,
    )  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Run the bench; exit status 0, whatever the figures: they are for people to assess."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="a database of a million reports too (minutes, 4 GB)")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="reports in each database")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each measurement, of which the best counts")
    parser.add_argument("--postgresql", action="store_true", help="on PostgreSQL instead of SQLite")
    options = parser.parse_args(arguments)
    sizes = sorted({*options.sizes, *([LARGE] if options.large else [])})
    real = REAL_PAGES.is_dir()
    pages = [(path.stem, path.read_bytes()) for path in sorted(REAL_PAGES.glob("*.html"))] if real else []
    print_runs(pages or list(generated_pages()), options.repeat)
    figures: dict[int, dict[str, float]] = {}
    if options.postgresql:
        with durable_postgres() as server:
            databases = Databases(server.url("postgres", user="postgres"))
            for size in sizes:
                url = databases.make_empty()
                figures[size] = measure(open_database(url, readers=1, writers=1), size, options.repeat)
                databases.drop(url)
    else:
        with tempfile.TemporaryDirectory(prefix="pagegrade-bench-") as folder:
            for size in sizes:
                figures[size] = measure(SQLiteDatabase(f"sqlite:///{folder}/{size}.db"), size, options.repeat)
    print_table(figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
