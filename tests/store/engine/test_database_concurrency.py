"""Many who change the same things at the same moment, in threads and in processes of their own."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from pagegrade.model.stored import ListQuery, Privacy, SortBy
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.locks import hold_account
from pagegrade.store.queue.claim import claim_runs
from pagegrade.store.queue.runs import finish_run
from pagegrade.store.repositories.counts import load_counts
from pagegrade.store.repositories.installation import load_or_make_secret
from pagegrade.store.repositories.report_list import list_reports
from pagegrade.store.repositories.reports import delete_report, load_report, save_settings
from tests.queue_builders import LEASE_MS, LOTS, Queue, add_queued, completed
from tests.store_builders import NOW_MS, add_owner, make_database, recount
from tests.waiting import HANG_S

PATIENCE_S = HANG_S


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """Alice's queue, and Bob's account beside hers."""
    database = make_database(tmp_path)
    made = Queue(database, add_owner(database, "Alice")[0].id)
    add_owner(database, "Bob")
    yield made
    database.close()


@pytest.fixture
def databases(queue: Queue) -> Iterator[list[Database]]:
    """The same database as four processes have it."""
    others = [open_database(queue.database.url, checkpoints=False) for _ in range(3)]
    yield [queue.database, *others]
    for each in others:
        each.close()


def test_settings_are_changed_one_after_the_other(queue: Queue, databases: list[Database]) -> None:
    """Each change sees the one before: no version of the password is given twice, and no revision is lost."""
    report_id = queue.add().report_id
    before = queue.report(report_id)

    def change(tx: Transaction, number: int) -> None:
        hold_account(tx, queue.account_id)
        report = load_report(tx, queue.account_id, report_id)
        assert report is not None
        save_settings(
            tx, report, privacy=Privacy.PRIVATE, password_hash=f"hash {number}",
            password_version=report.password_version + 1, now_ms=NOW_MS + number,
        )  # fmt: skip

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: databases[n % 4].write_here(lambda tx: change(tx, n)), range(60)))
    after = queue.report(report_id)

    assert after.password_version == 60
    assert after.revision == before.revision + 60


def test_counts_stay_right_whatever_happens_at_once(queue: Queue, databases: list[Database]) -> None:
    """Reports of two accounts and three projects that are made, claimed, finished and deleted by all at once."""

    def live(number: int) -> None:
        database, chance = databases[number % 4], random.Random(number)  # noqa: S311 - any life will do
        account_id = 1 + number % 2
        mine: list[int] = []

        def create(tx: Transaction) -> int:
            return add_queued(tx, account_id, f"https://p{chance.randrange(3)}.example/{chance.random()}", target="")[
                0
            ].id

        def claim_one(tx: Transaction) -> None:
            for run in claim_runs(
                tx, worker=f"w{number}", count=1, now_ms=NOW_MS, lease_ms=LEASE_MS, target_runs=LOTS,
                target_runs_per_minute=LOTS,
            ):  # fmt: skip
                finish_run(tx, run, completed(chance.choice([12, 55, 93])), NOW_MS)

        def delete(tx: Transaction, report_id: int) -> None:
            hold_account(tx, account_id)
            delete_report(tx, account_id, report_id)

        for _ in range(15):
            mine.append(database.write_here(create))
            database.write_here(claim_one)
            if chance.random() < 0.4:
                gone = mine.pop(chance.randrange(len(mine)))
                database.write_here(partial(delete, report_id=gone))

    with ThreadPoolExecutor(8) as threads:
        for each in [threads.submit(live, number) for number in range(8)]:
            each.result(PATIENCE_S)
    kept = [queue.database.read_here(partial(load_counts, account_id=number)) for number in (1, 2)]
    totals = queue.rows("SELECT account_id, COUNT(*) FROM reports GROUP BY account_id ORDER BY account_id")

    assert [(number, sum(counts.values())) for number, counts in enumerate(kept, 1)] == totals
    assert all(queue.database.write_here(partial(recount, account_id=number)) for number in (1, 2))
    assert queue.rows("SELECT COUNT(*) FROM visits WHERE ended_at_ms IS NULL") == [(0,)]


def test_two_who_ask_for_the_same_page_start_one_analysis(queue: Queue, databases: list[Database]) -> None:
    """The second follows the first, in every process."""
    start = threading.Barrier(8)

    def ask(number: int) -> None:
        start.wait(PATIENCE_S)
        databases[number % 4].write_here(lambda tx: add_queued(tx, queue.account_id, "https://example.com/x"))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(ask, range(8)))
    claimed = queue.claim(20)
    changed = queue.finish(claimed[0])

    assert len(claimed) == 1
    assert len(changed) == 8
    assert queue.rows("SELECT state, COUNT(*) FROM reports GROUP BY state") == [("completed", 8)]
    assert queue.rows("SELECT analyses_total FROM accounts WHERE id = 1") == [(8,)]


def test_everything_is_on_the_pages_while_others_write(queue: Queue, databases: list[Database]) -> None:
    """By number, from the oldest: what was there all the time is seen once, whatever is added and deleted meanwhile."""
    old = [queue.add(f"https://example.com/{number}", target="").report_id for number in range(60)]
    kept = old[:50]
    over = threading.Event()

    def delete(tx: Transaction, report_id: int) -> None:
        hold_account(tx, queue.account_id)
        delete_report(tx, queue.account_id, report_id)

    def change() -> None:
        number = 0
        while not over.is_set():
            number += 1
            url = f"https://new.example/{number}"
            databases[1].write_here(partial(add_queued, account_id=queue.account_id, url=url, target=""))
            if number <= 10:
                databases[2].write_here(partial(delete, report_id=old[49 + number]))

    def walk(sort_by: SortBy) -> list[int]:
        seen: list[int] = []
        page = 1
        while True:
            query = ListQuery(account_id=queue.account_id, sort_by=sort_by, descending=False, page=page, per_page=7)
            found, _ = databases[3].read_here(partial(list_reports, query=query))
            seen += [report.id for report in found]
            page += 1
            if not found or page > 40:
                return seen

    changing = threading.Thread(target=change)
    changing.start()
    try:
        walks = [walk("id") for _ in range(5)]
    finally:
        over.set()
        changing.join(PATIENCE_S)

    for seen in walks:
        assert {number: count for number, count in Counter(seen).items() if number in kept} == dict.fromkeys(kept, 1)
        assert seen == sorted(seen)


WORKER = """
import json, sys
from pagegrade.store.queue.claim import claim_runs
from pagegrade.store.repositories.installation import load_or_make_secret
from pagegrade.store.engine.factory import open_database
from pagegrade.store.queue.procrastinate_queue import has_jobs
from pagegrade.store.queue.runs import finish_run
from tests.queue_builders import LEASE_MS, LOTS, add_queued, completed
from tests.store_builders import NOW_MS

name = sys.argv[2]
database = open_database(sys.argv[1], checkpoints=False)
secret = database.write_here(lambda tx: load_or_make_secret(tx, "cookies")).hex()
mine = []
for number in range(20):
    url = f"https://example.com/{name}/{number}"
    database.write_here(lambda tx: add_queued(tx, 1 + number % 2, url, target=""))
while True:
    runs = database.write_here(
        lambda tx: claim_runs(tx, worker=name, count=3, now_ms=NOW_MS, lease_ms=LEASE_MS, target_runs=LOTS,
                              target_runs_per_minute=LOTS)
    )
    for run in runs:
        assert database.write_here(lambda tx: finish_run(tx, run, completed(), NOW_MS))
    mine += [(run.id, run.attempt) for run in runs]
    if not runs and not (database.shared and database.read_here(has_jobs)):
        break
database.close()
print(json.dumps([secret, mine]))
"""


def test_processes_share_a_queue(queue: Queue) -> None:
    """Four at once ask, claim and finish: every run has one winner, and they all have the same secrets."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, queue.database.url, f"w{number}"], stdout=subprocess.PIPE, text=True
        )
        for number in range(4)
    ]
    said = [json.loads(each.communicate(timeout=PATIENCE_S)[0]) for each in started]
    claimed = [tuple(run) for _, runs in said for run in runs]
    secret = queue.database.write_here(lambda tx: load_or_make_secret(tx, "cookies"))

    assert {each.returncode for each in started} == {0}
    assert {mine for mine, _ in said} == {secret.hex()}
    assert len(claimed) == len(set(claimed)) == 80
    assert queue.rows("SELECT state, attempt, COUNT(*) FROM runs GROUP BY 1, 2") == [("completed", 1, 80)]
    assert queue.rows("SELECT SUM(analyses_total) FROM accounts") == [(80,)]
