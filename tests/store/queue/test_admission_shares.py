"""Shares of accounts: jobs for a few runs of each, a line for the others, and one job that spare slots take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from devtools import bench_fill
from devtools.bench_fill import BUSY_SITE, fill_queue
from pagegrade.model.stored import ClaimedRun, Priority
from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.locks import hold_account
from pagegrade.store.queue import admission
from pagegrade.store.queue.admission import AT_ACCOUNT, MAX_ACCOUNTS, SHARE, SUSPECT, move_due
from pagegrade.store.queue.runs import release_run, set_patient
from pagegrade.store.repositories.reports import delete_report
from tests.queue_builders import LOTS, Queue
from tests.store.queue.test_procrastinate_queue import held_elsewhere, jobs, take
from tests.store_builders import NOW_MS, add_owner, make_database

only_shared = pytest.mark.backend("postgresql", reason="a single process chooses among the rows")
Steps = list[tuple[str, int, int]]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                *["add", "add", "add", "import", "draw", "take", "spare", "end", "put back", "delete", "look"],
                *["give up", "go on"],
            ]
        ),
        st.integers(0, 2),
        st.integers(0, 30),
    ),
    min_size=5,
    max_size=25,
)


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """Alice's queue in a fresh database."""
    database = make_database(tmp_path)
    yield Queue(database, add_owner(database, "Alice")[0].id)
    database.close()


def add(queue: Queue, many: int, *, name: str = "a", **new_reports: Any) -> list[int]:
    """New runs, each at a site without limits; their ids."""
    runs = [queue.add(f"https://{name}{n}.example/", target="", **new_reports) for n in range(many)]
    return [run.id for run in runs]


def move(queue: Queue) -> int:
    """Move the lines, as some process does once a second."""
    if not queue.database.shared:
        return 0
    return queue.write(lambda tx: move_due(tx, NOW_MS, target_runs=LOTS, target_runs_per_minute=LOTS))


def remove(queue: Queue, report_id: int, account_id: int) -> None:
    """Delete a report."""
    queue.database.write_here(partial(delete_report, account_id=account_id, report_id=report_id))


def by_queue(queue: Queue) -> dict[str, list[int]]:
    """The runs that have jobs, by the names of their queues."""
    found: dict[str, list[int]] = {}
    for name, _, run in jobs(queue):
        found.setdefault(name, []).append(run)
    return found


def rows_read(queue: Queue, statement: Prepared, **values: Any) -> int:
    """The most rows that a step of the plan of a statement reads, those it passes over included."""
    explained = text(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement.statement.text}")

    def explain(tx: Transaction) -> int:
        ((plan,),) = tx.execute(explained, values).all()
        return max(_rows_of(plan[0]["Plan"]))

    return queue.write(explain)


def _rows_of(step: dict[str, Any]) -> Iterator[int]:
    passed = sum(value for name, value in step.items() if name.startswith("Rows Removed by"))
    yield int((step["Actual Rows"] + passed) * step["Actual Loops"])
    for part in step.get("Plans", ()):
        yield from _rows_of(part)


def reads_of_lines(queue: Queue, lines: str) -> list[int]:
    """The most rows that each statement about a line reads."""
    of_kind = {"account_id": queue.account_id, "priority": int(Priority.INTERACTIVE)}
    if lines == "accounts":
        return [
            rows_read(queue, admission._ADMIT, **of_kind, device="none"),
            rows_read(queue, admission._SHORT),
            rows_read(queue, admission._LAST_TURN, **of_kind),
        ]
    first = {"target": BUSY_SITE, "device": "none", "priority": of_kind["priority"], "turn": 1}
    return [rows_read(queue, admission._FIRST_IN_LINE, target=BUSY_SITE), rows_read(queue, admission._AHEAD, **first)]


@only_shared
@pytest.mark.parametrize("lines", ["accounts", "targets"])
def test_a_line_is_read_from_its_beginning(queue: Queue, lines: str) -> None:
    """Each creation and start of a run looks at it, however long it is."""
    fill_queue(queue.database, [queue.account_id], 3_000, now_ms=NOW_MS, in_line=lines == "targets")

    assert max(reads_of_lines(queue, lines)) < 100


@only_shared
@pytest.mark.parametrize("lines", ["accounts", "targets"])
def test_a_line_that_the_planner_does_not_know_yet_is_read_once(
    queue: Queue, lines: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import fills it within seconds, and statistics follow about a minute later."""
    fill_queue(queue.database, [queue.account_id], 30, now_ms=NOW_MS)
    queue.change("UPDATE runs SET state = 'completed', offered = 0, share = 0")
    queue.change("DELETE FROM procrastinate_jobs")
    bench_fill.refresh(queue.database)
    monkeypatch.setattr(bench_fill, "refresh", lambda _: None)
    fill_queue(queue.database, [queue.account_id], 3_000, now_ms=NOW_MS, in_line=lines == "targets")

    assert max(reads_of_lines(queue, lines)) <= 3_100


@only_shared
def test_an_account_has_jobs_for_its_share_only(queue: Queue) -> None:
    """One that is its first, and those that several workers can fetch at the same time; the others wait."""
    runs = add(queue, 30)

    assert by_queue(queue) == {"runs": runs[:1], "further": runs[1 : 1 + SHARE]}
    assert queue.rows("SELECT COUNT(*) FROM runs WHERE share = :line", line=AT_ACCOUNT) == [(29 - SHARE,)]


@only_shared
def test_every_start_moves_the_line_in_its_order(queue: Queue) -> None:
    """However many are claimed at once, none is passed over and none is left."""
    runs = add(queue, 30)
    order = [run.id for many in (1, 12, 40) for run in take(queue, many)]

    assert order == runs
    assert jobs(queue) == []


@only_shared
def test_an_import_keeps_no_urgent_run_and_none_for_a_browser_in_line(queue: Queue) -> None:
    """Each urgency and each device has a share of its own."""
    add(queue, 30, priority=Priority.BULK)
    urgent = add(queue, 1, name="urgent")
    drawn = add(queue, 1, name="drawn", priority=Priority.BULK, device="mobile")

    assert urgent[0] in by_queue(queue)["further"]
    assert by_queue(queue)["runs-rendered"] == drawn


@only_shared
def test_a_run_that_becomes_urgent_leaves_the_line_of_the_import(queue: Queue) -> None:
    """Somebody asks for a page that waits behind hundreds."""
    last = [queue.add(f"https://a{n}.example/", target="", priority=Priority.BULK) for n in range(30)][-1]
    queue.again(last.report_id, priority=Priority.INTERACTIVE)

    assert take(queue)[0].id == last.id


@only_shared
def test_the_next_job_is_the_first_as_soon_as_nothing_is_under_way(queue: Queue) -> None:
    """Spare slots take it then, and no sooner."""
    runs = add(queue, 4)
    (running,) = take(queue)
    while_it_runs = (by_queue(queue), queue.claim(5, idle_accounts=True))
    queue.finish(running)
    afterwards = by_queue(queue)
    (spare,) = queue.claim(5, idle_accounts=True)

    assert while_it_runs == ({"further": runs[1:]}, ())
    assert afterwards == {"runs": runs[1:2], "further": runs[2:]}
    assert spare.id == runs[1]


@only_shared
def test_a_first_job_is_no_longer_one_when_another_run_has_started(queue: Queue) -> None:
    """A more urgent one went before it; a spare slot puts it behind, and it is done all the same."""
    (imported,) = add(queue, 1, priority=Priority.BULK)
    (urgent,) = add(queue, 1, name="urgent")
    (running,) = take(queue)
    spare = queue.claim(5, idle_accounts=True)

    assert (running.id, spare) == (urgent, ())
    assert by_queue(queue) == {"further": [imported]}
    queue.finish(running)

    assert [run.id for run in queue.claim(5, idle_accounts=True)] == [imported]


@only_shared
def test_a_line_goes_on_without_jobs_that_were_deleted(queue: Queue) -> None:
    """Their reports are gone, and so is the first one; within a second others take their places."""
    made = [queue.add(f"https://a{n}.example/", target="") for n in range(30)]
    for run in made[: SHARE + 1]:
        remove(queue, run.report_id, queue.account_id)
    move(queue)
    waiting = {run for _, _, run in jobs(queue)}

    assert {run.id for run in made[SHARE + 1 : 2 * SHARE + 1]} <= waiting
    assert [run.id for run in queue.claim(5, idle_accounts=True)] == [made[SHARE + 1].id]


@only_shared
def test_a_worker_of_the_version_before_keeps_no_line_waiting(queue: Queue) -> None:
    """It starts runs and leaves the line as it is."""
    runs = add(queue, 30)
    queue.change("DELETE FROM procrastinate_jobs")
    queue.change("UPDATE runs SET offered = 0, state = 'running' WHERE id <= :last", last=runs[SHARE])
    move(queue)

    assert by_queue(queue) == {"runs": runs[SHARE + 1 : SHARE + 2], "further": runs[SHARE + 2 : 2 * SHARE + 1]}


@only_shared
def test_the_version_before_finds_what_it_would_not_fetch(queue: Queue) -> None:
    """Once a minute it offers runs without its kind of job; this version beside it starts each of them once."""
    runs = add(queue, 30)
    queue.change(
        "INSERT INTO procrastinate_jobs (queue_name, task_name, priority, queueing_lock, args) "
        "SELECT 'runs', 'run', 2000000000 - turn, 'run-' || id, "
        "jsonb_build_object('run_id', id, 'account_id', account_id) FROM runs WHERE state = 'queued' AND offered = 1 "
        "AND NOT EXISTS (SELECT 1 FROM procrastinate_jobs WHERE queueing_lock = 'run-' || runs.id AND status = 'todo')"
    )
    found = by_queue(queue)["runs"]
    order = []
    for _ in runs:
        move(queue)
        order += [run.id for run in (*take(queue, 2), *queue.claim(2, idle_accounts=True))]

    assert sorted(found) == runs
    assert sorted(order) == runs
    assert jobs(queue) == []


@only_shared
def test_runs_queued_by_the_version_before_take_no_more_spare_slots(queue: Queue) -> None:
    """All their jobs are like first ones; one is started, and the others become further ones."""
    add(queue, 30)
    queue.change("DELETE FROM procrastinate_jobs")
    queue.change("UPDATE runs SET share = 0, offered = 0, available_at_ms = 0")
    move(queue)
    queue.change("UPDATE procrastinate_jobs SET queue_name = 'runs', queueing_lock = 'run-' || (args ->> 'run_id')")
    queue.change("UPDATE runs SET share = 0 WHERE share IN (1, 3)")
    (spare,) = queue.claim(5, idle_accounts=True)
    while_it_runs = queue.claim(5, idle_accounts=True)

    assert while_it_runs == ()
    assert "runs" not in by_queue(queue)
    assert spare.id not in {run.id for run in take(queue, 40)}
    assert queue.rows("SELECT COUNT(*) FROM runs WHERE state = 'running'") == [(30,)]


@only_shared
def test_the_last_attempt_waits_for_no_share(queue: Queue) -> None:
    """Workers that know of it start nothing beside it."""
    add(queue, 1 + SHARE)
    suspect = queue.add("https://suspect.example/", target="")
    queue.change("UPDATE runs SET attempt = :most, offered = 0 WHERE id = :id", most=SUSPECT, id=suspect.id)
    move(queue)

    assert by_queue(queue)["suspects"] == [suspect.id]


@only_shared
def test_a_run_that_follows_another_one_gets_no_job(queue: Queue) -> None:
    """It takes over the outcome of that one, and those behind it go on."""
    runs = add(queue, 30)
    queue.change("UPDATE runs SET leader_id = :leader WHERE id = :id", leader=runs[0], id=runs[SHARE + 1])
    take(queue, 2)

    assert [run for _, _, run in jobs(queue)] == [*runs[2 : SHARE + 1], *runs[SHARE + 2 : SHARE + 4]]


@only_shared
def test_an_account_that_is_held_is_moved_later(queue: Queue) -> None:
    """Others write for it, and so many accounts move at once."""
    runs = add(queue, 3)
    queue.change("DELETE FROM procrastinate_jobs")
    queue.change("UPDATE runs SET share = :line", line=AT_ACCOUNT)
    with held_elsewhere(queue.database, lambda tx: hold_account(tx, queue.account_id)):
        held = move(queue)

    assert (held, move(queue)) == (0, 3)
    assert by_queue(queue) == {"runs": runs[:1], "further": runs[1:]}


@only_shared
def test_many_accounts_move_in_pieces(queue: Queue) -> None:
    """One more than fits into a transaction waits a second longer."""
    for number in range(MAX_ACCOUNTS + 1):
        add(queue, 1, account_id=add_owner(queue.database, f"Owner{number}")[0].id)
    queue.change("DELETE FROM procrastinate_jobs")
    queue.change("UPDATE runs SET share = :line", line=AT_ACCOUNT)

    assert [move(queue) for _ in range(3)] == [MAX_ACCOUNTS, 1, 0]


class World:
    """Three accounts, what waits and what runs, as it must be."""

    def __init__(self, queue: Queue) -> None:
        self.queue = queue
        self.accounts = [add_owner(queue.database, "Owner")[0].id for _ in range(3)]
        self.waiting: dict[int, tuple[int, int]] = {}
        self.running: dict[int, ClaimedRun] = {}
        self.patient: set[int] = set()
        self.ended: Counter[int] = Counter()
        self.numbers = count()

    def add(self, account: int, *, many: int = 1, **how: Any) -> None:
        """New runs of an account."""
        for _ in range(many):
            owner = self.accounts[account]
            run = self.queue.add(f"https://s{next(self.numbers)}.example/", target="", account_id=owner, **how)
            self.waiting[run.id] = run.report_id, owner

    def start(self, runs: tuple[ClaimedRun, ...]) -> None:
        """Each of them waited."""
        for run in runs:
            assert self.waiting.pop(run.id) == (run.report_id, run.account_id)
            self.running[run.id] = run

    def take_spare(self) -> None:
        """Exactly one run of each account that waits and has nothing under way."""
        busy = {run.account_id for run in self.running.values() if run.id not in self.patient}
        light = {account_id for _, account_id in self.waiting.values()} - busy
        taken = self.queue.claim(10, idle_accounts=True)

        assert Counter(run.account_id for run in taken) == dict.fromkeys(light, 1)
        self.start(taken)

    def delete(self, number: int) -> None:
        """Delete the report of some run that waits."""
        if self.waiting:
            remove(self.queue, *self.waiting.pop(sorted(self.waiting)[number % len(self.waiting)]))

    def end(self, number: int) -> None:
        """Some run ends."""
        if self.running:
            run = self.running.pop(sorted(self.running)[number % len(self.running)])
            self.ended[run.id] += len(self.queue.finish(run))

    def put_back(self, number: int) -> None:
        """Some run is given back."""
        if self.running:
            run = self.running.pop(sorted(self.running)[number % len(self.running)])
            self.patient.discard(run.id)
            self.queue.write(partial(release_run, run=run, now_ms=NOW_MS))
            self.waiting[run.id] = run.report_id, run.account_id

    def give_up(self, number: int) -> None:
        """Some run gives up its slot, because it waits for its site."""
        if self.running:
            run = self.running[sorted(self.running)[number % len(self.running)]]
            self.queue.write(partial(set_patient, patient=[run], others=[]))
            self.patient.add(run.id)

    def go_on(self) -> None:
        """All that gave up their slots have them again, those that have ended meanwhile aside."""
        runs = [run for run in self.running.values() if run.id in self.patient]
        self.queue.write(partial(set_patient, patient=[], others=runs))
        self.patient.clear()

    def do(self, what: str, account: int, number: int) -> None:
        """One step."""
        steps: dict[str, Callable[[], object]] = {
            "add": lambda: self.add(account),
            "import": lambda: self.add(account, many=number, priority=Priority.BULK),
            "draw": lambda: self.add(account, device="mobile"),
            "take": lambda: self.start(self.queue.claim(1 + number % 5)),
            "spare": self.take_spare,
            "look": lambda: move(self.queue),
            "delete": lambda: self.delete(number),
            "end": lambda: self.end(number),
            "put back": lambda: self.put_back(number),
            "give up": lambda: self.give_up(number),
            "go on": self.go_on,
        }
        steps[what]()

    def finish_all(self) -> None:
        """Until nothing waits: no claim is in vain."""
        while self.waiting or self.running:
            while self.running:
                self.end(0)
            before = len(self.waiting)
            self.start(self.queue.claim(20))

            assert len(self.waiting) < before or not before


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
@example(steps=[("import", 0, 30), ("take", 0, 4), ("add", 1, 0), ("delete", 0, 0), ("end", 0, 0)])
@example(steps=[("import", 0, 30), ("add", 0, 0), ("spare", 0, 9), ("put back", 0, 0), ("take", 0, 3), ("spare", 0, 9)])
@example(steps=[("import", 0, 30), ("take", 0, 0), ("give up", 0, 0), ("spare", 0, 0), ("go on", 0, 0)])
@example(steps=[("import", 0, 30), ("take", 0, 2), ("give up", 0, 0), ("give up", 0, 1), ("spare", 0, 0)])
def test_whatever_happens_a_light_account_starts_and_nothing_is_left(queue: Queue, steps: Steps) -> None:
    """In any order of events a spare slot goes to whoever has nothing under way, and to no other."""
    world = World(queue)
    for step in steps:
        world.do(*step)
        of_each = queue.rows(
            "SELECT COUNT(*) FROM runs WHERE state = 'queued' AND offered = 1 AND share IN (1, 3) "
            "GROUP BY account_id, priority, device"
        )

        assert all(jobs_of_it <= SHARE + 2 for (jobs_of_it,) in of_each)
    world.take_spare()
    world.finish_all()

    assert set(world.ended.values()) <= {1}
    if queue.database.shared:
        # Jobs of deleted reports start nothing.
        assert queue.claim(LOTS) == ()
        assert jobs(queue) == []
