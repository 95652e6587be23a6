from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pagegrade.gather.browser.options import DEVICES, LOOK_S, Line, RenderingFailed, TimeLimit, find_browser
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.identity import USER_AGENT


def test_the_user_agent_is_the_browsers_and_ours() -> None:
    """Sites see which browser draws the page, and who sent it."""
    agent = DEVICES["mobile"].user_agent("HeadlessChrome/156.0.8078.79")

    assert " Chrome/156.0.0.0 Mobile Safari/537.36 " in agent
    assert agent.endswith(USER_AGENT)
    assert DEVICES["mobile"].user_agent("HeadlessChrome/156.0.8078.79", "Own/1").endswith(" Own/1")
    assert "Mobile" not in DEVICES["desktop"].user_agent("HeadlessChrome/156.0.8078.79")


def test_a_line_delivers_what_is_sent_at_once_one_after_the_other() -> None:
    """Two connections share the bandwidth; latency is added to each."""
    line = Line(latency_s=0.075, bytes_per_s=1_000.0)

    assert [line.delivery(10.0, 500), line.delivery(10.0, 500), line.delivery(20.0, 100)] == pytest.approx(
        [10.575, 11.075, 20.175]
    )


def test_a_line_without_a_limit_only_delays() -> None:
    """As the shape of tests does by nothing at all."""
    assert Line(latency_s=0.5, bytes_per_s=None).delivery(1.0, 10**9) == 1.5


def make_program(folder: Path, name: str, text: str = "\x7fELF") -> Path:
    """A program of that name."""
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_the_cheapest_browser_on_the_path_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The headless shell starts in half the time."""
    monkeypatch.setenv("PATH", str(tmp_path))
    found = [find_browser()]
    for name in ("chromium", "chromium-headless-shell", "google-chrome"):
        make_program(tmp_path, name)
        found.append(find_browser())

    shell = tmp_path / "chromium-headless-shell"

    assert found == [None, tmp_path / "chromium", shell, shell]


def test_what_the_operator_chose_is_taken_or_nothing(tmp_path: Path) -> None:
    """No other browser is used in its place."""
    program = make_program(tmp_path, "my-browser")

    assert find_browser(str(program)) == program
    assert find_browser(str(tmp_path / "absent")) is None


def test_a_script_around_an_unknown_program_is_taken_itself(tmp_path: Path) -> None:
    """Only those of known distributions are looked through."""
    script = make_program(tmp_path, "my-browser", "#!/bin/sh\nexec chromium\n")

    assert find_browser(str(script)) == script


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


def test_a_failure_is_a_missing_artifact() -> None:
    """The report says why, and is not affected otherwise."""
    assert RenderingFailed("timeout", "Too slow.", reason="time_limit").not_gathered() == NotGathered(
        code="timeout", detail="Too slow.", reason="time_limit"
    )
