from __future__ import annotations

import pytest

from pagegrade.service.limits import WINDOW_S, Limits, Standing


class Clock:
    """Goes when it is told to."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still."""
    return Clock()


def test_a_limit_is_kept_to_the_last_request(clock: Clock) -> None:
    """So many are allowed, the next is not, and each says how many are left."""
    limits = Limits(clock)
    standings = [limits.take("requests", "alice", 3) for _ in range(5)]

    assert [each.allowed for each in standings] == [True, True, True, False, False]
    assert [each.remaining for each in standings] == [2, 1, 0, 0, 0]
    assert {(each.limit, each.reset_s) for each in standings} == {(3, 60)}


def test_room_comes_back_as_requests_leave_the_window(clock: Clock) -> None:
    """One by one, a minute after each; there is never more than the limit in any minute."""
    limits = Limits(clock)
    taken: list[float] = []
    for _ in range(300):
        if limits.take("requests", "alice", 7).allowed:
            taken.append(clock.now_s)
        clock.now_s += 1.7
    in_a_minute = [sum(at <= other < at + WINDOW_S for other in taken) for at in taken]

    assert max(in_a_minute) == 7
    assert len(taken) > 7 * 300 * 1.7 / WINDOW_S - 7


def test_waiting_as_long_as_told_is_enough(clock: Clock) -> None:
    """Retry-After is no guess."""
    limits = Limits(clock)
    limits.take("requests", "alice", 2)
    clock.now_s += 10.4
    limits.take("requests", "alice", 2)
    refused = limits.take("requests", "alice", 2)
    clock.now_s += refused.reset_s
    after = limits.take("requests", "alice", 2)

    assert (refused.allowed, refused.reset_s) == (False, 50)
    assert after.allowed


def test_being_refused_costs_nothing(clock: Clock) -> None:
    """A client that hammers gets its share all the same."""
    limits = Limits(clock)
    limits.take("requests", "alice", 1)
    for _ in range(59):
        clock.now_s += 1
        limits.take("requests", "alice", 1)
    clock.now_s += 1

    assert limits.take("requests", "alice", 1).allowed


def test_kinds_and_callers_do_not_share(clock: Clock) -> None:
    """Bob is not slowed by Alice, nor her reading by her writing."""
    limits = Limits(clock)
    limits.take("requests", "alice", 1)

    assert limits.take("requests", "bob", 1).allowed
    assert limits.take("analyses", "alice", 1).allowed


def test_looking_does_not_count(clock: Clock) -> None:
    """It tells what the next request would meet."""
    limits = Limits(clock)
    fresh = [limits.look("requests", "alice", 1) for _ in range(3)]
    limits.take("requests", "alice", 1)

    assert fresh == [Standing(allowed=True, limit=1, remaining=1, reset_s=60)] * 3
    assert limits.look("requests", "alice", 1) == Standing(allowed=False, limit=1, remaining=0, reset_s=60)


def test_a_limit_that_was_lowered_holds_at_once(clock: Clock) -> None:
    """Never less than nothing remains; a limit of nothing allows nothing."""
    limits = Limits(clock)
    for _ in range(5):
        limits.take("requests", "alice", 5)
    lowered = limits.take("requests", "alice", 2)

    assert (lowered.allowed, lowered.remaining) == (False, 0)
    assert not limits.take("requests", "bob", 0).allowed


def test_those_who_are_silent_are_forgotten(clock: Clock) -> None:
    """Memory is not kept for everybody who ever came."""
    limits = Limits(clock)
    for number in range(1000):
        limits.take("wrong keys", str(number), 30)
    clock.now_s += WINDOW_S
    for _ in range(600):
        limits.take("wrong keys", "alice", 10_000)

    assert len(limits._times) == 1


def test_a_crowd_does_not_fill_the_memory(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those who were silent the longest make room, and who asks all the time stays known."""
    monkeypatch.setattr("pagegrade.service.limits.REMEMBERED", 100)
    limits = Limits(clock)
    for number in range(1000):
        limits.take("wrong keys", str(number), 30)
        limits.take("requests", "alice", 500)

    assert len(limits._times) <= 100
    assert not limits.look("requests", "alice", 500).allowed


def test_without_a_clock_of_its_own_it_has_one() -> None:
    """As the server makes it."""
    assert Limits().take("requests", "alice", 1).allowed


def test_what_was_not_used_can_be_given_back(clock: Clock) -> None:
    """The count is as if nobody had asked, and never less than nothing."""
    limits = Limits(clock)
    limits.take("requests", "alice", 2)
    before = limits.give_back("requests", "alice", 2)
    again = limits.give_back("requests", "alice", 2)
    nobody = limits.give_back("requests", "bob", 2)

    assert (before.remaining, again.remaining, nobody.remaining) == (2, 2, 2)
    assert [limits.take("requests", "alice", 2).allowed for _ in range(3)] == [True, True, False]
