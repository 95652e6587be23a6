from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.model.account import DEFAULT_PLAN, Account, Caller
from pagegrade.model.errors import InvalidInput
from pagegrade.model.monitors import MAX_JITTER, MAX_SCHEDULE, MIN_INTERVAL_MS, Monitor
from pagegrade.service.audits.operations import OPEN_CRAWLS
from pagegrade.service.monitors.due_runs import (
    NAMES,
    PUT_OFF_MS,
    DueOutcome,
    check_schedule,
    find_due,
    find_too_far,
    next_due_ms,
    queue_due,
)
from pagegrade.service.monitors.operations import MonitorChange, create_monitor, update_monitor
from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.accounts import disable_account
from pagegrade.store.repositories.audits import delete_audit, load_audit
from pagegrade.store.repositories.installation import trust_clock
from pagegrade.store.repositories.monitors import load_monitor, save_monitor
from tests.audit_builders import OPTIONS as AUDIT_OPTIONS
from tests.audit_builders import claim, fill, make_audit
from tests.database_clock import show
from tests.queue_builders import Queue
from tests.store_builders import BACKENDS, NOW_MS, Backend, add_owner, make_database, on

ZONES = ("Europe/Prague", "America/New_York", "Australia/Lord_Howe")
"""Lord Howe Island moves its clocks by half an hour."""


def ms(text: str) -> int:
    """Milliseconds since 1970 of a moment."""
    return int(datetime.fromisoformat(text).timestamp() * 1000)


def due_times(schedule: str, zone: str, start: str, end: str) -> list[str]:
    """Due times between two moments, as the clocks of the zone show them."""
    found: list[str] = []
    at, last = ms(start), None
    while True:
        at = last = next_due_ms(check_schedule(schedule), zone, 0, after_ms=at, last_due_at_ms=last)
        if at > ms(end):
            return found
        local = datetime.fromtimestamp(at / 1000, ZoneInfo(zone))
        found.append(local.strftime("%d %H:%M %Z"))


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        *((name, name) for name in NAMES),
        (" Daily ", "daily"),
        ("*/10 * * * *", "*/10 * * * *"),
        ("30  6 * * MON-FRI", "30 6 * * mon-fri"),
        ("0 0 29 2 *", "0 0 29 2 *"),
        ("0,50 23 * * *", "0,50 23 * * *"),
        ("0 12 L * *", "0 12 l * *"),
    ],
)
def test_schedules_have_one_form(text: str, canonical: str) -> None:
    """It is read as the same schedule."""
    assert check_schedule(text) == canonical
    assert check_schedule(canonical) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yearly",
        "@daily",
        "* * * * *",
        "*/9 * * * *",
        "0,55 * * * *",
        "0,5 3 * * *",
        "0 * * * * *",
        "0 0 30 2 *",
        "61 * * * *",
        "0 24 * * *",
        "a b c d e",
        "0 0 * *",
        f"{'0,' * MAX_SCHEDULE}0 0 * * *",
    ],
)
def test_what_is_no_schedule_is_refused(text: str) -> None:
    """So is what is never due, or more often than every ten minutes."""
    with pytest.raises(InvalidInput):
        check_schedule(text)


@given(st.text(alphabet="0123456789*/,-#L WMONJAN", max_size=MAX_SCHEDULE))
def test_any_text_is_a_schedule_or_refused(text: str) -> None:
    """And a schedule has a next time, ten minutes apart at least."""
    try:
        schedule = check_schedule(text)
    except InvalidInput:
        return
    first = next_due_ms(schedule, "UTC", 0, after_ms=ms("2026-01-01T00:00Z"))
    second = next_due_ms(schedule, "UTC", 0, after_ms=first, last_due_at_ms=first)

    assert second - first >= MIN_INTERVAL_MS


def test_a_time_that_is_skipped_is_due_after_the_gap() -> None:
    """Once, as of Debian's cron; in three zones."""
    assert due_times("30 2 * * *", ZONES[0], "2026-03-28T00:00Z", "2026-03-30T12:00Z") == [
        *("28 02:30 CET", "29 03:00 CEST", "30 02:30 CEST"),
    ]
    assert due_times("30 2 * * *", ZONES[1], "2026-03-07T06:00Z", "2026-03-09T12:00Z") == [
        *("07 02:30 EST", "08 03:00 EDT", "09 02:30 EDT"),
    ]
    assert due_times("15 2 * * *", ZONES[2], "2026-10-02T20:00+11:00", "2026-10-05T12:00+11:00") == [
        *("03 02:15 +1030", "04 02:30 +11", "05 02:15 +11"),
    ]


def test_a_time_that_comes_twice_is_due_once() -> None:
    """The first time; also when the second one is asked for in between."""
    assert due_times("30 2 * * *", ZONES[0], "2026-10-24T00:00Z", "2026-10-26T12:00Z") == [
        *("24 02:30 CEST", "25 02:30 CEST", "26 02:30 CET"),
    ]
    assert due_times("30 1 * * *", ZONES[1], "2026-10-31T05:00Z", "2026-11-02T12:00Z") == [
        *("31 01:30 EDT", "01 01:30 EDT", "02 01:30 EST"),
    ]
    assert due_times("45 1 * * *", ZONES[2], "2026-04-04T00:00+11:00", "2026-04-06T12:00+10:30") == [
        *("04 01:45 +11", "05 01:45 +11", "06 01:45 +1030"),
    ]
    between = next_due_ms("30 2 * * *", ZONES[0], 0, after_ms=ms("2026-10-25T02:15+01:00"))

    assert between == ms("2026-10-26T02:30+01:00")


@pytest.mark.parametrize("zone", ZONES)
def test_schedules_of_every_hour_follow_real_time(zone: str) -> None:
    """On days of any length."""
    for start in ("2026-03-07T00:00Z", "2026-04-04T00:00Z", "2026-10-03T00:00Z", "2026-10-24T00:00Z"):
        at = first = ms(start)
        times = []
        while at < first + 10 * 86_400_000:
            at = next_due_ms("hourly", zone, 0, after_ms=at)
            times.append(at)
        # Where clocks move by half an hour, the minute 0 comes after 30 or 90 minutes.
        assert {after - before for before, after in pairwise(times)} <= {3_600_000, 1_800_000, 5_400_000}
        assert len(times) in {240, 241}


@given(
    schedule=st.sampled_from([*NAMES, "*/10 * * * *", "0 0 * * *", "30 2 * * 1-5", "30 1 * * *"]),
    zone=st.sampled_from(["UTC", *ZONES]),
    jitter=st.integers(0, MAX_JITTER - 1),
    start=st.integers(ms("2026-01-01T00:00Z"), ms("2027-01-01T00:00Z")),
)
def test_due_times_grow(schedule: str, zone: str, jitter: int, start: int) -> None:
    """By ten minutes at least, and what comes after a moment does not depend on how one got there."""
    first = next_due_ms(schedule, zone, jitter, after_ms=start)
    second = next_due_ms(schedule, zone, jitter, after_ms=first, last_due_at_ms=first)

    assert start < first
    assert second - first >= MIN_INTERVAL_MS
    assert next_due_ms(schedule, zone, jitter, after_ms=first - 1) == first


@pytest.mark.parametrize(("schedule", "period"), [("hourly", 60), ("daily", 24 * 60), ("weekly", 7 * 24 * 60)])
def test_monitors_are_spread_over_the_period(schedule: str, period: int) -> None:
    """No minute has many more of them than the others."""
    random = Random(1)  # noqa: S311 - no secret
    count = 3_000
    start = datetime(2026, 1, 5, tzinfo=UTC)
    minutes = Counter(
        (next_due_ms(schedule, "UTC", random.randrange(MAX_JITTER), after_ms=ms(start.isoformat())) // 60_000)
        for _ in range(count)
    )

    assert max(minutes.values()) < count / period + 6 * (count / period) ** 0.5 + 6
    assert max(minutes) - min(minutes) > 0.9 * period


def test_a_cron_expression_at_midnight_is_spread_over_ten_minutes() -> None:
    """And stays the same for each monitor."""
    random = Random(1)  # noqa: S311 - no secret
    midnight = ms("2026-01-06T00:00Z")
    jitters = [random.randrange(MAX_JITTER) for _ in range(1_000)]
    times = [next_due_ms("0 0 * * *", "UTC", jitter, after_ms=midnight - 1) - midnight for jitter in jitters]
    next_day = midnight + int(timedelta(days=1) / timedelta(milliseconds=1))
    again = [next_due_ms("0 0 * * *", "UTC", jitter, after_ms=next_day - 1) - next_day for jitter in jitters]

    assert min(times) >= 0
    assert max(times) < MIN_INTERVAL_MS
    assert len({time // 60_000 for time in times}) == 10
    assert times == again


OPTIONS = ServiceOptions()
AUDITS = AUDIT_OPTIONS
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


@pytest.fixture(params=BACKENDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database of each kind."""
    kind: Backend = request.param
    with on(kind):
        made = make_database(tmp_path)
    yield made
    made.close()


class Schedule:
    """An account with a report, at a clock that a test sets."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.alice: Account = add_owner(database, "Alice")[0]
        self.queue = Queue(database, self.alice.id)
        self.report_id = self.queue.add("https://example.com/").report_id
        self.end_runs(NOW_MS)

    def create(self, schedule: str = "hourly", report_id: int | None = None) -> Monitor:
        """A monitor of a report."""
        return self.database.write_here(
            lambda tx: create_monitor(
                tx,
                Caller(account=self.alice),
                MonitorChange(schedule=schedule),
                OPTIONS,
                NOW_MS,
                report_id=self.report_id if report_id is None else report_id,
            )
        )

    def monitor(self) -> Monitor:
        """The monitor as it is now."""
        found = self.database.read_here(lambda tx: load_monitor(tx, self.alice.id, 1))
        if found is None:
            raise AssertionError("the monitor is not there")
        return found

    def due(self, now_ms: int) -> tuple[Monitor, ...]:
        """The monitors that are due."""
        show(self.database, now_ms)
        return self.database.read_here(lambda tx: find_due(tx, now_ms))

    def look(self, now_ms: int, options: ServiceOptions = OPTIONS) -> list[DueOutcome]:
        """Queue what is due, as a process does every few seconds; the outcome of each monitor."""
        return [
            self.queue.write(lambda tx, one=monitor: queue_due(tx, one, options, now_ms), now_ms=now_ms).outcome  # type: ignore[misc]
            for monitor in self.due(now_ms)
        ]

    def end_runs(self, now_ms: int) -> int:
        """Bring every run to its end; how many there were."""
        claimed = self.queue.claim(100, now_ms=now_ms)
        for run in claimed:
            self.queue.finish(run, now_ms=now_ms)
        return len(claimed)

    def runs(self) -> int:
        """Runs of the report, the first one of its creation left out."""
        return int(self.queue.rows("SELECT COUNT(*) FROM runs")[0][0]) - 1


@pytest.fixture
def schedule(database: Database) -> Schedule:
    """One report, analyzed once."""
    return Schedule(database)


def test_a_due_time_is_one_run(schedule: Schedule) -> None:
    """Not before it, and not again after it; the next one comes with the schedule."""
    due_ms = schedule.create().due_at_ms

    assert schedule.look(due_ms - 1) == []
    assert schedule.look(due_ms) == ["queued"]
    assert schedule.look(due_ms + 5_000) == []
    monitor = schedule.monitor()

    assert (monitor.last_run_at_ms, monitor.last_due_at_ms, monitor.due_at_ms) == (due_ms, due_ms, due_ms + HOUR_MS)
    assert schedule.runs() == 1


def test_several_processes_queue_one_run(schedule: Schedule) -> None:
    """All of them have seen the same due time, and each tries to take it at the same moment."""
    due_ms = schedule.create().due_at_ms
    (monitor,) = schedule.due(due_ms)
    outcomes: list[DueOutcome] = []
    start = threading.Barrier(4)

    def take() -> None:
        start.wait()
        done = schedule.database.submit(lambda tx: queue_due(tx, monitor, OPTIONS, due_ms)).result()
        outcomes.append(done.outcome)

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == ["queued", "taken", "taken", "taken"]
    assert schedule.runs() == 1


def test_a_process_that_dies_before_the_commit_has_done_nothing(schedule: Schedule) -> None:
    """The next one queues the run."""
    due_ms = schedule.create().due_at_ms
    (monitor,) = schedule.due(due_ms)

    def die(tx: object) -> None:
        queue_due(tx, monitor, OPTIONS, due_ms)  # type: ignore[arg-type]
        raise RuntimeError("the process ends here")

    with pytest.raises(RuntimeError, match="ends here"):
        schedule.queue.write(die, now_ms=due_ms)

    assert schedule.runs() == 0
    assert schedule.look(due_ms + 5_000) == ["queued"]
    assert schedule.runs() == 1


def test_a_due_time_is_skipped_while_a_run_is_unfinished(schedule: Schedule) -> None:
    """The schedule goes on; the next due time is a change that clients can see."""
    due_ms = schedule.create().due_at_ms
    schedule.queue.again(schedule.report_id, now_ms=due_ms - 1)

    assert schedule.look(due_ms) == ["skipped"]
    assert (schedule.runs(), schedule.monitor().last_run_at_ms) == (1, None)
    assert schedule.monitor().updated_at_ms >= due_ms
    schedule.end_runs(due_ms + 1)

    assert schedule.look(due_ms + HOUR_MS) == ["queued"]
    assert schedule.runs() == 2


def test_what_was_missed_is_run_once(schedule: Schedule) -> None:
    """After no process has worked for two days."""
    due_ms = schedule.create().due_at_ms
    late_ms = due_ms + 2 * DAY_MS + 1_234

    assert schedule.look(late_ms) == ["queued"]
    schedule.end_runs(late_ms)

    assert schedule.look(late_ms + 60_000) == []
    assert schedule.monitor().due_at_ms == due_ms + 2 * DAY_MS + HOUR_MS
    assert schedule.runs() == 1


@pytest.mark.parametrize(("pause_ms", "outcomes"), [(1, []), (2 * DAY_MS, ["queued"])])
def test_a_monitor_that_goes_on_after_a_pause_makes_up_for_it_once(
    schedule: Schedule, pause_ms: int, outcomes: list[str]
) -> None:
    """If a due time has passed."""
    created = schedule.create()
    caller = Caller(account=schedule.alice)

    def pause(*, paused: bool, now_ms: int) -> Monitor:
        change = MonitorChange(paused=paused)
        return schedule.queue.write(lambda tx: update_monitor(tx, caller, created.id, change, now_ms), now_ms=now_ms)

    assert pause(paused=True, now_ms=created.due_at_ms - 10).next_run_at_ms is None
    assert schedule.look(created.due_at_ms - 10 + pause_ms) == []
    pause(paused=False, now_ms=created.due_at_ms - 10 + pause_ms)

    assert schedule.look(created.due_at_ms - 10 + pause_ms) == outcomes


def test_clocks_that_jump_by_an_hour_lose_and_double_nothing(schedule: Schedule) -> None:
    """Each due time is one run at most, and by the end of the day each of them is over."""
    random = Random(7)  # noqa: S311 - no secret
    first_ms = schedule.create("*/30 * * * *").due_at_ms
    queued: list[int] = []
    now_ms, ahead_ms = first_ms - 60_000, 0
    for _ in range(150):
        now_ms += random.randrange(1_000, 700_000)
        ahead_ms = random.choice([ahead_ms] * 8 + [-HOUR_MS, HOUR_MS])
        before = schedule.monitor()
        if schedule.look(now_ms + ahead_ms) == ["queued"]:
            queued.append(before.due_at_ms)
            schedule.end_runs(now_ms + ahead_ms)
        monitor = schedule.monitor()
        # Never so far away that a due time between would be passed over.
        assert monitor.due_at_ms - (now_ms + ahead_ms) <= 2 * HOUR_MS + HOUR_MS // 2

    assert len(queued) == len(set(queued)) == schedule.runs()
    assert queued == sorted(queued)
    assert len(queued) > 20


def test_a_sitemap_that_was_not_asked_for_waits(schedule: Schedule) -> None:
    """Nothing else of its monitor changes, and a monitor that changed meanwhile is left alone."""
    monitor = schedule.create()
    due_ms = monitor.due_at_ms

    work = partial(queue_due, monitor=monitor, options=OPTIONS, now_ms=due_ms, is_unread=True)
    show(schedule.database, due_ms)

    assert [schedule.database.write_here(work).outcome for _ in range(2)] == ["put_off", "taken"]
    after = schedule.monitor()

    assert after.due_at_ms == due_ms + PUT_OFF_MS
    assert (after.unreachable_since_ms, after.last_run_at_ms, after.last_due_at_ms) == (None, None, None)


def test_a_full_queue_waits(schedule: Schedule) -> None:
    """Half of it is left to requests: the account's puts off its own monitors, the installation's holds all."""
    due_ms = schedule.create().due_at_ms
    schedule.queue.add("https://example.org/", now_ms=due_ms)

    assert schedule.look(due_ms, replace(OPTIONS, queue=2)) == ["full"]
    assert schedule.look(due_ms, replace(OPTIONS, account_queue=2)) == ["put_off"]
    assert schedule.monitor().due_at_ms == due_ms + PUT_OFF_MS
    assert schedule.look(due_ms + PUT_OFF_MS, replace(OPTIONS, account_queue=3, queue=3)) == ["queued"]


def test_accounts_and_reports_that_are_not_available_are_passed_over(schedule: Schedule) -> None:
    """Their monitors stay on schedule."""
    due_ms = schedule.create().due_at_ms

    later_ms = due_ms + 30 * DAY_MS
    schedule.queue.write(partial(trust_clock, now_ms=later_ms), now_ms=later_ms)

    assert schedule.look(later_ms, replace(OPTIONS, retention_days=7)) == ["skipped"]
    schedule.database.write_here(lambda tx: disable_account(tx, schedule.alice.id, NOW_MS))
    due_ms = schedule.monitor().due_at_ms

    assert schedule.look(due_ms) == ["skipped"]
    assert schedule.monitor().due_at_ms > due_ms
    assert schedule.runs() == 0


@pytest.mark.parametrize("timetable", ["hourly", "daily", "weekly", "monthly", "7 * * * *", "0 3 * * 1", "0 0 29 2 *"])
def test_a_due_time_of_a_clock_that_was_ahead_is_brought_back(schedule: Schedule, timetable: str) -> None:
    """To the next time of the schedule; one that is as far ahead as the schedule allows stays."""
    created = schedule.create(timetable)

    def find(now_ms: int) -> tuple[Monitor, ...]:
        return schedule.queue.write(partial(find_too_far, now_ms=now_ms), now_ms=now_ms)

    (found,) = find(NOW_MS - 9 * 366 * DAY_MS)

    assert find(NOW_MS) == ()
    assert found.due_at_ms == next_due_ms(timetable, "UTC", created.jitter, after_ms=NOW_MS - 9 * 366 * DAY_MS)
    assert schedule.queue.write(lambda tx: save_monitor(tx, found), now_ms=NOW_MS) is not None


def test_a_last_due_time_that_lies_ahead_does_not_count() -> None:
    """A run while the clock was ahead does not keep the next ones waiting."""
    ahead_ms = NOW_MS + 400 * DAY_MS
    due_ms = next_due_ms("hourly", "UTC", 5, after_ms=NOW_MS, last_due_at_ms=ahead_ms)

    assert due_ms == next_due_ms("hourly", "UTC", 5, after_ms=NOW_MS)


def test_a_monitor_that_was_changed_meanwhile_is_left_alone(schedule: Schedule) -> None:
    """Its new schedule holds."""
    created = schedule.create()
    (seen,) = schedule.due(created.due_at_ms)
    change = MonitorChange(schedule="weekly", budgets=("score<80",))
    changed = schedule.queue.write(
        lambda tx: update_monitor(tx, Caller(account=schedule.alice), 1, change, created.due_at_ms),
        now_ms=created.due_at_ms,
    )

    done = schedule.queue.write(lambda tx: queue_due(tx, seen, OPTIONS, seen.due_at_ms), now_ms=seen.due_at_ms)

    assert (done.outcome, schedule.runs()) == ("taken", 0)
    weekly = next_due_ms("weekly", "UTC", created.jitter, after_ms=created.due_at_ms)

    assert (changed.due_at_ms, changed.budgets[0].state) == (weekly, "unknown")


class Site:
    """An audit of Alice that has ended, and a monitor of it."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        caller = Caller(account=schedule.alice)
        self.audit = make_audit(schedule.database, caller)
        self.monitor = schedule.database.write_here(
            lambda tx: create_monitor(
                tx, caller, MonitorChange(schedule="weekly"), AUDITS, NOW_MS, audit_id=self.audit.id
            )
        )

    def crawls(self) -> int:
        """Number of its newest crawl."""
        found = self.schedule.database.read_here(lambda tx: load_audit(tx, self.schedule.alice.id, self.audit.id))
        return 0 if found is None else found.crawl.number


def test_an_audit_is_crawled_again_when_its_monitor_is_due(schedule: Schedule) -> None:
    """Once, however many weeks were missed, and not while a crawl of it has not ended."""
    site = Site(schedule)
    due_ms = site.monitor.due_at_ms + 20 * DAY_MS

    assert schedule.look(site.monitor.due_at_ms - 1, AUDITS) == []
    assert schedule.look(site.monitor.due_at_ms, AUDITS) == ["skipped"]
    fill(schedule.database, claim(schedule.database))

    assert (schedule.look(due_ms, AUDITS), schedule.look(due_ms, AUDITS)) == (["queued"], [])
    assert site.crawls() == 2
    after = schedule.monitor()

    assert due_ms < after.due_at_ms <= due_ms + 8 * DAY_MS
    assert (after.last_run_at_ms, after.report_id, after.audit_id) == (due_ms, None, site.audit.id)


def test_an_audit_waits_for_other_crawls_of_its_account_and_for_no_quota(schedule: Schedule) -> None:
    """Put off for a minute where there are too many crawls, left out where there are no pages left."""
    site = Site(schedule)
    fill(schedule.database, claim(schedule.database))
    others = [make_audit(schedule.database, Caller(account=schedule.alice)) for _ in range(OPEN_CRAWLS)]

    assert schedule.look(site.monitor.due_at_ms, AUDITS) == ["put_off"]
    assert schedule.monitor().due_at_ms == site.monitor.due_at_ms + PUT_OFF_MS
    for one in others:
        schedule.database.write_here(partial(delete_audit, audit_id=one.id))
    spent = replace(AUDITS, plans=((DEFAULT_PLAN, {"audit_pages_per_month": 0}),))

    assert schedule.look(site.monitor.due_at_ms + PUT_OFF_MS, spent) == ["skipped"]
    assert site.crawls() == 1


def test_a_monitor_of_an_audit_goes_with_it(schedule: Schedule) -> None:
    """A due time that was seen before is nobody's any more."""
    site = Site(schedule)
    fill(schedule.database, claim(schedule.database))
    (seen,) = schedule.due(site.monitor.due_at_ms)
    schedule.database.write_here(partial(delete_audit, audit_id=site.audit.id))
    done = schedule.queue.write(lambda tx: queue_due(tx, seen, AUDITS, seen.due_at_ms), now_ms=seen.due_at_ms)

    assert (done.outcome, schedule.due(site.monitor.due_at_ms)) == ("taken", ())
