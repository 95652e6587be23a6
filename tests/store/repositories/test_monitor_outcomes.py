from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from sqlalchemy import Engine, event, text

from pagegrade.model.account import Caller
from pagegrade.model.monitors import DIGEST_MS, Crossing, Monitor, PageSet, Remind
from pagegrade.model.rendering import LoadMetrics
from pagegrade.model.stored import PackedReport
from pagegrade.model.webhooks import EVENT_TYPES
from pagegrade.report.build import rendered_page
from pagegrade.report.codec import pack_detail, pack_report, unpack_detail
from pagegrade.service.monitors.due_runs import queue_due
from pagegrade.service.monitors.operations import MonitorChange, create_monitor
from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.monitor_outcomes import DIGESTS
from pagegrade.store.repositories.monitors import add_silence, list_crossings, list_of_report, load_monitor
from pagegrade.store.repositories.outbox import DIGEST_MS as OUTBOX_MS
from pagegrade.store.repositories.webhooks import add_webhook
from tests.queue_builders import Queue, completed, failed
from tests.rendering_builders import make_rendering
from tests.report_builders import make_report, make_result
from tests.store_builders import NOW_MS, add_owner, make_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty one."""
    made = make_database(tmp_path)
    yield made
    made.close()


class Watched:
    """A report with a monitor."""

    def __init__(self, database: Database, *budgets: str, paused: bool = False, remind: Remind | None = None) -> None:
        self.database = database
        self.caller = Caller(account=add_owner(database)[0])
        self.queue = Queue(database, self.caller.account.id)
        self.report_id = self.queue.add().report_id
        change = MonitorChange(budgets=budgets, paused=paused, remind=remind)
        options = ServiceOptions()
        self.database.write_here(
            lambda tx: create_monitor(tx, self.caller, change, options, NOW_MS, report_id=self.report_id)
        )

    def run(self, packed: PackedReport, *, now_ms: int = NOW_MS) -> tuple[str, ...]:
        """Let a run end; the states of the budgets after it."""
        claimed = self.queue.claim()
        if not claimed:
            self.queue.again(self.report_id)
            claimed = self.queue.claim()
        self.queue.finish(claimed[0], packed, now_ms=now_ms)
        return tuple(budget.state for budget in self.monitor.budgets)

    @property
    def monitor(self) -> Monitor:
        """As it is now."""
        found = self.database.read_here(lambda tx: load_monitor(tx, self.caller.account.id, 1))
        if found is None:
            raise AssertionError("the monitor is not there")
        return found

    @property
    def crossings(self) -> list[tuple[int, str, list[str]]]:
        """(run, kind, conditions)."""

        def described(one: Crossing) -> tuple[int, str, list[str]]:
            return one.run_number, one.kind, [change.condition for change in one.budgets]

        found = self.database.read_here(lambda tx: list_crossings(tx, self.report_id, from_run=1))
        return [described(one) for one in found]


def test_budgets_are_evaluated_when_a_run_ends(database: Database) -> None:
    """Only crossings are recorded, all budgets of a monitor in one for each direction."""
    watched = Watched(database, "score<80", "score<70 for 2", "score drop>=5", "check.image-alt")
    plain = make_report(make_result("image-alt"), score=81)

    assert watched.run(pack_report(plain)) == ("ok", "ok", "unknown", "breached")
    assert watched.run(completed(65)) == ("breached", "ok", "breached", "breached")
    assert watched.run(completed(65)) == ("breached", "breached", "breached", "breached")
    assert watched.run(completed(90)) == ("ok", "ok", "ok", "breached")
    assert watched.crossings == [
        (1, "regressed", ["check.image-alt"]),
        (2, "regressed", ["score<80", "score drop>=5"]),
        (3, "regressed", ["score<70 for 2"]),
        (4, "recovered", ["score<80", "score<70 for 2", "score drop>=5"]),
    ]


def test_a_page_that_cannot_be_reached_is_notified_once(database: Database) -> None:
    """And once when it can be reached again; budgets stay as they are meanwhile."""
    watched = Watched(database, "score<80")
    for packed in (completed(70), failed("dns"), failed("internal"), failed("blocked"), failed("tls"), completed(60)):
        watched.run(packed)

    assert watched.crossings == [
        (1, "regressed", ["score<80"]),
        (4, "unreachable", []),
        (6, "recovered", []),
    ]
    assert (watched.monitor.failures, watched.monitor.unreachable_since_ms) == (0, None)


def test_figures_of_the_page_are_compared_with_those_of_runs_before(database: Database) -> None:
    """The details of earlier runs are read; one that is damaged is left out."""
    watched = Watched(database, "high rise>=1", "requests rise>=10%")
    report = make_report()
    if report.page is None:
        raise AssertionError("the report has a page")

    def with_requests(count: int) -> PackedReport:
        page = report.page
        assert page is not None
        first, *rest = page.resources
        return pack_report(replace(report, page=replace(page, resources=(replace(first, count=count), *rest))))

    assert watched.run(with_requests(100))[1] == "unknown"
    assert watched.run(with_requests(100))[1] == "ok"
    assert watched.run(with_requests(200))[1] == "breached"
    spoil = text("UPDATE run_details SET body = :body WHERE run_id = 2")
    database.write_here(lambda tx: tx.execute(spoil, {"body": b"no zstd"}))

    assert watched.run(with_requests(100))[1] == "ok"


def test_only_the_page_of_earlier_runs_is_read_and_once_for_all_monitors(database: Database) -> None:
    """Their results, the most of them, stay as they are stored: the transaction of the run waits meanwhile."""
    watched = Watched(database, "requests rise>=10%")
    change = MonitorChange(budgets=("requests rise>=50%",))
    for _ in range(2):
        database.write_here(
            lambda tx: create_monitor(tx, watched.caller, change, ServiceOptions(), NOW_MS, report_id=watched.report_id)
        )
    packed = pack_report(make_report())
    watched.run(packed)
    whole = msgspec.json.decode(unpack_detail(packed.detail))
    strange = pack_detail(msgspec.json.encode({**whole, "results": {"image-alt": 1}}))
    spoil = text("UPDATE run_details SET body = :body")
    database.write_here(lambda tx: tx.execute(spoil, {"body": strange}))
    read: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.startswith("SELECT run_details"):
            read.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        states = watched.run(packed)
    finally:
        event.remove(Engine, "before_cursor_execute", note)

    assert states == ("ok",)
    assert len(read) == 1


def test_a_paused_monitor_evaluates_nothing(database: Database) -> None:
    """It is as it was."""
    watched = Watched(database, "score<80", paused=True)
    before = watched.monitor

    assert watched.run(completed(70)) == ("unknown",)
    assert (watched.monitor, watched.crossings) == (before, [])


def test_an_outcome_that_is_dropped_evaluates_nothing(database: Database) -> None:
    """The run was given to another worker."""
    watched = Watched(database, "score<80")
    (run,) = watched.queue.claim()

    assert watched.queue.finish(replace(run, attempt=2), completed(70)) == ()
    assert watched.crossings == []
    watched.queue.finish(run, completed(70))
    watched.queue.finish(run, completed(70))

    assert watched.crossings == [(1, "regressed", ["score<80"])]


def test_crossings_are_events_of_the_same_transaction(database: Database) -> None:
    """In the order in which they happened, after the end of the run that they belong to."""
    watched = Watched(database, "score<80")
    account_id = watched.caller.account.id
    database.write_here(
        lambda tx: add_webhook(
            tx,
            account_id,
            kind="webhook",
            url="https://example.com/hook",
            events=EVENT_TYPES,
            project="",
            now_ms=NOW_MS,
        )
    )
    for packed in (completed(70), completed(90), failed("dns"), failed("dns"), completed(90)):
        watched.run(packed)
    rows = watched.queue.rows("SELECT type, run_number, monitor_id, data FROM events ORDER BY id")
    crossed = [(kind, number, json.loads(data).get("budgets")) for kind, number, monitor, data in rows if monitor]

    assert crossed == [
        ("report.regressed", 1, [{"condition": "score<80", "value": 70, "limit": 80.0}]),
        ("report.recovered", 2, [{"condition": "score<80", "value": 90, "limit": 80.0}]),
        ("monitor.unreachable", 4, None),
        ("report.recovered", 5, []),
    ]
    assert [kind for kind, _, monitor, _ in rows if monitor is None] == [
        *("report.completed", "report.completed", "report.failed", "report.failed", "report.completed"),
    ]


def test_a_run_without_its_browser_measures_nothing(database: Database) -> None:
    """The budgets stay as they are, say since when, and go on where they were."""
    watched = Watched(database, "score<80")
    drawn = rendered_page(make_rendering(device="mobile"), [], LoadMetrics())
    found = [watched.run(pack_report(make_report(score=85, rendered=drawn)))]
    found += [watched.run(pack_report(make_report(score=60))) for _ in range(2)]
    unmeasured = watched.monitor.is_unmeasured
    found += [watched.run(pack_report(make_report(score=score, rendered=drawn))) for score in (85, 60)]

    assert found == [("ok",), ("ok",), ("ok",), ("ok",), ("breached",)]
    assert unmeasured
    assert not watched.monitor.is_unmeasured
    assert watched.crossings == [(5, "regressed", ["score<80"])]


def test_a_report_without_a_browser_by_choice_begins_anew(database: Database) -> None:
    """Its owner has changed the engine: the first static run crosses nothing, the second one does."""
    watched = Watched(database, "score<80")
    drawn = rendered_page(make_rendering(device="mobile"), [], LoadMetrics())
    watched.run(pack_report(make_report(score=85, rendered=drawn)))
    database.write_here(lambda tx: tx.execute(text("UPDATE reports SET render = 0")))
    found = [watched.run(pack_report(make_report(score=60))) for _ in range(2)]

    assert found == [("unknown",), ("breached",)]
    assert watched.crossings == [(3, "regressed", ["score<80"])]


class Heard(Watched):
    """With a chat channel and a webhook for everything."""

    def __init__(self, database: Database, remind: Remind | None, *budgets: str) -> None:
        super().__init__(database, *budgets, remind=remind)
        for kind in ("slack", "webhook"):
            database.write_here(
                lambda tx, kind=kind: add_webhook(  # type: ignore[misc]
                    tx,
                    self.caller.account.id,
                    kind=kind,
                    url="https://example.com/hook",
                    events=EVENT_TYPES,
                    project="",
                    now_ms=NOW_MS,
                )
            )

    def said(self, webhook_id: int = 1) -> list[str]:
        """The events of the monitor that one of them gets, in their order."""
        query = (
            "SELECT type FROM events JOIN deliveries ON deliveries.event_id = events.id "
            "WHERE monitor_id IS NOT NULL AND webhook_id = :webhook ORDER BY events.id"
        )
        return [kind for (kind,) in self.queue.rows(query, webhook=webhook_id)]


@pytest.mark.parametrize(("remind", "after_days"), [("daily", 1), ("weekly", 7)])
def test_what_stays_bad_is_said_again(database: Database, remind: Remind, after_days: int) -> None:
    """With the first run after the time, not before; never again once it is good."""
    heard = Heard(database, remind, "score<80")
    pause_ms = after_days * 86_400_000
    times = (0, pause_ms - 1, pause_ms, pause_ms + 1, 2 * pause_ms - 1, 2 * pause_ms)
    for each in times:
        heard.run(completed(70), now_ms=NOW_MS + each)
    before = heard.said()
    heard.run(completed(90), now_ms=NOW_MS + 3 * pause_ms)
    heard.run(completed(90), now_ms=NOW_MS + 9 * pause_ms)
    data = json.loads(heard.queue.rows("SELECT data FROM events WHERE type = 'monitor.reminder'")[0][0])

    assert before == ["report.regressed", "monitor.reminder", "monitor.reminder"]
    assert heard.said() == [*before, "report.recovered"]
    assert heard.monitor.told_at_ms is None
    assert (data["still"], data["since"], data["monitor_id"]) == ("breached", "2026-01-01T00:00:00.000Z", 1)
    assert data["budgets"] == [{"condition": "score<80", "value": None, "limit": None}]


def test_a_page_that_stays_unreachable_is_said_again(database: Database) -> None:
    """A run that failed says nothing of budgets, and one without a reminder is said once."""
    heard = Heard(database, "daily", "score<80")
    for day, packed in enumerate((completed(70), failed("dns"), failed("dns"), failed("dns"))):
        heard.run(packed, now_ms=NOW_MS + day * 86_400_000)

    assert heard.said() == ["report.regressed", "monitor.unreachable", "monitor.reminder"]


def test_without_a_reminder_nothing_is_said_twice(database: Database) -> None:
    """However long it takes."""
    heard = Heard(database, None, "score<80")
    for day in range(30):
        heard.run(completed(70), now_ms=NOW_MS + day * 86_400_000)

    assert heard.said() == ["report.regressed"]


def test_what_became_bad_in_silence_is_said_afterwards(database: Database) -> None:
    """To people, once, although there is no reminder; programs heard of it at once."""
    heard = Heard(database, None, "score<80")
    silence = {"monitor_id": 1, "project": "", "reason": "x", "until_ms": NOW_MS + 5_000, "now_ms": NOW_MS}
    database.write_here(lambda tx: add_silence(tx, heard.caller, **silence))  # type: ignore[arg-type]
    for at_ms in (0, 4_999):
        heard.run(completed(70), now_ms=NOW_MS + at_ms)
    during = heard.said(), heard.said(2)
    for at_ms in (5_000, 6_000):
        heard.run(completed(70), now_ms=NOW_MS + at_ms)

    assert during == ([], ["report.regressed"])
    assert heard.said() == ["monitor.reminder"]


def test_what_was_bad_only_in_silence_is_never_said(database: Database) -> None:
    """It was repaired meanwhile, which people do not hear of either."""
    heard = Heard(database, "daily", "score<80")
    about = {"monitor_id": None, "project": "example.com"}
    silence = {**about, "reason": "x", "until_ms": NOW_MS + 5_000, "now_ms": NOW_MS}
    database.write_here(lambda tx: add_silence(tx, heard.caller, **silence))  # type: ignore[arg-type]
    for at_ms, score in ((0, 70), (4_000, 90), (6_000, 90)):
        heard.run(completed(score), now_ms=NOW_MS + at_ms)

    assert heard.said() == []
    assert heard.said(2) == ["report.regressed", "report.recovered"]


@pytest.mark.parametrize(
    ("after_ms", "windows"), [(0, 1), (DIGEST_MS - 1, 1), (DIGEST_MS, 2), (DIGESTS * DIGEST_MS, None)]
)
def test_people_get_one_message_about_the_pages_of_a_set(
    database: Database, after_ms: int, windows: int | None
) -> None:
    """Of each quarter of an hour since they became due; programs get each event at once, and what is later is usual."""
    caller = Caller(account=add_owner(database)[0])
    queue = Queue(database, caller.account.id)
    ids = [queue.add(f"https://example.com/{number}").report_id for number in range(2)]
    for kind, url in (("email", "a@example.org"), ("webhook", "https://hooks.example/")):
        database.write_here(lambda tx, kind=kind, url=url: add_webhook(  # type: ignore[misc]
            tx, account_id=1, kind=kind, url=url, events=EVENT_TYPES, project="", now_ms=NOW_MS
        ))  # fmt: skip
    change = MonitorChange(budgets=("score<80",))
    pages = PageSet(kind="project", value="example.com")
    options = ServiceOptions()
    monitor = database.write_here(lambda tx: create_monitor(tx, caller, change, options, NOW_MS, pages=pages))
    database.write_here(lambda tx: queue_due(tx, monitor, options, NOW_MS))

    assert [len(database.read_here(lambda tx, number=number: list_of_report(tx, number))) for number in ids] == [1, 1]  # type: ignore[misc]
    for late, run in enumerate(queue.claim(2)):
        queue.finish(run, completed(20), now_ms=NOW_MS + after_ms + late * (0 if after_ms else 60_000))
    query = text(
        "SELECT webhooks.kind, deliveries.due_at_ms FROM deliveries JOIN webhooks ON webhooks.id = webhook_id "
        "JOIN events ON events.id = event_id WHERE type = 'report.regressed' ORDER BY deliveries.id"
    )
    due = database.read_here(lambda tx: [tuple(row) for row in tx.execute(query)])
    told = {at for kind, at in due if kind == "email"}

    assert len(due) == 4
    assert told == {NOW_MS + (after_ms + OUTBOX_MS if windows is None else windows * DIGEST_MS)}
    assert all(at < NOW_MS + after_ms + 60_001 for kind, at in due if kind == "webhook")
