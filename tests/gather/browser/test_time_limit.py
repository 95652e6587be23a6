"""The time of a visit, with a clock that stands still until it is set."""

from __future__ import annotations

import asyncio

import pytest

from pagegrade.gather.browser.time_limit import LOOK_S, TimeLimit


class Clock:
    """The time of the event loop."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 1_000.0
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: self.now_s)


@pytest.mark.parametrize(
    ("used_s", "loads", "fits"),
    [(0.0, 2, True), (10.0, 2, True), (10.1, 2, False), (40.0, 1, True), (40.1, 1, False), (200.0, 1, False)],
)
def test_loads_fit_with_the_look(monkeypatch: pytest.MonkeyPatch, used_s: float, loads: int, fits: bool) -> None:  # noqa: FBT001
    """At the limit and past it: loads of 30 s, and the look, in 90 s."""

    async def script() -> bool:
        clock = Clock(monkeypatch)
        limit = TimeLimit(70.0 + LOOK_S)
        clock.now_s += used_s
        return limit.has_time(30.0, loads=loads)

    assert asyncio.run(script()) is fits


@pytest.mark.parametrize(
    ("used_s", "load_s", "command_s"),
    [(0.0, 45.0, 15.0), (25.0, 45.0, 15.0), (30.0, 40.0, 15.0), (69.0, 1.0, 15.0), (80.0, 0.1, 10.0), (99.0, 0.1, 0.1)],
)
def test_no_step_takes_the_time_of_the_next(
    monkeypatch: pytest.MonkeyPatch, used_s: float, load_s: float, command_s: float
) -> None:
    """A load leaves the look its time, a command ends with the visit, and none fails without a try."""

    async def script() -> tuple[float, float]:
        clock = Clock(monkeypatch)
        limit = TimeLimit(70.0 + LOOK_S)
        clock.now_s += used_s
        return limit.for_load_s(45.0), limit.bounded(15.0)

    assert asyncio.run(script()) == pytest.approx((load_s, command_s))


def test_a_short_visit_has_a_short_look() -> None:
    """A third of its time."""

    async def script() -> float:
        return TimeLimit(30.0).for_load_s(45.0)

    assert 19.0 < asyncio.run(script()) <= 20.0
