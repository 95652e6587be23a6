"""Distances between requests, by a clock that the test moves."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from pagegrade.model.audit import CrawlHost
from pagegrade.service.audits.pace import EARNED_BACK, LONGEST_PAUSE_S, LONGEST_RETRY_AFTER_S, REFUSALS, Pace

NOW_S = 1_767_225_600.0


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        """Begin at a whole second."""
        self.now_s = NOW_S

    def __call__(self) -> float:
        """Return the time."""
        return self.now_s


def make_pace(host: CrawlHost | None = None, *, rate: float | None = 2.0) -> tuple[Pace, Clock]:
    """The pace of one host, two requests at a time."""
    clock = Clock()
    made = CrawlHost(host_no=0, origin="https://example.com") if host is None else host
    return Pace(made, rate_per_s=rate, connections=2, clock=clock), clock


def ask(pace: Pace, status: int | None = 200, retry_after: str | None = None, seconds: float = 0.01) -> bool:
    """One request and its answer."""
    pace.start()
    return pace.end(status, seconds, retry_after)


def test_requests_begin_at_the_rate() -> None:
    """And no more at a time than there may be."""
    pace, clock = make_pace()
    ready = [pace.ready_in_s()]
    pace.start()
    ready.append(pace.ready_in_s())
    clock.now_s += 0.5
    pace.start()
    clock.now_s += 10
    ready.append(pace.ready_in_s())
    pace.end(200, 0.1)
    ready.append(pace.ready_in_s())

    assert ready == pytest.approx([0, 0.5, float("inf"), 0])


def test_a_network_of_ones_own_is_asked_as_fast_as_it_answers() -> None:
    """Its robots.txt is obeyed all the same."""
    asked = CrawlHost(host_no=0, origin="http://127.0.0.1:8000", crawl_delay_ms=1_500)

    assert make_pace(rate=None)[0].delay_s == 0
    assert make_pace(asked, rate=None)[0].delay_s == pytest.approx(1.5)


@pytest.mark.parametrize(("asked_ms", "delay_s"), [(3_000, 3.0), (30_000, 30.0), (90_000, 30.0)])
def test_a_long_crawl_delay_is_obeyed_up_to_thirty_seconds(asked_ms: int, delay_s: float) -> None:
    """Beyond that a crawl would never end."""
    host = CrawlHost(host_no=0, origin="https://example.com", crawl_delay_ms=asked_ms)

    assert make_pace(host)[0].delay_s == pytest.approx(delay_s)


def test_a_slow_server_is_asked_more_slowly() -> None:
    """Twice the median of its last answers."""
    pace, _ = make_pace()
    for seconds in (0.1, 3.0, 0.9):
        ask(pace, seconds=seconds)

    assert pace.delay_s == pytest.approx(1.8)


@pytest.mark.parametrize("status", [429, 430, 503])
def test_a_request_for_fewer_is_heard(status: int) -> None:
    """Nothing before Retry-After, then half as fast, one at a time, until so many answers were good."""
    pace, clock = make_pace()
    is_heard = ask(pace, status, "40")
    waits = [pace.ready_in_s()]
    clock.now_s += 40
    delays = [pace.delay_s]
    pace.start()
    clock.now_s += 5
    waits.append(pace.ready_in_s())
    pace.end(200, 0.01)
    for _ in range(EARNED_BACK):
        ask(pace)
    delays.append(pace.delay_s)

    assert is_heard
    assert waits == pytest.approx([40, float("inf")])
    assert delays == pytest.approx([1, 0.5])


@pytest.mark.parametrize(
    ("retry_after", "wait_s"),
    [
        (formatdate(NOW_S + 100, usegmt=True), 100),
        (formatdate(NOW_S - 100, usegmt=True), 1),
        ("999999", 3_600),
        ("7", 7),
        ("soon", 5),
        ("-1", 5),
        (None, 5),
    ],
)
def test_retry_after_is_read_in_both_forms(retry_after: str | None, wait_s: float) -> None:
    """A date in the past is over, an hour is the longest, and what says nothing is five seconds."""
    pace, _ = make_pace()
    ask(pace, 429, retry_after)

    assert pace.ready_in_s() == pytest.approx(wait_s, abs=0.6)


def test_pauses_without_a_time_double() -> None:
    """Five seconds at first, five minutes at most."""
    pace, clock = make_pace()
    pauses = []
    for _ in range(8):
        ask(pace, 429, "soon")
        pauses.append(round(pace.ready_in_s()))
        clock.now_s += pauses[-1]

    assert pauses[:4] == [5, 10, 20, 40]
    assert pauses[-1] == LONGEST_PAUSE_S


def test_an_error_of_the_server_is_an_answer() -> None:
    """Without Retry-After it is evidence, and asks for no pause."""
    pace, _ = make_pace()

    assert not ask(pace, 503)
    assert pace.ready_in_s() < 1


@pytest.mark.parametrize(("status", "refuses"), [(200, False), (404, False), (403, True), (500, True), (None, True)])
def test_what_is_asked_for_in_another_way_is_judged_by_the_last_answer(status: int | None, refuses: bool) -> None:  # noqa: FBT001
    """Servers that know only GET refuse every HEAD; such an answer neither slows us down nor speeds us up."""
    pace, _ = make_pace(rate=None)
    for first in (403, 405, 500, 501):
        for _ in range(EARNED_BACK):
            pace.start()
            assert not pace.end(first, 0.01, asks_again=True)
            ask(pace, status)

    assert (pace.refuses, pace.under_way, pace.delay_s) == (refuses, 0, 0)


def test_a_site_that_sends_us_away_is_recognized() -> None:
    """By half of its last answers; pages that are not there are none of them."""
    pace, _ = make_pace(rate=None)
    for _ in range(30):
        ask(pace, 404)
    refuses = []
    for number in range(REFUSALS):
        refuses.append(pace.refuses)
        ask(pace, (403, 500, None)[number % 3])

    assert not any(refuses)
    assert pace.refuses


def test_the_next_process_keeps_the_distance() -> None:
    """It begins with the row of the host."""
    host = CrawlHost(host_no=0, origin="https://example.com")
    pace, _ = make_pace(host)
    ask(pace, 429, "60")
    pace.store()
    again, _ = make_pace(host)

    assert again.ready_in_s() == pytest.approx(60)
    assert again.delay_s == pytest.approx(1)


def test_a_clock_that_is_set_back_makes_no_host_wait_for_longer_than_a_site_may_ask_for() -> None:
    """In the process that crawls, and in the next one, which has the time of the clock that was ahead from its row."""
    host = CrawlHost(host_no=0, origin="https://example.com")
    pace, clock = make_pace(host)
    clock.now_s += 400 * 86_400
    ask(pace)
    pace.store()
    clock.now_s = NOW_S
    first = pace.ready_in_s()
    clock.now_s += 60
    again, _ = make_pace(host)

    assert first == LONGEST_RETRY_AFTER_S
    assert pace.ready_in_s() == LONGEST_RETRY_AFTER_S - 60
    assert again.ready_in_s() == LONGEST_RETRY_AFTER_S
