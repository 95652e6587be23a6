"""The simulation behind the page on scaling: always the same, and the page shows what it prints."""

from __future__ import annotations

import math
from functools import partial

from devtools.simulate_scaling import (
    ASSUMED,
    MEASURED,
    SIZES,
    SMALL,
    World,
    looks_per_s,
    percentile,
    simulate,
    table,
    written,
    zipf,
)


def test_the_page_shows_what_is_simulated() -> None:
    """The rows that take no time are made anew; the others are there."""
    small = tuple(size for size in SIZES if size <= SMALL)
    shown = written()

    assert shown[: 2 + len(small)] == table(small)
    assert [line.split("|")[1].strip() for line in shown[2:]] == [str(size) for size in SIZES]


def test_places_that_are_enough_do_all_that_is_asked() -> None:
    """With one place nothing else is in the way, and it is used as much as is asked for."""
    row = simulate(1)

    assert row.in_the_way == "nothing"
    assert math.isclose(row.done, row.asked, rel_tol=0.1)
    assert math.isclose(row.busy, ASSUMED.load, rel_tol=0.1)


def test_one_flush_takes_all_commits_that_wait_for_it() -> None:
    """A commit that arrives while the log is being flushed shares the next flush."""
    world = World(1, horizon_s=1.0, seed=1)
    first = world.flush(10.0)

    assert math.isclose(first, 10.001)
    assert math.isclose(world.flush(10.0005), 10.002)
    assert math.isclose(world.flush(10.0006), 10.002)
    assert math.isclose(world.flush(10.5), 10.501)


def test_an_account_does_one_thing_after_the_other() -> None:
    """The second transaction of an account ends later than one of another account that began at the same time."""
    ended: dict[str, float] = {}
    world = World(1, horizon_s=10.0, seed=1)

    def note(name: str, at_s: float) -> None:
        ended[name] = at_s

    for name, account in (("first", 1), ("second", 1), ("other", 2)):
        world.transact(0.0, account, MEASURED.claim, partial(note, name))
    while world.events:
        now_s, _, what = world.events.pop(0)
        what(now_s)
        world.events.sort()

    assert ended["second"] >= 2 * ended["first"] - 0.002
    assert ended["other"] < ended["second"]


def test_more_idle_workers_ask_more_often() -> None:
    """Each process has its own turn, and there is no turn after the longest."""
    assert looks_per_s(16, 1.0) < looks_per_s(160, 10.0) < looks_per_s(1_600, 100.0)


def test_chances_are_skewed_and_percentiles_taken() -> None:
    """The first of many comes most often."""
    weights = zipf(3, 1.0)

    assert [round(weight, 3) for weight in weights] == [1.0, 1.5, 1.833]
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([], 0.5) == 0.0
