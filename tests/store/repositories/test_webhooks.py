from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagegrade.model.stored import ListPart
from pagegrade.model.webhooks import ROTATION_MS, ClaimedWebhook, Event, EventType, Kind, StoredWebhook
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories import webhooks as store
from pagegrade.store.repositories.accounts import delete_account, mark_erasing
from pagegrade.store.repositories.installation import AgeMs, follow_clock, trust_clock
from pagegrade.store.repositories.outbox import DIGEST_MS, add_event, add_notice, add_test_event
from pagegrade.store.repositories.webhooks import (
    FAILING_MS,
    MAX_PAUSE_MS,
    PER_ACCOUNT,
    AttemptOutcome,
    add_webhook,
    change_webhook,
    claim_webhooks,
    count_waiting,
    count_webhooks,
    delete_webhook,
    disable_webhook,
    enable_deliveries,
    find_webhook,
    forget_events,
    has_due,
    list_deliveries,
    list_webhooks,
    load_delivery,
    load_webhook,
    record_attempt,
    release_every_webhook,
    release_webhook,
    rotate_secret,
    send_again,
)
from tests.database_clock import make_clock, show
from tests.store_builders import NOW_MS, add_owner, make_database, make_file

URL = "https://hook.example/path?x=1"
LEASE_MS = 60_000
DAY_MS = 86_400_000
T = TypeVar("T")
WANTED: tuple[EventType, ...] = ("report.completed",)
MESSAGES: tuple[Kind, ...] = ("email", "slack")
DELIVERED = AttemptOutcome(state="delivered", http_status=200)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Two accounts."""
    made = make_database(tmp_path)
    add_owner(made)
    add_owner(made, "Bob")
    yield made
    made.close()


def add(database: Database, account_id: int = 1, **more: Any) -> StoredWebhook:
    """A webhook."""
    values: dict[str, Any] = {"kind": "webhook", "url": URL, "events": ("report.completed",), "project": "", **more}
    return database.write_here(lambda tx: add_webhook(tx, account_id, now_ms=NOW_MS, **values))


def test_a_webhook_is_found_by_its_account_only(database: Database) -> None:
    """Or through a proof of another kind; numbers beyond those of a database find nothing."""
    made = add(database, events=("report.failed", "report.completed"), project="example.com")

    assert (made.events, made.url, made.disabled_at_ms, made.revision) == (
        ("report.failed", "report.completed"),
        URL,
        None,
        1,
    )
    assert database.read_here(lambda tx: load_webhook(tx, 1, made.id)) == made
    assert database.read_here(lambda tx: load_webhook(tx, 2, made.id)) is None
    assert database.read_here(lambda tx: find_webhook(tx, made.id)) == made
    for number in (0, -1, 1 << 63, made.id + 1):
        assert database.read_here(lambda tx, number=number: load_webhook(tx, 1, number)) is None  # type: ignore[misc]
        assert database.read_here(lambda tx, number=number: find_webhook(tx, number)) is None  # type: ignore[misc]
        assert not database.write_here(lambda tx, number=number: delete_webhook(tx, 1, number))  # type: ignore[misc]


def test_webhooks_are_listed_by_page(database: Database) -> None:
    """Newest first, of one account."""
    made = [add(database).id for _ in range(3)]
    add(database, 2)

    def listed(page: int) -> list[int]:
        part = ListPart(page=page, per_page=2)
        return [each.id for each in database.read_here(lambda tx: list_webhooks(tx, 1, part))]

    assert [listed(page) for page in (1, 2, 3)] == [made[:0:-1], made[:1], []]
    assert [database.read_here(partial(count_webhooks, account_id=number)) for number in (1, 2)] == [3, 1]


def test_a_rotation_keeps_the_previous_secret_for_a_day(database: Database) -> None:
    """Every salt is new, and a change is another revision."""
    made = add(database)
    rotated = database.write_here(lambda tx: rotate_secret(tx, made, NOW_MS))

    assert rotated.secret_salt != made.secret_salt
    assert (rotated.previous_salt, rotated.previous_until_ms) == (made.secret_salt, NOW_MS + ROTATION_MS)
    assert rotated.revision == made.revision + 1


def test_changes_and_the_end(database: Database) -> None:
    """The first reason for which a webhook was disabled stays; a second deletion finds nothing."""
    made = add(database)
    changed = database.write_here(lambda tx: change_webhook(tx, made.id, {"project": "example.org"}))

    assert (changed.project, changed.revision) == ("example.org", 2)
    for reason in ("gone", "failing"):
        database.write_here(lambda tx, reason=reason: disable_webhook(tx, made.id, reason, NOW_MS))  # type: ignore[misc]
    found = database.read_here(lambda tx: find_webhook(tx, made.id))

    assert found is not None
    assert (found.disabled_reason, found.disabled_at_ms, found.revision) == ("gone", NOW_MS, 3)
    assert not database.write_here(lambda tx: delete_webhook(tx, 2, made.id))
    assert database.write_here(lambda tx: delete_webhook(tx, 1, made.id))
    assert not database.write_here(lambda tx: delete_webhook(tx, 1, made.id))


def test_webhooks_go_with_their_account(database: Database) -> None:
    """Nothing of them stays."""
    made = add(database)
    database.write_here(lambda tx: mark_erasing(tx, 1, NOW_MS))
    database.write_here(lambda tx: delete_account(tx, 1))

    assert database.read_here(lambda tx: find_webhook(tx, made.id)) is None


@dataclass
class Outbox:
    """A database of accounts 1 to 3, and what a process does with it."""

    database: Database
    process: str = "p1"

    def hook(self, account_id: int = 1, kind: Any = "webhook", events: tuple[EventType, ...] = WANTED) -> StoredWebhook:
        """A webhook for completed reports, if nothing else is said."""
        return self.write(
            lambda tx: add_webhook(
                tx, account_id, kind=kind, url="https://h.example/", events=events, project="", now_ms=1
            )
        )

    def happen(self, account_id: int = 1, at_ms: int = NOW_MS, kind: EventType = "report.completed") -> None:
        """Something that every webhook of the account wants, if nothing else is said."""
        event = Event(kind, account_id, "example.com", None, None, at_ms, {"n": at_ms})
        self.write(lambda tx: add_event(tx, event))

    def claim(self, count: int = 100, at_ms: int = NOW_MS) -> tuple[ClaimedWebhook, ...]:
        """Take what is due."""
        return self.write(
            lambda tx: claim_webhooks(tx, worker=self.process, count=count, now_ms=at_ms, lease_ms=LEASE_MS), at_ms
        )

    def record(self, claimed: ClaimedWebhook, outcome: AttemptOutcome = DELIVERED, at_ms: int = NOW_MS) -> bool:
        """Record the same outcome for all of a claim."""
        outcomes = [outcome] * len(claimed.deliveries)
        return self.write(lambda tx: record_attempt(tx, claimed, outcomes, worker=self.process, now_ms=at_ms), at_ms)

    def write(self, work: Callable[[Transaction], T], at_ms: int = NOW_MS) -> T:
        """Change something at this time."""
        show(self.database, at_ms)
        return self.database.write_here(work)

    def log(self, webhook: StoredWebhook) -> list[tuple[str, int, int | None]]:
        """State, attempts and next time of the deliveries, oldest first."""
        found = self.database.read_here(lambda tx: list_deliveries(tx, webhook.id, ListPart(per_page=100)))
        return [(each.state, each.attempts, each.due_at_ms) for each in reversed(found)]

    def find(self, webhook: StoredWebhook) -> StoredWebhook:
        """The webhook as it is now."""
        found = self.database.read_here(lambda tx: find_webhook(tx, webhook.id))
        assert found is not None
        return found


@pytest.fixture
def outbox(tmp_path: Path) -> Iterator[Outbox]:
    """Three accounts without webhooks."""
    database = make_database(tmp_path)
    for name in ("Alice", "Bob", "Charlie"):
        add_owner(database, name)
    made = Outbox(database)
    make_clock(database)
    show(database, NOW_MS)
    yield made
    database.close()


def retry(at_ms: int, pause_until_ms: int | None = None) -> AttemptOutcome:
    """A failure."""
    return AttemptOutcome(
        state="retry", error="timeout", retry_at_ms=at_ms, pause_until_ms=pause_until_ms or at_ms, answer=b"no"
    )


def test_a_webhook_is_held_by_one_process(outbox: Outbox) -> None:
    """Until it is recorded or the lease ends; its deliveries come one after the other, the oldest first."""
    hook = outbox.hook()
    outbox.happen(at_ms=NOW_MS - 1)
    outbox.happen()
    other = Outbox(outbox.database, "p2")
    (first,) = outbox.claim()

    assert [due.data for due in first.deliveries] == [b'{"n":%d}' % (NOW_MS - 1)]
    assert other.claim() == ()
    outbox.record(first)
    (second,) = other.claim()

    assert second.deliveries[0].id != first.deliveries[0].id
    assert other.claim(at_ms=NOW_MS + LEASE_MS - 1) == ()
    (again,) = outbox.claim(at_ms=NOW_MS + LEASE_MS)

    assert again.deliveries == second.deliveries
    # Of the process that was too slow nothing is recorded.
    other.record(second, at_ms=NOW_MS + LEASE_MS)

    assert outbox.log(hook) == [("delivered", 1, None), ("waiting", 0, NOW_MS)]
    outbox.record(again, at_ms=NOW_MS + LEASE_MS)

    assert outbox.log(hook)[1] == ("delivered", 1, None)


def test_accounts_take_turns(outbox: Outbox) -> None:
    """One webhook of each account before the second of any, and never more than two of one at a time."""
    for account_id, count in ((1, 5), (2, 1), (3, 1)):
        for _ in range(count):
            outbox.hook(account_id)
        outbox.happen(account_id)
    first = outbox.claim(3)

    assert [each.webhook.account_id for each in first] == [1, 2, 3]
    assert [each.webhook.account_id for each in outbox.claim()] == [1] * (PER_ACCOUNT - 1)
    assert outbox.claim() == ()


def test_a_failure_pauses_the_webhook(outbox: Outbox) -> None:
    """Neither this delivery nor a new one is sent before; nothing is asked of the database for it meanwhile."""
    hook = outbox.hook()
    outbox.happen()
    (claimed,) = outbox.claim()
    outbox.record(claimed, retry(NOW_MS + 5_000, NOW_MS + 9_000))
    outbox.happen(at_ms=NOW_MS + 1)

    assert outbox.log(hook) == [("waiting", 1, NOW_MS + 5_000), ("waiting", 0, NOW_MS + 1)]
    for at_ms, due in ((NOW_MS + 8_999, False), (NOW_MS + 9_000, True)):
        show(outbox.database, at_ms)
        assert outbox.database.read_here(lambda tx, at_ms=at_ms: has_due(tx, at_ms)) is due  # type: ignore[misc]
        assert bool(outbox.claim(at_ms=at_ms)) is due
    # A clock that was set back keeps nothing waiting.
    show(outbox.database, NOW_MS + 9_000 - MAX_PAUSE_MS)

    assert outbox.database.read_here(lambda tx: has_due(tx, NOW_MS + 9_000 - MAX_PAUSE_MS)) is False
    found = outbox.find(hook)

    assert (found.failures, found.failing_since_ms) == (1, NOW_MS)


def test_a_webhook_that_fails_for_days_is_disabled(outbox: Outbox) -> None:
    """At the first failure after three days without success; the owner's chat channels learn of it."""
    hook, chat = outbox.hook(), outbox.hook(kind="slack")
    outbox.happen()
    ended = []
    for at_ms in (NOW_MS, NOW_MS + FAILING_MS - 1, NOW_MS + FAILING_MS):
        # The clock ran evenly meanwhile.
        outbox.write(partial(trust_clock, now_ms=at_ms), at_ms)
        claimed = next(each for each in outbox.claim(at_ms=at_ms) if each.webhook.id == hook.id)
        ended.append(outbox.record(claimed, retry(at_ms + 1), at_ms))
        outbox.write(lambda tx: tx.exec_driver_sql("UPDATE webhooks SET worker = NULL, lease_until_ms = NULL"))

    assert ended == [False, False, True]
    assert outbox.find(hook).disabled_reason == "failing"
    outbox.write(lambda tx: add_notice(tx, Event("webhook.disabled", 1, "", None, None, NOW_MS, {})))

    assert len(outbox.log(chat)) == 2
    assert len(outbox.log(hook)) == 1


def test_a_jump_of_the_clock_is_no_series_of_failures(outbox: Outbox) -> None:
    """And what the clock put off while it was ahead is due again once it is right."""
    hook = outbox.hook()
    outbox.happen()
    outbox.write(partial(follow_clock, now_ms=NOW_MS))
    (claimed,) = outbox.claim()
    outbox.record(claimed, retry(NOW_MS + 1))
    ahead_ms = NOW_MS + 400 * DAY_MS
    outbox.write(partial(follow_clock, now_ms=ahead_ms), ahead_ms)
    (claimed,) = outbox.claim(at_ms=ahead_ms)
    disabled = outbox.record(claimed, retry(ahead_ms + 1), ahead_ms)
    silent = outbox.claim(at_ms=NOW_MS + 1_000)
    moved = [outbox.write(partial(store.bound_due_times, now_ms=NOW_MS + 1_000), NOW_MS + 1_000) for _ in range(2)]
    (again,) = outbox.claim(at_ms=NOW_MS + 1_000)

    assert not disabled
    assert silent == ()
    assert moved == [1, 0]
    assert again.webhook.id == hook.id


def test_what_a_clock_ahead_wrote_does_not_wait_for_its_time(outbox: Outbox) -> None:
    """Nothing was tried yet, so nothing but the window of a message is waited for, at most."""
    hook = outbox.hook()
    outbox.happen(at_ms=NOW_MS + DIGEST_MS)
    in_a_window = outbox.write(partial(store.bound_due_times, now_ms=NOW_MS))
    outbox.happen(at_ms=NOW_MS + DIGEST_MS + 1)
    silent = outbox.claim()
    moved = outbox.write(partial(store.bound_due_times, now_ms=NOW_MS))
    (claimed,) = outbox.claim()
    outbox.record(claimed, retry(NOW_MS + 3_600_000))
    again = outbox.write(partial(store.bound_due_times, now_ms=NOW_MS))

    assert in_a_window == 0
    assert silent == ()
    assert (claimed.webhook.id, len(claimed.deliveries), moved) == (hook.id, 1, 1)
    assert again == 0


def test_a_success_ends_a_series_of_failures(outbox: Outbox) -> None:
    """And what waits goes on at once."""
    hook = outbox.hook()
    outbox.happen()
    (claimed,) = outbox.claim()
    outbox.record(claimed, retry(NOW_MS + 1))
    (claimed,) = outbox.claim(at_ms=NOW_MS + 1)
    outbox.record(claimed, at_ms=NOW_MS + 1)

    found = outbox.find(hook)

    assert (found.failures, found.failing_since_ms) == (0, None)


def test_too_many_waiting_deliveries_disable_a_webhook(outbox: Outbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more than the limit does."""
    monkeypatch.setattr(store, "MAX_WAITING", 2)
    hook = outbox.hook()
    for _ in range(2):
        outbox.happen()
    (claimed,) = outbox.claim()

    assert not outbox.record(claimed, retry(NOW_MS + 1))
    outbox.happen()
    (claimed,) = outbox.claim(at_ms=NOW_MS + 1)

    assert outbox.record(claimed, retry(NOW_MS + 2), NOW_MS + 1)
    assert outbox.find(hook).disabled_reason == "failing"


def test_gone_is_gone(outbox: Outbox) -> None:
    """Until its owner enables it; what waited is sent then."""
    hook = outbox.hook()
    for _ in range(2):
        outbox.happen()
    (claimed,) = outbox.claim()
    outbox.record(claimed, AttemptOutcome(state="failed", http_status=410, error="gone", gone=True))

    assert outbox.find(hook).disabled_reason == "gone"
    assert outbox.claim() == ()
    sql = "UPDATE webhooks SET disabled_at_ms = NULL, disabled_reason = NULL"
    outbox.write(lambda tx: tx.exec_driver_sql(sql))
    outbox.write(lambda tx: enable_deliveries(tx, hook.id))

    assert len(outbox.claim()) == 1


def test_messages_are_claimed_together(outbox: Outbox) -> None:
    """All that are due when the digest is, up to a bound, and recorded together."""
    chat = outbox.hook(kind="discord")
    for number in range(60):
        outbox.happen(at_ms=NOW_MS + number * 133)  # as the runs of a long list end

    assert outbox.claim() == ()
    (claimed,) = outbox.claim(at_ms=NOW_MS + DIGEST_MS)

    assert len(claimed.deliveries) == 60
    outbox.record(claimed, at_ms=NOW_MS + DIGEST_MS)

    assert outbox.claim(at_ms=NOW_MS + DIGEST_MS + 8_000) == ()
    assert [state for state, _, _ in outbox.log(chat)] == ["delivered"] * 60


def test_webhooks_with_one_receiver_are_one_message(outbox: Outbox) -> None:
    """From the first event of any of them; what several of them wanted is in it once, and recorded for each."""
    both: tuple[EventType, ...] = (*WANTED, "report.failed")
    hooks = [outbox.hook(kind="discord", events=events) for events in (WANTED, ("report.failed",), both)]
    outbox.hook(account_id=2, kind="discord")
    outbox.happen(at_ms=NOW_MS)
    outbox.happen(at_ms=NOW_MS + DIGEST_MS - 1, kind="report.failed")

    assert outbox.claim(at_ms=NOW_MS + DIGEST_MS - 1) == ()
    (claimed,) = outbox.claim(at_ms=NOW_MS + DIGEST_MS)

    assert (len(claimed.deliveries), len(claimed.events)) == (4, 2)
    outbox.record(claimed, at_ms=NOW_MS + DIGEST_MS)

    assert [[state for state, _, _ in outbox.log(hook)] for hook in hooks] == [
        ["delivered"], ["delivered"], ["delivered", "delivered"],
    ]  # fmt: skip
    assert outbox.claim(at_ms=NOW_MS + 2 * DIGEST_MS) == ()


def test_a_message_has_a_bound(outbox: Outbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are the next one."""
    monkeypatch.setattr("pagegrade.store.repositories.webhooks.MAX_DIGEST", 2)
    outbox.hook(kind="discord")
    for _ in range(3):
        outbox.happen()
    (claimed,) = outbox.claim(at_ms=NOW_MS + DIGEST_MS)
    outbox.record(claimed, at_ms=NOW_MS + DIGEST_MS)
    (rest,) = outbox.claim(at_ms=NOW_MS + DIGEST_MS)

    assert (len(claimed.deliveries), len(rest.deliveries)) == (2, 1)


def _add_test(event: Event, webhook_id: int, tx: Transaction) -> None:
    add_test_event(tx, event, webhook_id, "slack")


STEP = st.tuples(
    st.sampled_from(["report.completed", "report.failed", "claim", "fail", "test"]),
    st.integers(1, 2),
    st.one_of(st.integers(0, 300), st.integers(0, 40_000)),
)
"""(what is done, for which account, how many milliseconds later)."""


@settings(max_examples=40, deadline=None)
@given(history=st.lists(STEP, max_size=60))
@example([("report.failed", 1, 0), ("report.completed", 1, 29_900), ("report.completed", 1, 200), ("claim", 1, 5_000)])
def test_what_happens_in_one_window_is_one_message(history: list[tuple[str, int, int]]) -> None:
    """For each receiver, whatever the history: nothing is lost or sent twice, and a window is never cut in two."""
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(make_file(Path(folder))) as database:
        outbox = Outbox(database)
        for name in ("Alice", "Bob"):
            add_owner(database, name)
        receivers = [(account, kind) for account in (1, 2) for kind in MESSAGES]
        # Each is that of three webhooks, whose events overlap.
        for (account, kind), events in product(receivers, (WANTED, ("report.failed",), (*WANTED, "report.failed"))):
            outbox.hook(account_id=account, kind=kind, events=events)
        now_ms = NOW_MS
        happened: dict[tuple[int, Kind], list[int]] = {receiver: [] for receiver in receivers}
        claims: dict[tuple[int, Kind], list[tuple[int, list[int]]]] = {receiver: [] for receiver in receivers}

        def serve(outcome: AttemptOutcome) -> None:
            for claimed in outbox.claim(at_ms=now_ms):
                fresh = [due.at_ms for due in claimed.events if due.attempts == 0 and due.type != "webhook.test"]
                if fresh:
                    claims[claimed.webhook.account_id, claimed.webhook.kind].append((now_ms, fresh))
                outbox.record(claimed, outcome, at_ms=now_ms)

        for what, account, later in history:
            now_ms += later
            if what in {"report.completed", "report.failed"}:
                outbox.happen(account, at_ms=now_ms, kind=cast(EventType, what))
                for kind in MESSAGES:
                    happened[account, kind].append(now_ms)
            elif what == "test":
                event = Event("webhook.test", account, "", None, None, now_ms)
                outbox.write(partial(_add_test, event, account * 6))
            else:
                retry = AttemptOutcome(state="retry", retry_at_ms=now_ms + 5_000)
                serve(DELIVERED if what == "claim" else retry)
        for _ in range(3):
            now_ms += DIGEST_MS
            serve(DELIVERED)

        for receiver in receivers:
            sent = claims[receiver]

            assert sorted(at_ms for _, at_once in sent for at_ms in at_once) == happened[receiver]
            for (_, earlier), (_, next_one) in pairwise(sent):
                assert next_one[0] >= earlier[0] + DIGEST_MS


def test_sending_again_waits_for_no_pause(outbox: Outbox) -> None:
    """The id and the row stay; the schedule begins anew."""
    hook = outbox.hook()
    outbox.happen()
    (claimed,) = outbox.claim()
    outbox.record(claimed, retry(NOW_MS + 86_400_000))
    outbox.write(lambda tx: send_again(tx, hook.id, claimed.deliveries[0].id, NOW_MS))
    (again,) = outbox.claim()

    assert again.deliveries == claimed.deliveries
    assert outbox.database.read_here(lambda tx: load_delivery(tx, hook.id, again.deliveries[0].id)) is not None
    assert outbox.database.read_here(lambda tx: load_delivery(tx, hook.id + 1, again.deliveries[0].id)) is None
    assert outbox.database.read_here(lambda tx: load_delivery(tx, hook.id, 0)) is None


def test_what_was_not_sent_is_let_go(outbox: Outbox) -> None:
    """By the process that holds it, and by no other."""
    outbox.hook()
    outbox.happen()
    (claimed,) = outbox.claim()
    for process, left in (("p2", 0), ("p1", 1)):
        outbox.write(partial(release_webhook, claimed=claimed, worker=process))

        assert len(outbox.claim()) == left


def test_the_one_process_lets_go_of_every_webhook_at_its_start(outbox: Outbox) -> None:
    """No lease of the process before is waited for; one that was put off stays so."""
    later, held = outbox.hook(), outbox.hook(account_id=2)
    for account_id in (1, 2):
        outbox.happen(account_id)
    (put_off,) = (each for each in outbox.claim() if each.webhook.id == later.id)
    outbox.write(lambda tx: release_webhook(tx, put_off, worker=outbox.process, until_ms=NOW_MS + DAY_MS))

    assert outbox.claim() == ()
    outbox.write(release_every_webhook)

    assert [each.webhook.id for each in outbox.claim()] == [held.id]


def test_a_disabled_webhook_gets_nothing(outbox: Outbox) -> None:
    """A test event reaches one webhook, whatever it subscribes to."""
    hook, other = outbox.hook(), outbox.hook()
    outbox.write(lambda tx: disable_webhook(tx, other.id, "by_owner", NOW_MS))
    outbox.write(lambda tx: add_test_event(tx, Event("webhook.test", 1, "", None, None, NOW_MS), hook.id, "webhook"))

    assert (len(outbox.log(hook)), len(outbox.log(other))) == (1, 0)


def test_old_events_are_forgotten_with_their_log(outbox: Outbox) -> None:
    """A few at a time."""
    hook = outbox.hook()
    for at_ms in (1, 2, 3):
        outbox.happen(at_ms=at_ms)

    def forget(tx: Transaction) -> int:
        return forget_events(tx, AgeMs(store.KEPT_MS + 3), limit=1)

    assert [outbox.write(forget) for _ in range(3)] == [1, 1, 0]
    assert len(outbox.log(hook)) == 1


def test_what_waits_is_counted_with_its_oldest(outbox: Outbox) -> None:
    """Of all accounts, with what is tried again; without what was delivered, and without disabled webhooks."""

    def waiting() -> tuple[int, int | None]:
        return outbox.database.read_here(count_waiting)

    assert waiting() == (0, None)
    for account_id in (1, 2, 3):
        outbox.hook(account_id)
    for account_id, at_ms in ((1, NOW_MS - 9), (2, NOW_MS - 5), (2, NOW_MS), (3, NOW_MS - 7)):
        outbox.happen(account_id, at_ms)

    assert waiting() == (4, NOW_MS - 9)

    first, second, third = sorted(outbox.claim(), key=lambda claimed: claimed.webhook.account_id)
    outbox.record(first)
    outbox.record(second, AttemptOutcome(state="retry", retry_at_ms=NOW_MS + 5_000, pause_until_ms=NOW_MS + 1))
    outbox.write(lambda tx: disable_webhook(tx, third.webhook.id, "by_owner", NOW_MS))

    assert waiting() == (2, NOW_MS - 5)
