from __future__ import annotations

import pytest

from pagegrade.checks.performance.main_thread_work import BUSY_MS, main_thread_work
from pagegrade.model.outcome import NotRun, Outcome
from pagegrade.model.rendering import ThreadWork
from tests.builders import evaluated
from tests.rendering_builders import make_rendering, make_timeline


def script(time_ms: float) -> tuple[ThreadWork, ...]:
    """Work of scripts alone."""
    return (ThreadWork(kind="script", time_ms=time_ms),)


@pytest.mark.parametrize(("total_ms", "state"), [(BUSY_MS, "little"), (BUSY_MS + 1, "much")])
def test_a_second_is_much(total_ms: int, state: str) -> None:
    """It costs nothing in either case."""
    found = evaluated(main_thread_work, rendering=make_rendering(make_timeline(work=script(total_ms))))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.verdict.value, found.loss) == (state, total_ms, 0)


def test_the_load_with_the_middle_sum_counts() -> None:
    """Of an even number the shorter one; loads whose work was not recorded are left out."""
    loads = [make_timeline(work=script(time_ms)) for time_ms in (3_000, 10, 500, 700)]
    found = evaluated(main_thread_work, rendering=make_rendering(*loads, make_timeline())).verdict

    assert isinstance(found, Outcome)
    assert found.value == 500


def test_forced_layout_is_named() -> None:
    """Kinds of less than a millisecond are not listed."""
    work = (
        ThreadWork(kind="layout", time_ms=310.2, forced_ms=240.4),
        ThreadWork(kind="paint", time_ms=20),
        ThreadWork(kind="memory", time_ms=0.9),
    )
    found = evaluated(main_thread_work, rendering=make_rendering(make_timeline(work=work))).verdict

    assert isinstance(found, Outcome)
    assert [(one.value, one.reason) for one in found.evidence] == [
        ("310 ms", "styles and layout, 240 ms of it forced by scripts"),
        ("20 ms", "painting"),
    ]


def test_a_trace_without_work_is_not_evaluated() -> None:
    """Nothing was seen, which is not the same as nothing was done."""
    found = evaluated(main_thread_work, rendering=make_rendering(make_timeline()))

    assert isinstance(found.verdict, NotRun)
